package mail

import (
	"errors"
	"fmt"
	"net/textproto"
	"testing"

	"enlist/internal/mail/mailtest"
	"enlist/internal/messages"
)

// The tests in this file look at what the replies of a mail server mean for a mail.

// The reply of the mail server decides whether a failure is temporary, permanent or a bounce.
//
// covers: decision 50
func TestReplyDecidesTheKindOfFailure(t *testing.T) {
	const temporary, permanent, bounce = "temporary", "permanent", "bounce"
	for _, c := range []struct {
		stage mailtest.Stage
		code  int
		text  string
		want  string
	}{
		{mailtest.Rcpt, 550, "no such user", bounce},
		{mailtest.Rcpt, 550, "no", permanent},
		{mailtest.Rcpt, 550, "Denied by policy", permanent},
		{mailtest.Rcpt, 550, "Relaying denied", permanent},
		{mailtest.Rcpt, 550, "Ip frequency limited", permanent},
		{mailtest.Rcpt, 550, "5.1.0 <news@example.test> sender rejected", permanent},
		{mailtest.Rcpt, 556, "5.1.10 the domain takes no mail", bounce},
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
		{mailtest.Text, 554, "user unknown", permanent},
		{mailtest.End, 451, "4.3.0 try later", temporary},
	} {
		t.Run(fmt.Sprint(c.stage, " ", c.code, " ", c.text), func(t *testing.T) {
			p := newSMTPFixture(t, mailtest.Options{}, nil)
			p.server.Script(mailtest.Once(c.stage, mailtest.Reply(c.code, c.text)))
			err := p.send(1)
			u, ok := errors.AsType[*messages.Undelivered](err)
			if !ok || u.Code != c.code || u.Detail != c.text {
				t.Fatalf("got the error %v, want the code and the text of the reply", err)
			}
			got := map[bool]string{false: temporary, true: permanent}[u.Permanent]
			if u.Recipient {
				got = bounce
			}
			if got != c.want {
				t.Errorf("the failure is %s, want %s", got, c.want)
			}
			// The connection still works for the next message.
			p.mustSend(2)
			if n := p.server.Seen(mailtest.Greeting); n != 1 || len(p.server.Messages()) != 1 {
				t.Errorf("%d messages arrived over %d connections, want 1 over 1", len(p.server.Messages()), n)
			}
		})
	}
}

// A reply to the recipient asks for fewer mails to its domain, one about the connection or the sender for fewer mails.
//
// covers: decision 63
func TestReplySaysWhichMailsAreTooMany(t *testing.T) {
	for _, c := range []struct {
		stage stage
		code  int
		text  string
		want  messages.Slower
	}{
		{stageRcpt, 451, "4.7.1 too many mails for example.net", messages.SlowerDomain},
		{stageText, 450, "4.7.28 unusual rate", messages.SlowerDomain},
		{stageRcpt, 421, "4.7.0 too many mails", messages.SlowerRelay},
		{stageMail, 421, "too many messages", messages.SlowerRelay},
		{stageMail, 450, "4.7.1 sending limit", messages.SlowerRelay},
		{stageRcpt, 452, "4.2.2 mailbox full", ""},
		{stageRcpt, 550, "5.7.1 blocked", ""},
		{stageConnect, 421, "too many connections", ""}, // the queue waits for the server
	} {
		f := failure{c.stage, &textproto.Error{Code: c.code, Msg: c.text}}
		if got := f.undelivered().Slower; got != c.want {
			t.Errorf("%s: %d %s: slower is %q, want %q", c.stage, c.code, c.text, got, c.want)
		}
	}
}
