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

// openSMTPD is OpenSMTPD on this machine, which passes everything on to a mail
// server of the test. Its queue is the machine's, and survives the test: each
// writes to an address of its own.
type openSMTPD struct {
	*testing.T
	sink   *mailtest.Server
	to     string
	addr   string
	config string
	log    string
	cmd    *exec.Cmd
}

// newOpenSMTPD skips the test where it cannot run.
func newOpenSMTPD(t *testing.T, to *mailtest.Server) *openSMTPD {
	t.Helper()
	program, err := exec.LookPath("smtpd")
	if err != nil {
		program = "/usr/sbin/smtpd"
	}
	if _, err := os.Stat(program); err != nil {
		t.Skip("OpenSMTPD is not installed: apt-get install opensmtpd")
	}
	if os.Geteuid() != 0 {
		t.Skip("OpenSMTPD has to be started as root")
	}
	for _, socket := range []string{"/run/smtpd.sock", "/var/run/smtpd.sock"} {
		if c, err := net.Dial("unix", socket); err == nil {
			c.Close()
			t.Skip("OpenSMTPD runs on this machine already, and there can be one only")
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := &openSMTPD{T: t, sink: to, to: fmt.Sprintf("ann@%d.example.com", time.Now().UnixNano()), addr: l.Addr().String(), config: filepath.Join(t.TempDir(), "smtpd.conf"), log: filepath.Join(t.TempDir(), "log")}
	_, port, _ := net.SplitHostPort(m.addr)
	text := fmt.Sprintf("listen on 127.0.0.1 port %s hostname mta.example.org\naction \"onward\" relay host %q\nmatch from any for any action \"onward\"\n", port, to.URL())
	if err := os.WriteFile(m.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m.cmd = exec.Command(program, "-d", "-f", m.config)
	return m
}

// start starts it, and waits until it answers.
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
	m.until("it answers", func() bool {
		c, err := net.Dial("tcp", m.addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// kill ends it at once, and waits until it answers no more: its processes hold
// on to the port for a moment.
func (m *openSMTPD) kill() {
	m.Helper()
	m.cmd.Process.Kill()
	m.cmd.Wait() // says that it was killed
	m.until("it is gone", func() bool {
		c, err := net.Dial("tcp", m.addr)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
}

// until waits for a process of the machine.
func (m *openSMTPD) until(what string, done func() bool) {
	m.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.Context()), 20*time.Second) // at the test's end too
	defer cancel()
	for tick := time.NewTicker(20 * time.Millisecond); !done(); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			log, _ := os.ReadFile(m.log)
			m.Fatalf("waiting until %s: %v\n%s", what, ctx.Err(), log)
		}
	}
}

// arrived are the messages to an address that begins so.
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

// TestOpenSMTPDReceivesEachMessageDespiteKills sends through OpenSMTPD, which is killed and started again in
// between. Everything arrives; what is sent again has the Message-ID of the
// first time.
//
// covers: decision 50
func TestOpenSMTPDReceivesEachMessageDespiteKills(t *testing.T) {
	const letters = 200
	sink := mailtest.Start(t, mailtest.Options{})
	m := newOpenSMTPD(t, sink)
	m.start()
	t.Cleanup(m.kill)
	s := m.sender(Transport{})

	var wg sync.WaitGroup
	numbers := make(chan int)
	for range 8 {
		wg.Go(func() {
			for n := range numbers {
				m.sendUntilTaken(s, n)
			}
		})
	}
	for n := range letters {
		if n == letters/4 || n == letters/2 {
			m.kill()
			m.start()
		}
		numbers <- n
	}
	close(numbers)
	wg.Wait()

	m.until("all have arrived", func() bool { return len(ids(m.arrived(m.to))) == letters })
	twice := 0
	for id, n := range ids(m.arrived(m.to)) {
		if !strings.HasSuffix(id, "@example.org") {
			t.Errorf("Message-ID %q is not one that was sent", id)
		}
		twice += n - 1
	}
	t.Logf("%d letters, %d sent again", letters, twice)
}

// sendUntilTaken does what the queue does, at once.
func (m *openSMTPD) sendUntilTaken(s sender, n int) {
	for {
		err := s.send(m.Context(), testMessage(m.T, n, m.to), nil)
		u, ok := errors.AsType[*audience.Undelivered](err)
		switch {
		case err == nil:
			return
		case m.Context().Err() != nil, ok && u.Permanent, !ok && !errors.Is(err, audience.ErrSendingPaused):
			m.Errorf("letter %d: %v", n, err)
			return
		}
	}
}

// TestBounceOfOpenSMTPDIsUnderstood has OpenSMTPD report what the next mail server refuses: the
// report comes to the address that names the delivery, and is understood.
//
// covers: decision 51
func TestBounceOfOpenSMTPDIsUnderstood(t *testing.T) {
	sink := mailtest.Start(t, mailtest.Options{})
	sink.Script(func(s mailtest.Step) mailtest.Action {
		if s.Stage == mailtest.Rcpt && strings.HasPrefix(s.To[0], "ann@") {
			return mailtest.Reply(550, "5.1.1 nobody here")
		}
		return mailtest.Action{}
	})
	m := newOpenSMTPD(t, sink)
	m.start()
	t.Cleanup(m.kill)
	s := m.sender(Transport{BounceAddress: "bounces@example.org", Key: reportKey})
	if err := s.send(t.Context(), testMessage(t, 1, m.to), &reported); err != nil {
		t.Fatal(err)
	}
	m.until("the report comes", func() bool { return len(m.arrived("bounces+")) > 0 })
	report := m.arrived("bounces+")[0]
	if report.From != "" {
		t.Errorf("from %q", report.From)
	}
	got := ReadReport(bytes.NewReader(report.Data), &reportKey, "")
	if got.Kind != BounceReport || got.Delivery != reported || !strings.Contains(got.Detail, "5.1.1") {
		t.Errorf("got %+v of\n%s", got, report.Data)
	}
}
