package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/config"
)

// This test reads the mails that a service without a mail server writes to a folder.

// Without a mail server, the notification to the owner and the welcome mail to the subscriber are
// files in a folder.
//
// covers: spec event.notification, event.autoresponders, decision 50
func TestWithoutAMailServerMailsAreWrittenToAFolder(t *testing.T) {
	box, ctx := &mailbox{t: t, dir: t.TempDir()}, t.Context()
	addr, key := startServerWith(t, config.Serve{Mail: "dir:" + box.dir})
	client := api.NewClient("http://"+addr, key)
	t.Cleanup(client.Close)
	must(client.EditList(ctx, api.Details{"id": 1, "name": "Garden News", "on_register_address": "owner@example.com"}))(t)
	message := must(client.AddMessage(ctx, api.Details{"type": "email", "name": "Welcome", "subject": "Welcome, {{Email}}",
		"html_content": `<style>p{color:green}</style><p>Dear {{First Name|friend}}</p>`}))(t)
	must(client.AddAutoresponder(ctx, api.Details{"list_id": 1, "message_id": message, "event_type": "subscribe"}))(t)
	id := must(client.SubscribeContact(ctx, 1, api.Details{"Email": "ada@example.com"}, api.Consent{Type: api.ConsentDirect, Text: "Yes to news"}))(t)

	notification := box.wait("To: <owner@example.com>")
	for _, want := range []string{"Garden News", "ada@example.com", "Yes to news"} {
		if !strings.Contains(notification, want) {
			t.Errorf("the notification does not say %q:\n%s", want, notification)
		}
	}
	if page := visit(t, link(t, notification, "n")); !strings.Contains(page, "ada@example.com") {
		t.Errorf("the link in the notification leads to the page %s", page)
	}
	welcome := box.wait("Subject: Welcome, ada@example.com")
	if !strings.Contains(welcome, "Dear friend") || !strings.Contains(welcome, "List-Unsubscribe: <http://") {
		t.Errorf("the welcome mail has no greeting or no List-Unsubscribe header:\n%s", welcome)
	}
	if sent := must(client.GetContactDeliveries(ctx, 1, id))(t); len(sent) > 1 {
		t.Errorf("getMessagesSentToContact returned %+v", sent)
	}
}

// mailbox reads the mails in a folder.
type mailbox struct {
	t   *testing.T
	dir string
}

// wait returns the first mail that has a text, without its quoted-printable encoding.
func (b *mailbox) wait(text string) string {
	b.t.Helper()
	return readable.Replace(string(b.raw(text)))
}

// raw returns the first mail that has a text in its decoded form, as it is in its file.
func (b *mailbox) raw(text string) []byte {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		files, _ := filepath.Glob(filepath.Join(b.dir, "*.eml")) // the pattern is valid
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				b.t.Fatal(err)
			}
			if strings.Contains(readable.Replace(string(data)), text) {
				return data
			}
		}
		select {
		case <-ctx.Done():
			b.t.Fatalf("no mail has %q; there are %q", text, files)
		case <-look.C:
		}
	}
}

// readable decodes the quoted-printable encoding of plain text.
var readable = strings.NewReplacer("=\r\n", "", "=3D", "=", "=20", " ")

// link returns the link in a mail whose path begins with the given kind.
func link(t *testing.T, mail, kind string) string {
	t.Helper()
	found := regexp.MustCompile(`http://[0-9.:]+/` + kind + `/[\w/-]+`).FindString(mail)
	if found == "" {
		t.Fatalf("no link of kind %s in\n%s", kind, mail)
	}
	return found
}

func visit(t *testing.T, url string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	reply, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", url, reply.StatusCode, err)
	}
	return string(text)
}
