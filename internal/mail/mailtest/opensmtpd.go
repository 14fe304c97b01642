package mailtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// This file runs a real mail server, OpenSMTPD. Tests with it are skipped with -short, if OpenSMTPD
// is not installed, or if they do not run as root.

// OpenSMTPD is an OpenSMTPD server that forwards every mail to a Server. All OpenSMTPD servers of a
// machine use the same queue, and the queue is not deleted after a test. So each test sends to a
// domain of its own.
type OpenSMTPD struct {
	Domain string // for the recipients of this test
	t      *testing.T
	sink   *Server
	addr   string
	log    string
	cmd    *exec.Cmd
}

// findOpenSMTPD returns the path of the program. It skips the test if the program cannot run.
func findOpenSMTPD(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a test with a real mail server is slow: run it with make check")
	}
	program, err := exec.LookPath("smtpd")
	if err != nil {
		program = "/usr/sbin/smtpd"
	}
	if _, err := os.Stat(program); err != nil {
		t.Skip("OpenSMTPD is not installed: apt-get install opensmtpd")
	}
	if os.Geteuid() != 0 {
		t.Skip("OpenSMTPD needs root: run this test as root")
	}
	if isControlled() {
		t.Skip("OpenSMTPD is already running on this machine, and only one can run at a time: stop it")
	}
	return program
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

// StartOpenSMTPD starts an OpenSMTPD server that forwards mails to the server to. At the end of the
// test, the server is killed.
func StartOpenSMTPD(t *testing.T, to *Server) *OpenSMTPD {
	t.Helper()
	program := findOpenSMTPD(t)
	// OpenSMTPD listens on 127.0.0.2. On 127.0.0.1, a connection of another test could use the
	// same port before OpenSMTPD listens on it.
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip(err)
	}
	l.Close()
	dir := t.TempDir()
	config := filepath.Join(dir, "smtpd.conf")
	m := &OpenSMTPD{Domain: fmt.Sprintf("%d.example.com", time.Now().UnixNano()), t: t, sink: to,
		addr: l.Addr().String(), log: filepath.Join(dir, "log")}
	_, port, _ := net.SplitHostPort(m.addr)
	text := fmt.Sprintf("listen on 127.0.0.2 port %s hostname mta.example.org\n"+
		"action \"onward\" relay host %q\nmatch from any for any action \"onward\"\n", port, to.URL())
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m.cmd = exec.Command(program, "-d", "-f", config)
	t.Cleanup(m.Kill)
	m.Start()
	return m
}

// URL returns the URL of the server for mails.
func (m *OpenSMTPD) URL() string { return "smtp://" + m.addr }

// Start starts the server and waits until it accepts connections.
func (m *OpenSMTPD) Start() {
	m.t.Helper()
	log, err := os.OpenFile(m.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		m.t.Fatal(err)
	}
	defer log.Close()
	m.cmd = exec.Command(m.cmd.Path, m.cmd.Args[1:]...)
	m.cmd.Stdout, m.cmd.Stderr = log, log
	if err := m.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.Until("OpenSMTPD accepts connections", 3*time.Minute, m.accepts)
}

// Kill kills the server and waits until its child processes have ended too: they use the port and
// the socket for commands a short time longer. If the server is not running, Kill does nothing.
func (m *OpenSMTPD) Kill() {
	m.t.Helper()
	if m.cmd.Process == nil {
		return
	}
	m.cmd.Process.Kill()
	m.cmd.Wait() // returns the error that the process was killed
	m.Until("OpenSMTPD has ended", 3*time.Minute, func() bool { return !m.accepts() && !isControlled() })
}

// accepts reports whether the server accepts connections.
func (m *OpenSMTPD) accepts() bool {
	c, err := net.Dial("tcp", m.addr)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// Until waits until done returns true. After limit, Until fails the test. what describes the
// condition in the failure message.
func (m *OpenSMTPD) Until(what string, limit time.Duration, done func() bool) {
	m.t.Helper()
	waitUntil(m.t, what, limit, "OpenSMTPD", m.log, done)
}

// waitUntil is Until of a program with a log.
func waitUntil(t *testing.T, what string, limit time.Duration, program, log string, done func() bool) {
	t.Helper()
	// Kill also runs after the end of the test's context.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			text, _ := os.ReadFile(log)
			t.Fatalf("the test waited until %s: %v\nthe log of %s is:\n%s", what, ctx.Err(), program, text)
		}
	}
}

// Arrived returns the messages that arrived for recipients of the domain.
func (m *OpenSMTPD) Arrived() (mine []Message) {
	for _, got := range m.sink.Messages() {
		if strings.HasSuffix(got.To[0], "@"+m.Domain) {
			mine = append(mine, got)
		}
	}
	return mine
}
