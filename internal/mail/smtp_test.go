package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
	"enlist/internal/mail/mailtest"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// The tests in this file send messages with smtpSender to a mail server that follows a script.

// smtpFixture has a sender with at most two connections, and the server to which it sends.
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
	s, _, err := newSender(transport)
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

// bouncesTo returns settings with a bounce address in a domain.
func bouncesTo(domain string) func() *accounts.Settings {
	return fixedSettings(accounts.Settings{Bounces: accounts.BounceAddress{Local: "bounces", Domain: domain}})
}

// testMessage returns a message with the number n in its Message-ID.
func testMessage(t testing.TB, n int, to string) *composed {
	t.Helper()
	c := &composer{now: func() time.Time { return time.Unix(1767225600, 0) }}
	m, err := c.message(header{from: "list@example.org", to: to, subject: fmt.Sprint("Message ", n)})
	if err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprintf("%d@example.org", n)
	m.header = bytes.Replace(m.header, []byte(m.id), []byte(id), 1)
	m.id, m.text = id, "Hello\n.\nstill here\n"
	return m
}

func (p *smtpFixture) send(n int) error {
	p.Helper()
	return p.sender.send(p.Context(), testMessage(p.T, n, "ann@example.com"), nil)
}

// endPause ends the pause of the circuit breaker, so that the test does not wait for its end.
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

// ids returns the number of messages for each Message-ID.
func ids(arrived []mailtest.Message) map[string]int {
	found := make(map[string]int)
	for _, m := range arrived {
		_, rest, _ := strings.Cut(string(m.Data), "Message-ID: <")
		id, _, _ := strings.Cut(rest, ">")
		found[id]++
	}
	return found
}

// Two messages that are sent one after the other use the same connection.
func TestMessagesShareAConnection(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, nil)
	p.mustSend(1)
	p.mustSend(2)
	arrived := p.server.Messages()
	if len(arrived) != 2 || p.server.Seen(mailtest.Greeting) != 1 {
		t.Fatalf("%d messages arrived over %d connections, want 2 over 1", len(arrived), p.server.Seen(mailtest.Greeting))
	}
	m := arrived[0]
	if m.From != "list@example.org" || len(m.To) != 1 || m.To[0] != "ann@example.com" || !strings.Contains(string(m.Data), "\r\n.\r\nstill here") {
		t.Errorf("the first message is from %q to %q:\n%s\nwant list@example.org, ann@example.com and the complete text", m.From, m.To, m.Data)
	}
}

// The address for bounces contains the tag of the delivery.
//
// covers: decision 51
func TestEnvelopeSenderContainsTheTagOfTheDelivery(t *testing.T) {
	key := enlist.LinkKey{1}
	p := newSMTPFixture(t, mailtest.Options{}, func(o *Transport) { o.settings, o.Key = bouncesTo("example.org"), key })
	about := enlist.DeliveryKey{List: 1, Contact: 2, Time: 1767225600, Cause: "a7"}
	if err := p.sender.send(t.Context(), testMessage(t, 1, "ann@example.com"), &about); err != nil {
		t.Fatal(err)
	}
	p.mustSend(2)
	arrived := p.server.Messages()
	if got, want := arrived[0].From, "bounces+"+key.Tag(about)+"@example.org"; got != want {
		t.Errorf("the envelope sender is %s, want %s", got, want)
	}
	if got := arrived[1].From; got != "bounces@example.org" {
		t.Errorf("the envelope sender of a notification is %s, want bounces@example.org", got)
	}
}

// A bounce address must be so short that the tag of a delivery can be added.
func TestTheTagOfADeliveryFitsIntoABounceAddress(t *testing.T) {
	widest := enlist.DeliveryKey{List: 99_999, Contact: 999_999_999, Time: 9_999_999_999, Cause: messages.CauseAutoresponder(999_999)}
	if n := accounts.MaxBounceLocal + len("+") + len((&enlist.LinkKey{}).Tag(widest)); n > 64 {
		t.Errorf("the longest bounce address has %d characters before the @, want at most 64", n)
	}
}

// The server may close an idle connection. The sender then sends the message over a new connection.
//
// covers: decision 50
func TestClosedConnectionIsReplaced(t *testing.T) {
	for _, c := range []struct {
		name   string
		script func(mailtest.Step) mailtest.Action
	}{
		{"closed without a reply", mailtest.Once(mailtest.Mail, mailtest.Drop())},
		{"closed with 421", mailtest.Once(mailtest.Mail, mailtest.Reply(421, "4.4.2 you were silent for too long"))},
		{"closed at the recipient", mailtest.Once(mailtest.Rcpt, mailtest.Drop())},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newSMTPFixture(t, mailtest.Options{}, nil)
			p.mustSend(1)
			p.server.Script(c.script)
			p.mustSend(2)
			if n := p.server.Seen(mailtest.Greeting); n != 2 {
				t.Errorf("the sender opened %d connections, want 2", n)
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

// If the server may have accepted a message, smtpSender does not send the message again, but
// returns an error. The queue later sends the message again, with the same Message-ID.
//
// covers: decision 50
func TestSenderDoesNotRepeatAMessageThatMayBeAccepted(t *testing.T) {
	for _, c := range []struct {
		stage mailtest.Stage
		kept  int // messages that the server stores at the first attempt
	}{{mailtest.Text, 0}, {mailtest.End, 1}} {
		t.Run(string(c.stage), func(t *testing.T) {
			p := newSMTPFixture(t, mailtest.Options{}, nil)
			p.mustSend(0)
			p.server.Script(mailtest.Once(c.stage, mailtest.Drop()))
			err := p.send(1)
			if u, ok := errors.AsType[*messages.Undelivered](err); !ok || u.Permanent || u.Code != 0 {
				t.Fatalf("got %v, want a temporary failure without a code", err)
			}
			p.mustSend(1)
			all, err := p.server.Wait(t.Context(), c.kept+2) // the server may store the first message shortly after the sender has failed
			if got := ids(all)["1@example.org"]; got != c.kept+1 || err != nil {
				t.Errorf("message 1 arrived %d times, %v, want %d", got, err, c.kept+1)
			}
		})
	}
}

// While the server refuses connections, only one call of send tries to connect. The other calls
// wait, and then return ErrSendingPaused. So the queue counts no attempt for their messages.
//
// covers: decision 50
func TestSendersWaitWhileTheServerIsAway(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, nil)
	p.server.Script(mailtest.Always(mailtest.Greeting, mailtest.Reply(421, "4.3.2 closed")))
	err := p.send(1)
	if u, ok := errors.AsType[*messages.Undelivered](err); !ok || u.Permanent || u.Recipient {
		t.Fatalf("got %v, want a temporary failure", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if err := p.sender.send(ctx, testMessage(t, 2, "ann@example.com"), nil); !errors.Is(err, sending.ErrSendingPaused) {
				t.Errorf("got %v, want ErrSendingPaused", err)
			}
		})
	}
	wg.Wait()
	if n := p.server.Seen(mailtest.Greeting); n != 1 {
		t.Errorf("the senders opened %d connections, want 1", n)
	}
	p.server.Script(nil)
	p.endPause()
	p.mustSend(3)
}

// If a server accepts one connection and refuses further connections, all mails are sent over the
// accepted connection, without a pause.
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

// Only a local part that is not ASCII needs SMTPUTF8. smtpSender converts domains to ASCII, also
// the domain of the bounce address. TestMailCanBeSentToUnusualAddresses checks the domains of
// recipients.
func TestInternationalAddressesNeedSMTPUTF8(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, func(o *Transport) { o.settings = bouncesTo("xn--bcher-kva.example") })
	p.mustSend(1)
	if from := p.server.Messages()[0].From; from != "bounces@xn--bcher-kva.example" {
		t.Errorf("the envelope sender is %s, want its domain in ASCII", from)
	}
	err := p.sender.send(t.Context(), testMessage(t, 2, "änn@example.com"), nil)
	if u, ok := errors.AsType[*messages.Undelivered](err); !ok || !u.Permanent || u.Recipient {
		t.Errorf("without SMTPUTF8: got %v, want a permanent failure", err)
	}
	p = newSMTPFixture(t, mailtest.Options{UTF8: true}, nil)
	if err := p.sender.send(t.Context(), testMessage(t, 3, "änn@example.com"), nil); err != nil {
		t.Errorf("with SMTPUTF8: got %v, want no error", err)
	}
}

// If the rate limit would delay a message beyond its time limit, send returns ErrSendingPaused at
// once. So the queue counts no attempt.
func TestRateLimitCausesNoFailedAttempt(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, func(o *Transport) { o.settings = fixedSettings(accounts.Settings{MailRate: 0.001}) })
	p.mustSend(1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := p.sender.send(ctx, testMessage(t, 2, "ann@example.com"), nil); !errors.Is(err, sending.ErrSendingPaused) {
		t.Errorf("got %v, want ErrSendingPaused at once", err)
	}
}

// The sender closes connections that were idle for some time.
func TestIdleConnectionsAreClosed(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, nil)
	p.mustSend(1)
	p.sender.closeIdle(time.Now().Add(-time.Hour))
	if n := p.sender.open.Load(); n != 1 {
		t.Errorf("%d connections are open, want 1", n)
	}
	p.sender.closeIdle(time.Now())
	if n := p.sender.open.Load(); n != 0 {
		t.Errorf("%d connections are open, want 0", n)
	}
	p.mustSend(2)
}

// If the context ends while a message is being sent, the sender still waits for the reply for a
// short time.
func TestSenderWaitsForTheReplyAfterTheContextEnds(t *testing.T) {
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
		t.Errorf("got %v, want no error", err)
	}
}
