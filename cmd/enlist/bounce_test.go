package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"
)

// This test runs enlist bounce with reports about mails that the service sent.

// The service sends mails through a mail server. The test passes reports about these mails to enlist bounce. The
// envelope sender of the mail is the To address of the report or the flag --recipient. The third bounce deactivates a
// Contact, and a complaint unsubscribes a Contact.
//
// covers: decision 51
func TestBounceCommandRecordsReports(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server := mailtest.Start(t, mailtest.Options{})
	c := newCrash(t, dbtest.SQLite, server.URL())
	setSettings(t, c.db, map[string]string{"bounce-address": "bounces@example.org"})
	defer c.start()()
	message := must(c.client.AddMessage(ctx, api.Details{"type": "email", "name": "Hello", "subject": "Hello", "text_content": "Hello"}))(t)
	for range 3 {
		must(c.client.AddAutoresponder(ctx, api.Details{"list_id": 1, "message_id": message, "event_type": "subscribe"}))(t)
	}
	ann := must(c.client.SubscribeContact(ctx, 1, api.Details{"Email": "ann@example.com"}, api.Consent{}))(t)
	messages := must(server.Wait(ctx, 3))(t)

	for i, m := range messages[:3] {
		if !strings.HasPrefix(m.From, "bounces+1-") {
			t.Fatalf("the envelope sender is %s, want bounces+1-…", m.From)
		}
		c.pipe(0, "nothing to do: it reports no permanent failure", report(m.From, "delayed", "4.4.1"))
		c.pipe(0, "nothing to do: it does not name a message", report(strings.Replace(m.From, "+1-", "+2-", 1), "failed", "5.1.1"))
		if got := c.flags(ann); !got.IsActive {
			t.Fatalf("the Contact is deactivated after %d bounces, want 3", i)
		}
		c.pipe(0, "recorded a bounce", report("x@example.org", "failed", "5.1.1"), "--recipient", m.From)
		c.pipe(0, "nothing to do: the bounce", report(m.From, "failed", "5.1.1"))
	}
	if got := c.flags(ann); got.IsActive || !got.IsBounceDeactivated || got.IsUnsubscribed {
		t.Errorf("after three bounces: got %+v, want is_bounce_deactivated true, is_active and is_unsubscribed false",
			got)
	}

	bob := must(c.client.SubscribeContact(ctx, 1, api.Details{"Email": "bob@example.com"}, api.Consent{}))(t)
	for _, m := range must(server.Wait(ctx, 6))(t)[3:4] {
		c.pipe(0, "recorded a complaint", strings.NewReplacer("delivery-status", "feedback-report", "\r\n\r\nAction", "\r\nFeedback-Type: abuse\r\nAction").Replace(report(m.From, "", "")))
	}
	if got := c.flags(bob); !got.IsUnsubscribed || !got.IsActive {
		t.Errorf("after a complaint: got %+v, want is_unsubscribed and is_active both true", got)
	}

	carl := must(c.client.SubscribeContact(ctx, 1, api.Details{"Email": "carl@example.com"}, api.Consent{}))(t)
	for _, m := range must(server.Wait(ctx, 9))(t)[6:9] {
		c.pipe(0, "recorded a refusal", sample(t, "blamed-dmarc", m.From))
		if got := c.flags(carl); !got.IsActive {
			t.Errorf("refusals for DMARC deactivated the Contact: %+v", got)
		}
	}
	for _, m := range must(server.Wait(ctx, 9))(t)[6:9] {
		c.pipe(0, "recorded a bounce", sample(t, "missed-qmail-text", m.From))
	}
	if got := c.flags(carl); !got.IsBounceDeactivated {
		t.Errorf("three bounces that are plain text did not deactivate the Contact: %+v", got)
	}

	dora := must(c.client.SubscribeContact(ctx, 1, api.Details{"Email": "dora@example.com"}, api.Consent{}))(t)
	mail := must(server.Wait(ctx, 12))(t)[9]
	_, to, _ := strings.Cut(strings.ReplaceAll(string(mail.Data), "\r\n", ""), "<mailto:")
	to, subject, _ := strings.Cut(to[:strings.Index(to, ">")], "?subject=")
	c.pipe(0, "recorded a request to unsubscribe", "To: "+to+"\r\nSubject: "+subject+"\r\n\r\n")
	c.pipe(0, "nothing to do: the request to unsubscribe", "To: "+to+"\r\nSubject: "+subject+"\r\n\r\n")
	if got := c.flags(dora); !got.IsUnsubscribed {
		t.Errorf("after a mail to the address in List-Unsubscribe: got %+v, want is_unsubscribed true", got)
	}

	c.pipe(0, "nothing to do: it is neither", "Subject: I am away\r\n\r\nUntil Monday.\r\n")
	c.db += "/nowhere"
	c.pipe(75, "", report("x@example.org", "failed", "5.1.1"))
}

// sample returns a mail of package mail's tests, to an address.
func sample(t *testing.T, name, to string) string {
	t.Helper()
	text, err := os.ReadFile("../../internal/mail/testdata/reports/" + name + ".eml")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "{TO}", to)
}

func (c *crash) flags(id int64) *api.Contact {
	c.t.Helper()
	return must(c.client.GetContactByID(c.t.Context(), 1, id))(c.t)
}

// pipe runs enlist bounce with a report on its standard input, as a mail server does.
func (c *crash) pipe(status int, says, text string, args ...string) {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), "enlist", append([]string{"bounce", "--db", c.db}, args...)...)
	cmd.Stdin = strings.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	got := 0
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		got = failed.ExitCode()
	} else if err != nil {
		c.t.Fatal(err)
	}
	if got != status || !strings.HasPrefix(string(out), says) {
		c.t.Errorf("status %d, output %q, errors %q; want status %d and output %q", got, out, stderr.Bytes(), status, says)
	}
}

// report returns a delivery status notification (RFC 3464).
func report(to, action, status string) string {
	return strings.ReplaceAll(`From: MAILER-DAEMON@mx.example.org
To: `+to+`
Content-Type: multipart/report; boundary=B

--B
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org

Action: `+action+`
Status: `+status+`
Diagnostic-Code: smtp; 550 no such user

--B--
`, "\n", "\r\n")
}
