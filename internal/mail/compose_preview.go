package mail

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"mime"
	"net/mail"
	"regexp"
	"slices"
	"strings"

	"enlist/internal/audience"
	"enlist/internal/merge"
)

// This file composes a mail that is not sent, and finds what is probably wrong with it.

// Preview composes a mail in the same way as Send, and returns it. It implements audience.Composer.
func (m *Mailer) Preview(ctx context.Context, l *audience.OutgoingMail) (*audience.ComposedMail, error) {
	return m.composer.preview(ctx, l)
}

func (c *composer) preview(ctx context.Context, l *audience.OutgoingMail) (*audience.ComposedMail, error) {
	m, subject, err := c.outgoing(ctx, l)
	if err != nil {
		return nil, err
	}
	data := m.encode()
	header, _, _ := bytes.Cut(data[0], []byte("\r\n\r\n"))
	parsed, err := mail.ReadMessage(bytes.NewReader(data[0]))
	if err != nil {
		return nil, fmt.Errorf("read the header of a preview: %w", err)
	}
	shown := &audience.ComposedMail{Subject: subject, From: decoded(parsed.Header, "From"), To: decoded(parsed.Header, "To"),
		ReplyTo: decoded(parsed.Header, "Reply-To"), Headers: string(header), HTML: m.html, Text: m.text, Findings: findings(l)}
	for _, part := range data {
		shown.Size += int64(len(part))
	}
	return shown, nil
}

// decoded returns a header field without its encoding.
func decoded(header mail.Header, field string) string {
	text, err := new(mime.WordDecoder).DecodeHeader(header.Get(field))
	if err != nil {
		return header.Get(field)
	}
	return text
}

// imageLink matches a link to an inline image.
var imageLink = regexp.MustCompile(`(?i)["'(=]\s*cid:([^"'()<>\s]+)`)

// maxFindings is the largest number of findings of a preview.
const maxFindings = 50

// findings returns what is probably wrong with a mail: no content, merge fields without a value and without a fallback, names
// that the List does not have, and links to images that the mail does not contain.
func findings(l *audience.OutgoingMail) []string {
	var all []string
	add := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); len(all) < maxFindings && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if strings.TrimSpace(l.Message.Text+l.Message.HTML) == "" {
		add("the Message has no content")
	}
	source := strings.Join([]string{l.Message.Subject, l.Message.Text, html.UnescapeString(l.Message.HTML)}, "\n")
	for _, part := range merge.Parse(source) {
		if part.Name == "" || part.Name == fieldUnsubscribe || part.Name == fieldConfirm {
			continue
		}
		value, known := l.Schema.MergeValue(l.Contact, part.Name)
		switch {
		case !known:
			add("the List has no Field with the name %s", part.Name)
		case value == "" && part.Fallback == "":
			add("the Contact has no value of %s, and the merge field has no fallback", part.Name)
		}
	}
	images := make(map[string]bool)
	for i := range l.Files {
		if l.Files[i].Inline {
			images[l.Files[i].Name] = false
		}
	}
	for _, found := range imageLink.FindAllStringSubmatch(l.Message.HTML+l.Message.Text, -1) {
		if _, known := images[found[1]]; !known {
			add("no inline image has the name %s", found[1])
		}
		images[found[1]] = true
	}
	for i := range l.Files {
		if name := l.Files[i].Name; l.Files[i].Inline && !images[name] {
			add("the HTML does not show the inline image %s", name)
		}
	}
	return all
}
