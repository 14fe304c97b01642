package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/mail/mailtest"
)

// The tests in this file send mails to a real mail server, OpenSMTPD. They are skipped with
// -short, if OpenSMTPD is not installed, or if they do not run as root.

// openSMTPDTimeout is the time limit of each test. If the server never replies, the test fails
// and does not wait for ever. The limit is long, because the sender can wait for more than a
// minute after each of two kills: up to 40 s for a reply, then up to 30 s until its next attempt.
const openSMTPDTimeout = 5 * time.Minute

// openSMTPD is an OpenSMTPD server that forwards every mail to a mailtest.Server. All OpenSMTPD
// servers of a machine use the same queue, and the queue is not deleted after a test. So each test
// uses its own recipient.
type openSMTPD struct {
	*testing.T
	ctx    context.Context // ends at the end of the test, or after openSMTPDTimeout
	sink   *mailtest.Server
	to     string
	addr   string
	config string
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
	for _, socket := range []string{"/run/smtpd.sock", "/var/run/smtpd.sock"} {
		if c, err := net.Dial("unix", socket); err == nil {
			c.Close()
			t.Skip("OpenSMTPD is already running on this machine, and only one can run at a time: stop it")
		}
	}
	return program
}

// newOpenSMTPD configures an OpenSMTPD server that forwards mails to the server to. The method
// start starts this server. At the end of the test, the server is killed.
func newOpenSMTPD(t *testing.T, program string, to *mailtest.Server) *openSMTPD {
	t.Helper()
	// OpenSMTPD listens on 127.0.0.2. On 127.0.0.1, a connection of another test could use the
	// same port before OpenSMTPD listens on it.
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), openSMTPDTimeout)
	t.Cleanup(cancel)
	m := &openSMTPD{T: t, ctx: ctx, sink: to, to: fmt.Sprintf("ann@%d.example.com", time.Now().UnixNano()), addr: l.Addr().String(), config: filepath.Join(t.TempDir(), "smtpd.conf"), log: filepath.Join(t.TempDir(), "log")}
	_, port, _ := net.SplitHostPort(m.addr)
	text := fmt.Sprintf("listen on 127.0.0.2 port %s hostname mta.example.org\naction \"onward\" relay host %q\nmatch from any for any action \"onward\"\n", port, to.URL())
	if err := os.WriteFile(m.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m.cmd = exec.Command(program, "-d", "-f", m.config)
	t.Cleanup(m.kill)
	return m
}

// start starts the server and waits until it accepts connections.
func (m *openSMTPD) start() {
	m.Helper()
	log, err := os.OpenFile(m.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		m.Fatal(err)
	}
	defer log.Close()
	m.cmd = exec.Command(m.cmd.Path, m.cmd.Args[1:]...)
	m.cmd.Stdout, m.cmd.Stderr = log, log
	if err := m.cmd.Start(); err != nil {
		m.Fatal(err)
	}
	m.until("OpenSMTPD accepts connections", func() bool {
		c, err := net.Dial("tcp", m.addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// kill kills the server and waits until its port is free. The child processes still use the port
// for a short time. If the server is not running, kill does nothing.
func (m *openSMTPD) kill() {
	m.Helper()
	if m.cmd.Process == nil {
		return
	}
	m.cmd.Process.Kill()
	m.cmd.Wait() // returns the error that the process was killed
	m.until("the port is free", func() bool {
		c, err := net.Dial("tcp", m.addr)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
}

// until waits until done returns true. After a minute, until fails the test. what describes the
// condition in the failure message.
func (m *openSMTPD) until(what string, done func() bool) {
	m.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.Context()), time.Minute) // WithoutCancel, because kill also runs after the end of the test's context
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			log, _ := os.ReadFile(m.log)
			m.Fatalf("the test waited until %s: %v\nthe log of OpenSMTPD is:\n%s", what, ctx.Err(), log)
		}
	}
}

// arrived returns the messages whose recipient begins with the given text.
func (m *openSMTPD) arrived(to string) (mine []mailtest.Message) {
	for _, got := range m.sink.Messages() {
		if strings.HasPrefix(got.To[0], to) {
			mine = append(mine, got)
		}
	}
	return mine
}

func (m *openSMTPD) sender(t Transport) sender {
	m.Helper()
	t.SMTP, t.Log = "smtp://"+m.addr, slog.New(slog.DiscardHandler)
	s, err := newSender(t)
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { s.close() })
	return s
}

// The test kills OpenSMTPD and starts it again while messages are sent. Every message must arrive.
// A message that is sent again must have the same Message-ID.
//
// covers: decision 50
func TestOpenSMTPDReceivesEachMessageDespiteKills(t *testing.T) {
	const messages = 200
	program := findOpenSMTPD(t)
	sink := mailtest.Start(t, mailtest.Options{})
	m := newOpenSMTPD(t, program, sink)
	m.start()
	s := m.sender(Transport{})

	var wg sync.WaitGroup
	numbers := make(chan int)
	for range 8 {
		wg.Go(func() {
			for n := range numbers {
				m.sendUntilAccepted(s, n)
			}
		})
	}
	for n := range messages {
		if n == messages/4 || n == messages/2 {
			m.kill()
			m.start()
		}
		numbers <- n
	}
	close(numbers)
	wg.Wait()

	m.until("all messages have arrived", func() bool { return len(ids(m.arrived(m.to))) == messages })
	twice := 0
	for id, n := range ids(m.arrived(m.to)) {
		if !strings.HasSuffix(id, "@example.org") {
			t.Errorf("a message with the Message-ID %q arrived, which the test did not send", id)
		}
		twice += n - 1
	}
	t.Logf("%d messages arrived, and %d of them arrived again", messages, twice)
}

// sendUntilAccepted sends a message. After a temporary failure it sends the message again, as the
// queue does, but without a delay.
func (m *openSMTPD) sendUntilAccepted(s sender, n int) {
	for {
		err := s.send(m.ctx, testMessage(m.T, n, m.to), nil)
		u, ok := errors.AsType[*audience.Undelivered](err)
		switch {
		case err == nil:
			return
		case m.ctx.Err() != nil, ok && u.Permanent, !ok && !errors.Is(err, audience.ErrSendingPaused):
			m.Errorf("message %d failed with %v, want success or a temporary failure", n, err)
			return
		}
	}
}

// If the next server refuses a mail, OpenSMTPD sends a report. The recipient of the report is the
// address with the tag of the delivery. ReadReport must recognise the report as a bounce.
//
// covers: decision 51
func TestBounceOfOpenSMTPDIsUnderstood(t *testing.T) {
	program := findOpenSMTPD(t)
	sink := mailtest.Start(t, mailtest.Options{})
	sink.Script(func(s mailtest.Step) mailtest.Action {
		if s.Stage == mailtest.Rcpt && strings.HasPrefix(s.To[0], "ann@") {
			return mailtest.Reply(550, "5.1.1 no such user")
		}
		return mailtest.Action{}
	})
	m := newOpenSMTPD(t, program, sink)
	m.start()
	s := m.sender(Transport{BounceAddress: "bounces@example.org", Key: reportKey})
	if err := s.send(t.Context(), testMessage(t, 1, m.to), &reported); err != nil {
		t.Fatal(err)
	}
	m.until("the report arrives", func() bool { return len(m.arrived("bounces+")) > 0 })
	report := m.arrived("bounces+")[0]
	if report.From != "" {
		t.Errorf("the envelope sender of the report is %q, want none", report.From)
	}
	got := ReadReport(bytes.NewReader(report.Data), &reportKey, "")
	if got.Kind != BounceReport || got.Delivery != reported || !strings.Contains(got.Detail, "5.1.1") {
		t.Errorf("ReadReport returned %+v, want a bounce with 5.1.1 for the delivery; the report is:\n%s", got, report.Data)
	}
}
