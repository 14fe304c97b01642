package main

import (
	"bytes"
	"context"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/mail"
	"regexp"
	"strings"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"
)

// This test follows the links in mails, in the order in which a subscriber follows them.

// linked is a running service whose mails go to a mail server of the test. The test follows the links in these mails.
type linked struct {
	*testing.T
	client *api.Client
	mails  *mailtest.Server
	ctx    context.Context
}

// A subscriber uses only the links in the mails: to confirm, to open a mail, to click, and to unsubscribe.
//
// covers: spec event.confirm, decision 48, 49
func TestLinksInMailsConfirmTrackAndUnsubscribe(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	l := &linked{T: t, mails: mailtest.Start(t, mailtest.Options{}), ctx: ctx}
	db := dbtest.SQLite.New(t)
	setSettings(t, db, map[string]string{"mail-from": "news@example.com"})
	addr, key := startServerWith(t, config.Serve{Database: config.Database{DB: db}, SMTP: l.mails.URL()})
	l.client = api.NewClient("http://"+addr, key)
	t.Cleanup(l.client.Close)
	l.prepare()
	id := must(l.client.SubscribeContact(ctx, 1, api.Details{"Email": "mira@example.com"}, api.Consent{}))(t)

	asked := l.mail(2, "mira@example.com")
	confirm := asked.link(t, "/c/")
	l.follow("GET", confirm, "", http.StatusOK)
	l.isConfirmed(id, false)
	l.follow("POST", confirm, "button=confirm", http.StatusOK)
	l.isConfirmed(id, true)
	l.follow("GET", l.mail(2, "office@example.com").link(t, "/n/"), "", http.StatusOK)

	welcome := l.mail(3, "mira@example.com")
	if to := l.follow("GET", welcome.link(t, "/k/"), "", http.StatusFound); to != "https://shop.example/?for=mira%40example.com" {
		t.Errorf("the tracked link redirects to %q", to)
	}
	l.follow("GET", welcome.link(t, "/o/"), "", http.StatusOK)
	if c := l.contact(id); c.LastClickTime == 0 || c.LastOpenTime == 0 {
		t.Errorf("the opening or the click was not recorded: %+v", c)
	}
	one := strings.Trim(welcome.header.Get("List-Unsubscribe"), "<>")
	if one != welcome.link(t, "/u/") {
		t.Errorf("the header List-Unsubscribe does not have the link of the mail: %v", welcome.header)
	}
	l.follow("GET", one, "", http.StatusOK)
	if l.contact(id).IsUnsubscribed {
		t.Error("a GET request has unsubscribed the Contact")
	}
	l.follow("POST", one, "List-Unsubscribe=One-Click", http.StatusOK)
	if !l.contact(id).IsUnsubscribed {
		t.Error("the POST request did not unsubscribe the Contact")
	}
}

func (l *linked) prepare() {
	l.Helper()
	must(l.client.EditList(l.ctx, api.Details{"id": 1, "double_opt_in_required": true, "track_opens": true, "track_clicks": true,
		"on_register_address": "office@example.com"}))(l.T)
	message := api.Details{"name": "Hello", "type": "email", "email_type": "html", "subject": "Hello",
		"html_content": `<p><a href="https://shop.example/?for={{Email}}">Our shop</a></p>`}
	answer := api.Details{"list_id": 1, "event_type": "subscribe", "criteria_type": "immediate"}
	var id int64
	if err := l.client.Call(l.ctx, "addMessage", []any{message}, &id); err != nil {
		l.Fatal(err)
	}
	answer["message_id"] = id
	if err := l.client.Call(l.ctx, "addAutoresponder", []any{answer}, nil); err != nil {
		l.Fatal(err)
	}
}

// received is a parsed mail.
type received struct {
	header mail.Header
	text   string // text of all parts of the mail
}

// mail waits until count mails have arrived, and returns the last mail to the given address.
func (l *linked) mail(count int, to string) received {
	l.Helper()
	messages := must(l.mails.Wait(l.ctx, count))(l.T)
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].To[0] == to {
			return l.read(messages[i].Data)
		}
	}
	l.Fatalf("none of %d mails is to %s", len(messages), to)
	return received{}
}

func (l *linked) read(data []byte) received {
	l.Helper()
	m := must(mail.ReadMessage(bytes.NewReader(data)))(l.T)
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		l.Fatal(err)
	}
	var text strings.Builder
	for parts := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := parts.NextPart()
		if err == io.EOF {
			return received{m.Header, text.String()}
		}
		if err != nil {
			l.Fatal(err)
		}
		text.Write(must(io.ReadAll(part))(l.T))
	}
}

var anyURL = regexp.MustCompile(`http://[^\s"<>)]+`)

// link returns the link of a kind in a mail.
func (r received) link(t *testing.T, kind string) string {
	t.Helper()
	for _, url := range anyURL.FindAllString(r.text, -1) {
		if strings.Contains(url, kind) {
			return url
		}
	}
	t.Fatalf("no link with %s in %s", kind, r.text)
	return ""
}

// follow sends a request for a link and returns the header Location of the reply.
func (l *linked) follow(method, url, body string, status int) (location string) {
	l.Helper()
	req := must(http.NewRequestWithContext(l.ctx, method, url, strings.NewReader(body)))(l.T)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Close = true
	resp := must(http.DefaultTransport.RoundTrip(req))(l.T) // a RoundTripper follows no redirect
	defer resp.Body.Close()
	if resp.StatusCode != status {
		text := must(io.ReadAll(resp.Body))(l.T)
		l.Errorf("%s %s: %d %s", method, url, resp.StatusCode, text)
	}
	return resp.Header.Get("Location")
}

func (l *linked) contact(id int64) api.Contact {
	l.Helper()
	found := must(l.client.SearchContacts(l.ctx, 1, api.Query{Criteria: api.Criteria{api.Test{"id", "exactly", id}}}))(l.T)
	if len(found) != 1 {
		l.Fatalf("%d Contacts", len(found))
	}
	return found[0]
}

func (l *linked) isConfirmed(id int64, confirmed bool) {
	l.Helper()
	if l.contact(id).DoubleOptIn != confirmed {
		l.Errorf("confirmed: %v", !confirmed)
	}
}
