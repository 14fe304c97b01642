package mail

import (
	"bytes"
	"context"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/messages"
)

// This file has the fixtures for tests of composing: a composer with a fixed clock,
// a List with four Fields, a Contact, and a reader of composed mails.

// links is a Linker that records the URLs of each call. The ID of the first URL is 501.
type links struct{ asked [][]string }

func (l *links) LinkTargets(_ context.Context, _ enlist.MessageID, _ int64, urls []string) (ids []enlist.LinkID, err error) {
	l.asked = append(l.asked, urls)
	for i := range urls {
		ids = append(ids, enlist.LinkID(501+i))
	}
	return ids, nil
}

func testComposer(t testing.TB) (*composer, *links) {
	t.Helper()
	l := new(links)
	c, err := newComposer(Options{From: "lists@example.org", PublicURL: "https://mail.example.org", Key: enlist.LinkKey{1, 2, 3}, Links: l})
	if err != nil {
		t.Fatal(err)
	}
	c.now = func() time.Time { return time.Unix(1767225600, 0).UTC() }
	return c, l
}

// fixedSettings returns settings that do not change.
func fixedSettings(s accounts.Settings) func() *accounts.Settings {
	return func() *accounts.Settings { return &s }
}

func testSchema() *enlist.Schema {
	s := enlist.NewSchema(enlist.List{ID: 12, Name: "News & Views"}, []enlist.Field{
		{ID: 1, Name: "Email", Type: enlist.Text, AddressType: enlist.AddressEmail},
		{ID: 2, Name: "First Name", Type: enlist.Text},
		{ID: 3, Name: "Website", Type: enlist.Text},
		{ID: 4, Name: "Comment", Type: enlist.Comment},
	}, []enlist.Preference{{ID: 1, Name: "Weekly"}, {ID: 2, Name: "Offers"}})
	s.TimeZone = "Australia/Sydney"
	return s
}

func testContact() *enlist.Contact {
	c := &enlist.Contact{ID: 345, ListID: 12, IsActive: true, Created: 1767225600, Prefs: map[enlist.PreferenceID]bool{1: true, 2: false}}
	c.Values = c.Values.Set(1, "ann@example.com").Set(2, "Ann").Set(3, "https://ann.example/").Set(4, "Hello,\nI like it.")
	return c
}

func testMail(m *messages.Message) *messages.OutgoingMail {
	if m != nil {
		m.ID, m.Type, m.Asks = 9, messages.MessageEmail, messages.AsksForTracking(m)
	}
	return &messages.OutgoingMail{Delivery: enlist.DeliveryKey{List: 12, Contact: 345, Time: 1767225600, Cause: "a7"},
		Schema: testSchema(), Contact: testContact(), Address: "ann@example.com", Message: m}
}

func testNotification() *messages.Notification {
	return &messages.Notification{
		Notify: events.Notify{List: 12, Contact: 345, Event: enlist.EventSubscribe, Address: "owner@example.org", Time: 1767225600},
		Schema: testSchema(), Details: testContact(),
		Consent: &enlist.LedgerRow{Time: 1767225600, Type: enlist.ConsentGDPR, Text: "I agree to receive news.", IP: "192.0.2.7"},
	}
}

// received is a message in the form in which a mail program reads it.
type received struct {
	mail.Header
	text, html string
	raw        []byte
}

// read encodes a message and parses it. It fails the test if a line is not valid.
func read(t testing.TB, m *composed) *received {
	t.Helper()
	data := bytes.Join(m.encode(), nil)
	for line := range bytes.SplitSeq(data, []byte("\r\n")) {
		if len(line) > 998 || bytes.ContainsAny(line, "\r\n\x00") {
			t.Fatalf("a line has %d bytes: %.100q; want at most 998, and no CR, LF or zero byte", len(line), line)
		}
	}
	parsed, err := mail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("the message cannot be parsed: %v\n%s", err, data)
	}
	r := &received{Header: parsed.Header, raw: data}
	kind, params, err := mime.ParseMediaType(parsed.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if kind == "text/plain" {
		r.text = readPart(t, quotedprintable.NewReader(parsed.Body))
		return r
	}
	parts := multipart.NewReader(parsed.Body, params["boundary"])
	for {
		part, err := parts.NextPart() // also decodes quoted-printable
		if err == io.EOF {
			return r
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			r.html = readPart(t, part)
		} else {
			r.text = readPart(t, part)
		}
	}
}

func readPart(t testing.TB, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

// subject returns the decoded subject.
func (r *received) subject(t testing.TB) string {
	t.Helper()
	s, err := new(mime.WordDecoder).DecodeHeader(r.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// names returns the sorted names of the header fields.
func (r *received) names() []string {
	var names []string
	for name := range r.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// send composes a mail and reads it.
func send(t testing.TB, c *composer, l *messages.OutgoingMail) *received {
	t.Helper()
	m, subject, err := c.outgoing(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	r := read(t, m)
	if s := r.subject(t); s != subject {
		t.Errorf("the mail has the subject %q, want %q, which outgoing returned", s, subject)
	}
	return r
}

// headerCase is a header field and the value that it must have, or "" if the field must be absent.
type headerCase struct{ name, want string }

func checkHeaders(t *testing.T, r *received, cases []headerCase) {
	t.Helper()
	for _, c := range cases {
		if got := r.Get(c.name); got != c.want {
			t.Errorf("the header field %s is %q, want %q", c.name, got, c.want)
		}
	}
}

// contains checks that a text contains all parts. what is the name of the text in a failure message.
func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s must contain %q, but is:\n%s", what, part, text)
		}
	}
}

// lacks checks that a text contains none of the parts.
func lacks(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%s must not contain %q, but is:\n%s", what, part, text)
		}
	}
}

// keep writes a mail into the folder that the environment variable ENLIST_TEST_KEEP names. A
// developer can then open it in a mail program.
func keep(t *testing.T, name string, r *received) {
	t.Helper()
	if dir := os.Getenv("ENLIST_TEST_KEEP"); dir != "" {
		for ext, content := range map[string]string{".eml": string(r.raw), ".html": r.html, ".txt": r.text} {
			if err := os.WriteFile(filepath.Join(dir, name+ext), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
