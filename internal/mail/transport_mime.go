package mail

import (
	"bytes"
	"mime/quotedprintable"
	"strings"
)

// This file encodes a message with its text and HTML parts. RFC 2045, RFC 2046

// boundary separates the two parts. It is the same in every message, because a text in
// quoted-printable cannot contain "=_". RFC 2045, 6.7
const boundary = "=_alternative"

// The constant pieces of a message, in their order. A message without HTML has only plainHeader.
const (
	plainHeader  = "MIME-Version: 1.0\r\n" + textHeader
	bothHeader   = "MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=\"" + boundary + "\"\r\n\r\n"
	textHeader   = "Content-Type: text/plain; charset=UTF-8\r\n" + partEncoding
	htmlHeader   = "Content-Type: text/html; charset=UTF-8\r\n" + partEncoding
	partEncoding = "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
	nextPart     = "\r\n--" + boundary + "\r\n"
	lastPart     = "\r\n--" + boundary + "--\r\n"
)

// encode returns the bytes of a message. Each line ends with CR LF.
func (m *composed) encode() []byte {
	var b bytes.Buffer
	b.Grow(len(m.header) + len(m.text) + len(m.html) + (len(m.text)+len(m.html))/4 + 1024)
	b.Write(m.header)
	if m.html == "" {
		b.WriteString(plainHeader)
		writeQuoted(&b, m.text)
		if !strings.HasSuffix(m.text, "\n") {
			b.WriteString("\r\n")
		}
		return b.Bytes()
	}
	b.WriteString(bothHeader)
	b.WriteString(nextPart[2:] + textHeader)
	writeQuoted(&b, m.text)
	b.WriteString(nextPart + htmlHeader)
	writeQuoted(&b, m.html)
	b.WriteString(lastPart)
	return b.Bytes()
}

// writeQuoted writes a text in quoted-printable. It writes every kind of line end as CR LF.
func writeQuoted(b *bytes.Buffer, text string) {
	w := quotedprintable.NewWriter(b)
	w.Write([]byte(text)) // a write to a bytes.Buffer cannot fail
	w.Close()
}
