package mailtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// This file runs Debian's Postfix and Exim. As packages they cannot be installed beside each other or OpenSMTPD, so
// they can also be unpacked into the folders postfix and exim of the folder ENLIST_TEST_MAILSERVERS: tools/mailservers
// does that. The tests with them are skipped like those with OpenSMTPD.

// Unpacked is a mail server that forwards every mail to a Server. It is killed at the end of the test.
type Unpacked struct {
	t    *testing.T
	name string
	addr string
	log  string
}

// URL returns the URL of the server for mails.
func (m *Unpacked) URL() string { return "smtp://" + m.addr }

// Until waits until done returns true. After limit, Until fails the test.
func (m *Unpacked) Until(what string, limit time.Duration, done func() bool) {
	m.t.Helper()
	waitUntil(m.t, what, limit, m.name, m.log, done)
}

// findUnpacked returns the folder that a program of a mail server is unpacked into, or / if it is installed. It skips
// the test if the program cannot run.
func findUnpacked(t *testing.T, name, program string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a test with a real mail server is slow: run it with make check")
	}
	if os.Geteuid() != 0 {
		t.Skip(name + " needs root: run this test as root")
	}
	for _, root := range []string{filepath.Join(os.Getenv("ENLIST_TEST_MAILSERVERS"), name), "/"} {
		if _, err := os.Stat(filepath.Join(root, program)); err == nil && filepath.IsAbs(root) {
			return root
		}
	}
	t.Skip(name + " is not installed: set ENLIST_TEST_MAILSERVERS to the folder that tools/mailservers prints")
	return ""
}

// startUnpacked writes the files of a configuration and starts a program. The names PORT, SINK, ROOT and DIR in them
// stand for the ports of both servers, the folder of the programs and that of the test.
func startUnpacked(t *testing.T, to *Server, name, root, owner string, files map[string]string, command ...string) *Unpacked {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.2:0") // as for OpenSMTPD
	if err != nil {
		t.Skip(err)
	}
	l.Close()
	dir, err := os.MkdirTemp("", name) // the server's user must be able to enter it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	own(t, dir, owner)
	m := &Unpacked{t: t, name: name, addr: l.Addr().String(), log: filepath.Join(dir, "log")}
	_, port, _ := net.SplitHostPort(m.addr)
	_, sink, _ := net.SplitHostPort(strings.TrimPrefix(to.URL(), "smtp://"))
	names := strings.NewReplacer("PORT", port, "SINK", sink, "ROOT", strings.TrimSuffix(root, "/"), "DIR", dir)
	for file, text := range files {
		path := filepath.Join(dir, file)
		if strings.HasSuffix(file, "/") {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
			own(t, path, owner)
		} else if err := os.WriteFile(path, []byte(names.Replace(text)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range command {
		command[i] = names.Replace(command[i])
	}
	log, err := os.OpenFile(m.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	own(t, m.log, owner)
	cmd := exec.Command(command[0], command[1:]...)
	libraries, _ := filepath.Glob(filepath.Join(root, "usr/lib/*-linux-gnu*"))
	libraries = append(libraries, filepath.Join(root, "usr/lib/postfix"))
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+strings.Join(libraries, ":"), "MAIL_CONFIG="+dir)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Process.Kill()
		cmd.Wait() // returns the error that the process was killed
	})
	m.Until(name+" accepts connections", 3*time.Minute, func() bool {
		c, err := net.Dial("tcp", m.addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return m
}

// own makes a user the owner of a file.
func own(t *testing.T, path, owner string) {
	t.Helper()
	u, err := user.Lookup(owner)
	if err != nil {
		t.Skip(err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Chown(path, uid, gid); err != nil {
		t.Fatal(err)
	}
}

// StartExim starts an Exim server that forwards mails to the server to.
func StartExim(t *testing.T, to *Server) *Unpacked {
	t.Helper()
	root := findUnpacked(t, "exim", "usr/sbin/exim4")
	return startUnpacked(t, to, "exim", root, "Debian-exim", map[string]string{"conf": `
primary_hostname = mta.example.org
exim_path = ROOT/usr/sbin/exim4
keep_environment = LD_LIBRARY_PATH
spool_directory = DIR
log_file_path = DIR/log-%s
pid_file_path = DIR/pid
local_interfaces = 127.0.0.2
acl_smtp_rcpt = all
tls_advertise_hosts =
deliver_drop_privilege = true
begin acl
all:
  accept
begin routers
onward:
  driver = manualroute
  transport = out
  route_list = * 127.0.0.1 byname
  self = send
begin transports
out:
  driver = smtp
  port = SINK
  hosts_try_fastopen =
begin retry
* * F,1h,1m
`}, filepath.Join(root, "usr/sbin/exim4"), "-C", "DIR/conf", "-bdf", "-oX", "PORT")
}

// StartPostfix starts a Postfix server that forwards mails to the server to.
func StartPostfix(t *testing.T, to *Server) *Unpacked {
	t.Helper()
	root := findUnpacked(t, "postfix", "usr/lib/postfix/sbin/master")
	files := map[string]string{"data/": "", "main.cf": `
compatibility_level = 3.6
queue_directory = DIR
data_directory = DIR/data
command_directory = ROOT/usr/sbin
daemon_directory = ROOT/usr/lib/postfix/sbin
shlib_directory = ROOT/usr/lib/postfix
meta_directory = ROOT/etc/postfix
import_environment = MAIL_CONFIG LD_LIBRARY_PATH
export_environment = MAIL_CONFIG LD_LIBRARY_PATH
mail_owner = mail
setgid_group = news
default_privs = nobody
myhostname = mta.example.org
mydestination =
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject
relayhost = [127.0.0.1]:SINK
inet_interfaces = loopback-only
inet_protocols = ipv4
smtp_bind_address = 127.0.0.1
smtputf8_enable = no
alias_maps =
alias_database =
local_recipient_maps =
biff = no
maillog_file = DIR/log
maillog_file_prefixes = DIR
`}
	for _, queue := range []string{"maildrop", "incoming", "active", "deferred", "hold", "corrupt", "bounce", "defer", "trace",
		"flush", "saved", "private", "public", "pid"} {
		files[queue+"/"] = ""
	}
	services := "127.0.0.2:PORT inet n - n - - smtpd\nqmgr unix n - n 300 1 qmgr\npostlog unix-dgram n - n - 1 postlogd\n"
	for name, program := range map[string]string{"cleanup": "cleanup", "rewrite": "trivial-rewrite", "bounce": "bounce",
		"defer": "bounce", "trace": "bounce", "verify": "verify", "flush": "flush", "proxymap": "proxymap", "smtp": "smtp",
		"error": "error", "retry": "error", "scache": "scache", "anvil": "anvil", "tlsmgr": "tlsmgr"} {
		private := "-"
		if name == "cleanup" || name == "flush" {
			private = "n"
		}
		services += fmt.Sprintf("%s unix %s - n - 0 %s\n", name, private, program)
	}
	files["master.cf"] = services
	return startUnpacked(t, to, "postfix", root, "mail", files,
		filepath.Join(root, "usr/lib/postfix/sbin/master"), "-c", "DIR", "-d")
}
