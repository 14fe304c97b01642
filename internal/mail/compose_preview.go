package mail

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/mail"

	"enlist/internal/messages"
)

// This file composes a mail that is not sent. compose_check.go finds what is probably wrong with it.

// Preview composes a mail in the same way as Send, and returns it. It implements messages.Composer.
func (c *composer) Preview(ctx context.Context, l *messages.OutgoingMail) (*messages.ComposedMail, error) {
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
	shown := &messages.ComposedMail{Subject: subject, From: decoded(parsed.Header, "From"),
		To:      decoded(parsed.Header, "To"),
		ReplyTo: decoded(parsed.Header, "Reply-To"), Headers: string(header), HTML: m.html, Text: m.text}
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
