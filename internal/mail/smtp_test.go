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

// post is a sender to a mail server of the test.
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

// letter makes a message. Its number makes it one of its kind.
func testMessage(t testing.TB, n int, to string) *gomail.Msg {
	t.Helper()
	m := gomail.NewMsg()
	if err := errors.Join(m.From("list@example.org"), m.To(to)); err != nil {
		t.Fatal(err)
	}
	m.Subject(fmt.Sprint("Letter ", n))
	m.SetMessageIDWithValue(fmt.Sprintf("%d@example.org", n))
	m.SetDateWithValue(time.Unix(1767225600, 0))
	m.SetBodyString(gomail.TypeTextPlain, "Hello\r\n.\r\nstill here\r\n")
	return m
}

func (p *smtpFixture) send(n int) error {
	p.Helper()
	return p.sender.send(p.Context(), testMessage(p.T, n, "ann@example.com"), nil)
}

func (p *smtpFixture) mustSend(n int) {
	p.Helper()
	if err := p.send(n); err != nil {
		p.Fatalf("message %d: %v", n, err)
	}
}

// ids are the Message-IDs that arrived, and how often.
func ids(messages []mailtest.Message) map[string]int {
	found := make(map[string]int)
	for _, m := range messages {
		_, rest, _ := strings.Cut(string(m.Data), "Message-ID: <")
		id, _, _ := strings.Cut(rest, ">")
		found[id]++
	}
	return found
}

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

func TestWrongBounceAddressIsRefused(t *testing.T) {
	widest := audience.DeliveryKey{List: 99_999, Contact: 999_999_999, Time: 9_999_999_999, Cause: audience.CauseAutoresponder(999_999)}
	if n := maxBounceLocal + len("+") + len((&audience.LinkKey{}).Tag(widest)); n > 64 {
		t.Errorf("%d characters before the @", n)
	}
	for _, address := range []string{"bounces", "@example.org", "\"a b\"@example.org", "newsletter-bounces@example.org", "a@b@c"} {
		if _, err := newEncoder(Transport{BounceAddress: address}); err == nil {
			t.Errorf("%s was taken", address)
		}
	}
}

// Each reply counts for what it blames.
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
		{mailtest.Mail, 550, "5.1.1 whom does that mean", permanent},
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
			// The connection is good for the next one.
			p.mustSend(2)
			if n := p.server.Seen(mailtest.Greeting); n != 1 || len(p.server.Messages()) != 1 {
				t.Errorf("%d connections, %d messages", n, len(p.server.Messages()))
			}
		})
	}
}

// A connection that the server has ended meanwhile is no failed attempt.
//
// covers: decision 50
func TestClosedConnectionIsReplaced(t *testing.T) {
	for name, script := range map[string]func(mailtest.Step) mailtest.Action{
		"broken":     mailtest.Once(mailtest.Mail, mailtest.Drop()),
		"said so":    mailtest.Once(mailtest.Mail, mailtest.Reply(421, "4.4.2 you were silent for too long")),
		"at address": mailtest.Once(mailtest.Rcpt, mailtest.Drop()),
	} {
		t.Run(name, func(t *testing.T) {
			p := newSMTPFixture(t, mailtest.Options{}, nil)
			p.mustSend(1)
			p.server.Script(script)
			p.mustSend(2)
			if n := p.server.Seen(mailtest.Greeting); n != 2 {
				t.Errorf("%d connections, want 2", n)
			}
		})
	}
	t.Run("the server went away and came back", func(t *testing.T) {
		p := newSMTPFixture(t, mailtest.Options{}, nil)
		p.mustSend(1)
		p.server.Stop()
		if err := p.server.Resume(); err != nil {
			t.Fatal(err)
		}
		p.mustSend(2)
	})
}

// What may have been accepted is never sent again here: the queue does that,
// with the same Message-ID.
//
// covers: decision 50
func TestMessageThatMayBeAcceptedIsNotRepeated(t *testing.T) {
	for _, c := range []struct {
		stage mailtest.Stage
		kept  int // of the first try
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
			all, err := p.server.Wait(t.Context(), c.kept+2) // what was broken off may be kept a moment later
			if got := ids(all)["1@example.org"]; got != c.kept+1 || err != nil {
				t.Errorf("it arrived %d times, want %d", got, c.kept+1)
			}
		})
	}
}

// While the server is away one tries, and the others wait and have not tried.
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
				t.Errorf("got %v, want ErrPaused", err)
			}
		})
	}
	wg.Wait()
	if n := p.server.Seen(mailtest.Greeting); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	p.server.Script(nil)
	p.mustSend(3) // when the pause is over
}

// A server that wants fewer connections gets fewer, without a pause.
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

// How a server is spoken with, and what is refused.
//
// covers: decision 50
func TestTLSAndLogin(t *testing.T) {
	login := mailtest.Options{User: "me@example.org", Password: "p@ss/word:%"}
	for name, c := range map[string]struct {
		options mailtest.Options
		change  func(*mailServer)
		want    string // of the error; "" when it is sent
	}{
		"STARTTLS":             {mailtest.Options{StartTLS: true}, nil, ""},
		"TLS":                  {mailtest.Options{TLS: true}, nil, ""},
		"login":                {login, nil, ""},
		"login after STARTTLS": {mailtest.Options{User: "a", Password: "b", StartTLS: true}, nil, ""},
		"login with TLS":       {mailtest.Options{User: "a", Password: "b", TLS: true}, nil, ""},
		"wrong password":       {login, func(s *mailServer) { s.password = "x" }, "535"},
		"certificate of nobody, TLS": {mailtest.Options{TLS: true}, func(s *mailServer) { s.roots = nil },
			"certificate"},
		"certificate of nobody, on this machine": {mailtest.Options{StartTLS: true}, func(s *mailServer) { s.roots = nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newSMTPFixture(t, c.options, nil)
			if c.change != nil {
				c.change(&p.sender.server)
			}
			err := p.send(1)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			u, ok := errors.AsType[*audience.Undelivered](err)
			if !ok || u.Permanent || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Away from this machine no password goes out in the clear, and no certificate
// of somebody else will do.
//
// covers: decision 50
func TestPasswordNeedsTLSAwayFromThisMachine(t *testing.T) {
	far := func(o mailtest.Options) *smtpFixture {
		p := newSMTPFixture(t, o, nil)
		p.sender.server.loopback = false
		return p
	}
	p := far(mailtest.Options{User: "a", Password: "b"})
	if err := p.send(1); err == nil || !strings.Contains(err.Error(), "which the password needs") {
		t.Errorf("got %v", err)
	}
	p = far(mailtest.Options{User: "a", Password: "b", StartTLS: true})
	p.mustSend(1)
	p = far(mailtest.Options{StartTLS: true})
	p.sender.server.roots = nil
	if err := p.send(1); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
	for host, loopback := range map[string]bool{"localhost": true, "127.0.0.1": true, "127.0.0.2": true, "[::1]": true, "mail.example.com": false, "192.0.2.1": false} {
		if s, err := parseServer("smtp://" + host); err != nil || s.loopback != loopback {
			t.Errorf("%s: loopback %v, %v", host, s.loopback, err)
		}
	}
}

func TestServerURLIsParsed(t *testing.T) {
	for text, want := range map[string]mailServer{
		"smtp://mail.example.com":            {host: "mail.example.com", port: 25},
		"smtp://localhost:2525/":             {host: "localhost", port: 2525, loopback: true},
		"smtp://[::1]:25":                    {host: "::1", port: 25, loopback: true},
		"smtp://me:p%40ss@mail.example.com":  {host: "mail.example.com", port: 587, user: "me", password: "p@ss"},
		"smtps://me:x@mail.example.com":      {host: "mail.example.com", port: 465, tls: true, user: "me", password: "x"},
		"smtps://me%40a.b:x@mail.example:99": {host: "mail.example", port: 99, tls: true, user: "me@a.b", password: "x"},
	} {
		if got, err := parseServer(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "mail.example.com", "localhost:25", "http://a", "smtp://", "smtp://:25", "smtp://a/b", "smtp://a?b",
		"smtp://me@a", "smtp://:s3cret@a", "smtp://a:s3cret", "smtp://me:s3cret%@a", "smtp://a:0", "smtp://a:70000", "smtp://me:s3 cret@a"} {
		if _, err := parseServer(text); err == nil || strings.Contains(err.Error(), "s3") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestInternationalAddressesNeedSMTPUTF8(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, nil)
	if err := p.sender.send(t.Context(), testMessage(t, 1, "ann@bücher.example"), nil); err != nil {
		t.Error(err)
	} else if to := p.server.Messages()[0].To[0]; to != "ann@xn--bcher-kva.example" {
		t.Errorf("to %s", to)
	}
	err := p.sender.send(t.Context(), testMessage(t, 2, "änn@example.com"), nil)
	if u, ok := errors.AsType[*audience.Undelivered](err); !ok || !u.Permanent || u.Recipient {
		t.Errorf("without SMTPUTF8: %v", err)
	}
	p = newSMTPFixture(t, mailtest.Options{UTF8: true}, nil)
	if err := p.sender.send(t.Context(), testMessage(t, 3, "änn@example.com"), nil); err != nil {
		t.Error(err)
	}
}

func TestRateLimitDelaysWithoutAnAttempt(t *testing.T) {
	p := newSMTPFixture(t, mailtest.Options{}, func(o *Transport) { o.Rate = 0.5 })
	p.mustSend(1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := p.sender.send(ctx, testMessage(t, 2, "ann@example.com"), nil); !errors.Is(err, audience.ErrSendingPaused) {
		t.Errorf("got %v, want ErrPaused at once", err)
	}
}

// Connections that nobody uses are ended, and at the end all are.
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

// What is under way when its time is over gets a moment to end well.
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
