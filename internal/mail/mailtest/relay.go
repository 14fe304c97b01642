package mailtest

import (
	"context"
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

// This file runs real mail servers of Debian: OpenSMTPD, Postfix and Exim. As packages they cannot be installed beside
// each other, so Postfix and Exim can also be unpacked into the folders postfix and exim of the folder
// ENLIST_TEST_MAILSERVERS: tools/mailservers does that. Tests with them are skipped with -short, if the program is not
// there, or if they do not run as root.

// Relay is a mail server that forwards every mail to a Server. It is killed at the end of the test. All OpenSMTPD servers
// of a machine use the same queue, which is not deleted after a test. So each test sends to a domain of its own.
type Relay struct {
	Domain string // for the recipients of this test
	t      *testing.T
	name   string
	sink   *Server
	addr   string
	log    string
	env    []string
	args   []string
	cmd    *exec.Cmd
}

// findProgram returns the path of a program below one of the folders. It skips the test if the program cannot run.
func findProgram(t *testing.T, name, program, install string, roots ...string) (root, path string) {
	t.Helper()
	if testing.Short() {
		t.Skip("a test with a real mail server is slow: run it with make check")
	}
	if os.Geteuid() != 0 {
		t.Skip(name + " needs root: run this test as root")
	}
	for _, root := range roots {
		path := filepath.Join(root, program)
		if _, err := os.Stat(path); err == nil && filepath.IsAbs(root) {
			return root, path
		}
	}
	t.Skip(name + " is not installed: " + install)
	return "", ""
}

// findUnpacked is findProgram for a program that can be unpacked.
func findUnpacked(t *testing.T, name, program string) (root, path string) {
	t.Helper()
	return findProgram(t, name, program, "set ENLIST_TEST_MAILSERVERS to the folder that tools/mailservers prints",
		filepath.Join(os.Getenv("ENLIST_TEST_MAILSERVERS"), name), "/")
}

// startRelay writes the files of a configuration and starts a program. The names PORT, SINK, ROOT and DIR in them and in
// its arguments stand for the ports of both servers, the folder of the programs and that of the test.
func startRelay(t *testing.T, to *Server, name, root, owner string, files map[string]string, command ...string) *Relay {
	t.Helper()
	// On 127.0.0.1, a connection of another test could use the same port before the mail server listens on it.
	l, err := net.Listen("tcp", "127.0.0.2:0")
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
	m := &Relay{Domain: fmt.Sprintf("%d.example.com", time.Now().UnixNano()), t: t, name: name, sink: to,
		addr: l.Addr().String(), log: filepath.Join(dir, "log")}
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
		} else if err := os.WriteFile(path, []byte(names.Replace(text)), 0o600); err != nil {
			t.Fatal(err)
		} else if owner != "root" {
			os.Chmod(path, 0o644) // OpenSMTPD refuses such a file
		}
	}
	for _, arg := range command {
		m.args = append(m.args, names.Replace(arg))
	}
	libraries, _ := filepath.Glob(filepath.Join(root, "usr/lib/*-linux-gnu*"))
	libraries = append(libraries, filepath.Join(root, "usr/lib/postfix"))
	m.env = append(os.Environ(), "LD_LIBRARY_PATH="+strings.Join(libraries, ":"), "MAIL_CONFIG="+dir)
	if err := os.WriteFile(m.log, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	own(t, m.log, owner)
	t.Cleanup(func() {
		if m.cmd != nil && m.cmd.Process != nil {
			m.cmd.Process.Signal(os.Interrupt) // Postfix then ends its other processes
			m.Kill()
		}
	})
	m.Start()
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

// URL returns the URL of the server for mails.
func (m *Relay) URL() string { return "smtp://" + m.addr }

// Start starts the server and waits until it accepts connections.
func (m *Relay) Start() {
	m.t.Helper()
	log, err := os.OpenFile(m.log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		m.t.Fatal(err)
	}
	defer log.Close()
	m.cmd = exec.Command(m.args[0], m.args[1:]...)
	m.cmd.Env, m.cmd.Stdout, m.cmd.Stderr = m.env, log, log
	if err := m.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.Until(m.name+" accepts connections", 3*time.Minute, m.accepts)
}

// Kill kills the server and waits until its child processes have ended too: those of OpenSMTPD use the port and the
// socket for commands a short time longer.
func (m *Relay) Kill() {
	m.t.Helper()
	m.cmd.Process.Kill()
	m.cmd.Wait() // returns the error that the process was killed
	m.Until(m.name+" has ended", 3*time.Minute, func() bool { return !m.accepts() && !isControlled() })
}

// accepts reports whether the server accepts connections.
func (m *Relay) accepts() bool {
	c, err := net.Dial("tcp", m.addr)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// isControlled reports whether an OpenSMTPD server of this machine accepts commands.
func isControlled() bool {
	for _, socket := range []string{"/run/smtpd.sock", "/var/run/smtpd.sock"} {
		if c, err := net.Dial("unix", socket); err == nil {
			c.Close()
			return true
		}
	}
	return false
}

// Until waits until done returns true. After limit, Until fails the test. what describes the condition in the failure
// message.
func (m *Relay) Until(what string, limit time.Duration, done func() bool) {
	m.t.Helper()
	// Kill also runs after the end of the test's context.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.t.Context()), limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			text, _ := os.ReadFile(m.log)
			m.t.Fatalf("the test waited until %s: %v\nthe log of %s is:\n%s", what, ctx.Err(), m.name, text)
		}
	}
}

// Arrived returns the messages that arrived for recipients of the domain.
func (m *Relay) Arrived() (mine []Message) {
	for _, got := range m.sink.Messages() {
		if strings.HasSuffix(got.To[0], "@"+m.Domain) {
			mine = append(mine, got)
		}
	}
	return mine
}

// StartOpenSMTPD starts an OpenSMTPD server that forwards mails to the server to.
func StartOpenSMTPD(t *testing.T, to *Server) *Relay {
	t.Helper()
	root, program := findProgram(t, "OpenSMTPD", "usr/sbin/smtpd", "apt-get install opensmtpd", "/")
	if isControlled() {
		t.Skip("OpenSMTPD is already running on this machine, and only one can run at a time: stop it")
	}
	return startRelay(t, to, "OpenSMTPD", root, "root", map[string]string{"smtpd.conf": `
listen on 127.0.0.2 port PORT hostname mta.example.org
action "onward" relay host "smtp://127.0.0.1:SINK"
match from any for any action "onward"
`}, program, "-d", "-f", "DIR/smtpd.conf")
}

// StartExim starts an Exim server that forwards mails to the server to.
func StartExim(t *testing.T, to *Server) *Relay {
	t.Helper()
	root, program := findUnpacked(t, "exim", "usr/sbin/exim4")
	return startRelay(t, to, "exim", root, "Debian-exim", map[string]string{"conf": `
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
`}, program, "-C", "DIR/conf", "-bdf", "-oX", "PORT")
}

// StartPostfix starts a Postfix server that forwards mails to the server to.
func StartPostfix(t *testing.T, to *Server) *Relay {
	t.Helper()
	root, program := findUnpacked(t, "postfix", "usr/lib/postfix/sbin/master")
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
	for name, of := range map[string]string{"cleanup": "cleanup", "rewrite": "trivial-rewrite", "bounce": "bounce",
		"defer": "bounce", "trace": "bounce", "verify": "verify", "flush": "flush", "proxymap": "proxymap", "smtp": "smtp",
		"error": "error", "retry": "error", "scache": "scache", "anvil": "anvil", "tlsmgr": "tlsmgr"} {
		private := "-"
		if name == "cleanup" || name == "flush" {
			private = "n"
		}
		services += fmt.Sprintf("%s unix %s - n - 0 %s\n", name, private, of)
	}
	files["master.cf"] = services
	return startRelay(t, to, "postfix", root, "mail", files, program, "-c", "DIR", "-d")
}
