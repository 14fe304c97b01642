package mail

import (
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"strings"

	"enlist/internal/language"
)

// This file tries the mail server, so that the operator sees a wrong setting before the first mail fails. It uses a
// connection of its own: a trial neither waits for the mails of others nor counts as one.

// Trial says how far the mail server accepted a trial.
type Trial struct {
	Server string // host and port
	TLS    bool   // the connection is encrypted
	User   string // the server accepted the login of this user; "": there is none
	Sender string // the server accepted this envelope sender; "": there is none yet
	Reply  string // answer to the mail; "" if none was sent
}

// TryServer connects to the mail server, starts TLS, logs in, and names the sender of the server as sender and
// recipient of a mail that it does not send. It returns nil if mails are written into a folder. Without a setting
// mail-from it names none.
func (m *Mailer) TryServer(ctx context.Context) (*Trial, error) {
	s, ok := m.sender.(*smtpSender)
	if !ok {
		return nil, nil
	}
	from := m.composer.defaultSender()
	if from == "" {
		return s.try(ctx, nil, false)
	}
	e, err := m.trialMail(ctx, s, from)
	if err != nil {
		return nil, err
	}
	return s.try(ctx, e, false)
}

// SendTrial sends one mail to an address and returns what the server answered.
func (m *Mailer) SendTrial(ctx context.Context, to string) (*Trial, error) {
	s, ok := m.sender.(*smtpSender)
	if !ok {
		return nil, errors.New("there is no mail server: set it with --smtp or ENLIST_SMTP")
	}
	e, err := m.trialMail(ctx, s, to)
	if err != nil {
		return nil, err
	}
	return s.try(ctx, e, true)
}

// trialMail returns a mail from the sender of the server.
func (m *Mailer) trialMail(ctx context.Context, s *smtpSender, to string) (*envelope, error) {
	in := m.composer.texts.For(language.English, "")
	mail, err := m.composer.ofServer(to, &builtIn{Language: in.Code, Title: in.Text("owner.trial.title"),
		Heading: in.Text("owner.trial.title"), Before: in.Text("owner.trial.body")})
	if err != nil {
		return nil, err
	}
	return s.encoder.encode(ctx, mail, nil)
}

// try connects and sends the commands of a mail. With send false it ends before DATA. The Trial shows what was accepted
// before an error.
func (s *smtpSender) try(ctx context.Context, e *envelope, send bool) (*Trial, error) {
	ctx, cancel := context.WithTimeout(ctx, messageTime)
	defer cancel()
	t := &Trial{Server: s.server.relay()}
	c, err := s.server.dial(ctx)
	if err != nil {
		return t, fmt.Errorf("connect to the mail server %s: %w", t.Server, shortError{err})
	}
	defer c.close()
	_, startedTLS := c.client.TLSConnectionState()
	t.TLS, t.User = s.server.tls || startedTLS, s.server.user
	if e == nil {
		return t, nil
	}
	if send {
		if failed := c.deliver(ctx, e); failed != nil {
			return t, failed.described()
		}
		t.Sender, t.Reply = e.from, Shorten(c.reply)
		return t, nil
	}
	// A server may report a refused sender only as its answer to the recipient.
	for _, cmd := range []command{{stageMail, "MAIL FROM:" + e.from, 250}, {stageRcpt, "RCPT TO:" + e.to, 25}} {
		if failed := c.run(ctx, []command{cmd}); failed != nil {
			return t, fmt.Errorf("sender %s: %w", strings.Trim(e.from, "<>"), failed.described())
		}
	}
	t.Sender = e.from
	return t, c.client.Reset()
}

// described returns the failure for a person: the stage, and the reply of the mail server or the error.
func (f *failure) described() error {
	if reply, ok := errors.AsType[*textproto.Error](f.err); ok {
		return fmt.Errorf("%s: the mail server answered %d %s", f.stage, reply.Code, Shorten(reply.Msg))
	}
	return fmt.Errorf("%s: %w", f.stage, shortError{f.err})
}

// String describes an accepted trial in one line, without the password.
func (t *Trial) String() string {
	text := "the mail server " + t.Server + " answers"
	if t.TLS {
		text += ", with TLS"
	} else {
		text += ", without TLS"
	}
	if t.User != "" {
		text += ", accepts the login of " + url.PathEscape(t.User)
	}
	if t.Sender != "" {
		text += ", and accepts the sender " + strings.Trim(t.Sender, "<>")
	}
	return text
}
