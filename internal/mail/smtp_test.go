package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/mail/mailtest"

	gomail "github.com/wneessen/go-mail"
)

// These tests send through smtpSender to a mail server that follows a script.

// smtpFixture is a sender with two connections, and the server that it sends to.
type smtpFixture struct {
	*testing.T
	server *mailtest.Server
	sender *smtpSender
}

func newSMTPFixture(t *testing.T, o mailtest.Options, change func(*Transport)) *smtpFixture {
	t.Helper()
	p := &smtpFixture{T: t, server: mailtest.Start(t, o)}
	transport := Transport{SMTP: p.server.URL(), Connections: 2, Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&transport)
	}
	s, err := newSender(transport)
	if err != nil {
		t.Fatal(err)
	}
	p.sender = s.(*smtpSender)
	if o.TLS || o.StartTLS {
		p.sender.server.roots = p.server.Roots()
	}
	t.Cleanup(func() { s.close() })
	return p
}

// testMessage makes a message with a Message-ID of its own for each number.
func testMessage(t testing.TB, n int, to string) *gomail.Msg {
	t.Helper()
	m := gomail.NewMsg()
	if err := errors.Join(m.From("list@example.org"), m.To(to)); err != nil {
		t.Fatal(err)
	}
	m.Subject(fmt.Sprint("Message ", n))
	m.SetMessageIDWithValue(fmt.Sprintf("%d@example.org", n))
	m.SetDateWithValue(time.Unix(1767225600, 0))
	m.SetBodyString(gomail.TypeTextPlain, "Hello\r\n.\r\nstill here\r\n")
	return m
}

func (p *smtpFixture) send(n int) error {
	p.Helper()
	return p.sender.send(p.Context(), testMessage(p.T, n, "ann@example.com"), nil)
}

// endPause ends the pause of the circuit breaker now, so that the test need not
// wait for it.
func (p *smtpFixture) endPause() {
	b := p.sender.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	b.retryAt = time.Now()
	close(b.changed)
	b.changed = make(chan struct{})
}

func (p *smtpFixture) mustSend(n int) {
	p.Helper()
	if err := p.send(n); err != nil {
		p.Fatalf("message %d: %v", n, err)
	}
}

// ids counts the messages that arrived, by Message-ID.
func ids(messages []mailtest.Message) map[string]int {
	found := make(map[string]int)
	for _, m := range messages {
		_, rest, _ := strings.Cut(string(m.Data), "Message-ID: <")
		id, _, _ := strings.Cut(rest, ">")
		found[id]++
	}
	return found
}

// Messages that are sent one after another share a connection.
func TestMessagesShareAConnection(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, nil)
	p.mustSend(1)
	p.mustSend(2)
	messages := p.server.Messages()
	if len(messages) != 2 || p.server.Seen(mailtest.Greeting) != 1 {
		t.Fatalf("%d messages on %d connections, want 2 on 1", len(messages), p.server.Seen(mailtest.Greeting))
	}
	m := messages[0]
	if m.From != "list@example.org" || len(m.To) != 1 || m.To[0] != "ann@example.com" || !strings.Contains(string(m.Data), "\r\n.\r\nstill here") {
		t.Errorf("got %q %q\n%s", m.From, m.To, m.Data)
	}
}

// The address for bounces names the delivery.
//
// covers: decision 51
func TestEnvelopeSenderNamesTheDelivery(t *testing.T) {
	key := audience.LinkKey{1}
	p := newSMTPFixture(t, mailtest.Options{}, func(o *Transport) { o.BounceAddress, o.Key = "bounces@example.org", key })
	about := audience.DeliveryKey{List: 1, Contact: 2, Time: 1767225600, Cause: "a7"}
	if err := p.sender.send(t.Context(), testMessage(t, 1, "ann@example.com"), &about); err != nil {
		t.Fatal(err)
	}
	p.mustSend(2)
	messages := p.server.Messages()
	if got, want := messages[0].From, "bounces+"+key.Tag(about)+"@example.org"; got != want {
		t.Errorf("from %s, want %s", got, want)
	}
	if got := messages[1].From; got != "bounces@example.org" {
		t.Errorf("a notification is from %s", got)
	}
}

// A bounce address must leave room for the name of a delivery.
func TestWrongBounceAddressIsRefused(t *testing.T) {
	widest := audience.DeliveryKey{List: 99_999, Contact: 999_999_999, Time: 9_999_999_999, Cause: audience.CauseAutoresponder(999_999)}
	if n := maxBounceLocal + len("+") + len((&audience.LinkKey{}).Tag(widest)); n > 64 {
		t.Errorf("%d characters before the @", n)
	}
	for _, c := range []struct{ name, address string }{
		{"no domain", "bounces"},
		{"no local part", "@example.org"},
		{"a quoted local part", `"a b"@example.org`},
		{"a local part that is too long", "newsletter-bounces@example.org"},
		{"two @", "a@b@c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := newEncoder(Transport{BounceAddress: c.address}); err == nil {
				t.Errorf("%s was accepted", c.address)
			}
		})
	}
}

// A reply decides whether a failure is temporary, permanent or a bounce.
//
// covers: decision 50
func TestReplyDecidesWhatFailed(t *testing.T) {
	const temporary, permanent, bounce = "temporary", "permanent", "bounce"
	for _, c := range []struct {
		stage mailtest.Stage
		code  int
		text  string
		want  string
	}{
		{mailtest.Rcpt, 550, "nobody here", bounce},
		{mailtest.Rcpt, 550, "5.1.1 nobody here", bounce},
		{mailtest.Rcpt, 552, "5.2.2 mailbox full", bounce},
		{mailtest.Rcpt, 501, "5.1.3 bad address", bounce},
		{mailtest.Rcpt, 550, "5.7.1 blocked", permanent},
		{mailtest.Rcpt, 554, "5.7.1 relay access denied", permanent},
		{mailtest.Rcpt, 550, "5.1.8 the sender's domain does not exist", permanent},
		{mailtest.Rcpt, 503, "bad sequence", permanent},
		{mailtest.Rcpt, 530, "log in first", permanent},
		{mailtest.Rcpt, 451, "4.7.1 greylisted", temporary},
		{mailtest.Rcpt, 452, "4.2.2 mailbox full", temporary},
		{mailtest.Mail, 550, "5.1.1 unknown address", permanent},
		{mailtest.Mail, 452, "4.3.1 disk full", temporary},
		{mailtest.Text, 554, "5.6.0 bad content", permanent},
		{mailtest.Text, 550, "5.1.1 nobody here after all", bounce},
		{mailtest.Text, 552, "5.2.3 too long", permanent},
		{mailtest.Text, 554, "no", permanent},
		{mailtest.End, 451, "4.3.0 try later", temporary},
	} {
		t.Run(fmt.Sprint(c.stage, " ", c.code, " ", c.text), func(t *testing.T) {
			p := newSMTPFixture(t, mailtest.Options{}, nil)
			p.server.Script(mailtest.Once(c.stage, mailtest.Reply(c.code, c.text)))
			err := p.send(1)
			u, ok := errors.AsType[*audience.Undelivered](err)
			if !ok || u.Code != c.code || u.Detail != c.text {
				t.Fatalf("got %v", err)
			}
			got := map[bool]string{false: temporary, true: permanent}[u.Permanent]
			if u.Recipient {
				got = bounce
			}
			if got != c.want {
				t.Errorf("it counts as %s, want %s", got, c.want)
			}
			// The connection still works for the next message.
			p.mustSend(2)
			if n := p.server.Seen(mailtest.Greeting); n != 1 || len(p.server.Messages()) != 1 {
				t.Errorf("%d connections, %d messages", n, len(p.server.Messages()))
			}
		})
	}
}

// The server may close an idle connection. The message is then sent on a new one.
//
// covers: decision 50
func TestClosedConnectionIsReplaced(t *testing.T) {
	for _, c := range []struct {
		name   string
		script func(mailtest.Step) mailtest.Action
	}{
		{"broken off", mailtest.Once(mailtest.Mail, mailtest.Drop())},
		{"closed with 421", mailtest.Once(mailtest.Mail, mailtest.Reply(421, "4.4.2 you were silent for too long"))},
		{"broken off at the recipient", mailtest.Once(mailtest.Rcpt, mailtest.Drop())},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newSMTPFixture(t, mailtest.Options{}, nil)
			p.mustSend(1)
			p.server.Script(c.script)
			p.mustSend(2)
			if n := p.server.Seen(mailtest.Greeting); n != 2 {
				t.Errorf("%d connections, want 2", n)
			}
		})
	}
	t.Run("the server was restarted", func(t *testing.T) {
		p := newSMTPFixture(t, mailtest.Options{}, nil)
		p.mustSend(1)
		p.server.Stop()
		if err := p.server.Resume(); err != nil {
			t.Fatal(err)
		}
		p.mustSend(2)
	})
}

// A message that the server may have accepted is not sent again here. The queue
// sends it again, with the same Message-ID.
//
// covers: decision 50
func TestMessageThatMayBeAcceptedIsNotRepeated(t *testing.T) {
	for _, c := range []struct {
		stage mailtest.Stage
		kept  int // messages that the server stores at the first attempt
	}{{mailtest.Text, 0}, {mailtest.End, 1}} {
		t.Run(string(c.stage), func(t *testing.T) {
			p := newSMTPFixture(t, mailtest.Options{}, nil)
			p.mustSend(0)
			p.server.Script(mailtest.Once(c.stage, mailtest.Drop()))
			err := p.send(1)
			if u, ok := errors.AsType[*audience.Undelivered](err); !ok || u.Permanent || u.Code != 0 {
				t.Fatalf("got %v", err)
			}
			p.mustSend(1)
			all, err := p.server.Wait(t.Context(), c.kept+2) // the server may store the first one a moment later
			if got := ids(all)["1@example.org"]; got != c.kept+1 || err != nil {
				t.Errorf("it arrived %d times, want %d", got, c.kept+1)
			}
		})
	}
}

// While the server does not answer, one sender tries it. The others wait, and
// their messages do not count as attempted.
//
// covers: decision 50
func TestSendersWaitWhileTheServerIsAway(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, nil)
	p.server.Script(mailtest.Always(mailtest.Greeting, mailtest.Reply(421, "4.3.2 closed")))
	err := p.send(1)
	if u, ok := errors.AsType[*audience.Undelivered](err); !ok || u.Permanent || u.Recipient {
		t.Fatalf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if err := p.sender.send(ctx, testMessage(t, 2, "ann@example.com"), nil); !errors.Is(err, audience.ErrSendingPaused) {
				t.Errorf("got %v, want ErrSendingPaused", err)
			}
		})
	}
	wg.Wait()
	if n := p.server.Seen(mailtest.Greeting); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	p.server.Script(nil)
	p.endPause()
	p.mustSend(3)
}

// A server that refuses further connections gets the mails over those that it
// accepted, without a pause.
//
// covers: decision 50
func TestServerLimitOfConnectionsIsRespected(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, func(o *Transport) { o.Connections = 4 })
	p.server.Script(func(s mailtest.Step) mailtest.Action {
		if s.Stage == mailtest.Greeting && s.N > 0 {
			return mailtest.Reply(421, "4.7.0 too many connections")
		}
		return mailtest.Action{}
	})
	p.mustSend(0)
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			if err := p.sender.send(t.Context(), testMessage(t, n+1, "ann@example.com"), nil); err != nil {
				t.Errorf("message %d: %v", n+1, err)
			}
		})
	}
	wg.Wait()
	if n := len(ids(p.server.Messages())); n != 21 {
		t.Errorf("%d messages arrived, want 21", n)
	}
}

// Only the local part of an address needs SMTPUTF8: domains are in ASCII, also
// that of the bounce address. TestUnusualAddressesCanBeWrittenTo has recipients.
func TestInternationalAddressesNeedSMTPUTF8(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, func(o *Transport) { o.BounceAddress = "bounces@bücher.example" })
	p.mustSend(1)
	if from := p.server.Messages()[0].From; from != "bounces@xn--bcher-kva.example" {
		t.Errorf("envelope sender %s, want its domain in ASCII", from)
	}
	err := p.sender.send(t.Context(), testMessage(t, 2, "änn@example.com"), nil)
	if u, ok := errors.AsType[*audience.Undelivered](err); !ok || !u.Permanent || u.Recipient {
		t.Errorf("without SMTPUTF8: got %v, want a permanent failure", err)
	}
	p = newSMTPFixture(t, mailtest.Options{UTF8: true}, nil)
	if err := p.sender.send(t.Context(), testMessage(t, 3, "änn@example.com"), nil); err != nil {
		t.Errorf("with SMTPUTF8: %v", err)
	}
}

// A message that would wait longer than its time limit fails at once, and does
// not count as attempted.
func TestRateLimitDelaysWithoutAnAttempt(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, func(o *Transport) { o.Rate = 0.001 })
	p.mustSend(1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := p.sender.send(ctx, testMessage(t, 2, "ann@example.com"), nil); !errors.Is(err, audience.ErrSendingPaused) {
		t.Errorf("got %v, want ErrSendingPaused at once", err)
	}
}

// Connections that are unused for some time are closed.
func TestIdleConnectionsAreClosed(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, nil)
	p.mustSend(1)
	p.sender.closeIdle(time.Now().Add(-time.Hour))
	if n := p.sender.open.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	p.sender.closeIdle(time.Now())
	if n := p.sender.open.Load(); n != 0 {
		t.Errorf("%d connections, want 0", n)
	}
	p.mustSend(2)
}

// A message that is under way when its context ends may still be finished.
func TestMessageUnderWayIsFinished(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	p.server.Script(func(s mailtest.Step) mailtest.Action {
		if s.Stage == mailtest.End {
			cancel()
			return mailtest.Wait(50 * time.Millisecond)
		}
		return mailtest.Action{}
	})
	if err := p.sender.send(ctx, testMessage(t, 1, "ann@example.com"), nil); err != nil {
		t.Errorf("got %v", err)
	}
}
