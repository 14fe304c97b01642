package mail

import (
	"bytes"
	"mime/quotedprintable"
	"strings"
)

// This file encodes a message with its text and HTML parts and its files. RFC 2045, RFC 2046, RFC 2387
//
// The structure of a message with everything, in which each level is left out if it has only one part:
//
//	multipart/mixed
//		multipart/alternative
//			text/plain
//			multipart/related
//				text/html
//				inline images
//		attachments

// The boundaries are the same in every message, because a text in quoted-printable or base64 cannot
// contain "=_". RFC 2045, 6.7
const (
	boundary        = "=_alternative"
	relatedBoundary = "=_related"
	mixedBoundary   = "=_mixed"
)

// The constant pieces of a message.
const (
	version     = "MIME-Version: 1.0\r\n"
	mixedHeader = "Content-Type: multipart/mixed; boundary=\"" + mixedBoundary + "\"\r\n\r\n--" + mixedBoundary +
		"\r\n"
	bothHeader    = "Content-Type: multipart/alternative; boundary=\"" + boundary + "\"\r\n\r\n--" + boundary + "\r\n"
	relatedHeader = "Content-Type: multipart/related; type=\"text/html\"; boundary=\"" + relatedBoundary +
		"\"\r\n\r\n--" + relatedBoundary + "\r\n"
	textHeader   = "Content-Type: text/plain; charset=UTF-8\r\n" + partEncoding
	htmlHeader   = "Content-Type: text/html; charset=UTF-8\r\n" + partEncoding
	partEncoding = "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
	nextPart     = "\r\n--" + boundary + "\r\n"
	lastPart     = "\r\n--" + boundary + "--\r\n"
)

// encode returns the bytes of a message, in several slices: messages share the slices of files. The first
// slice contains the complete header. Each line ends with CR LF.
func (m *composed) encode() [][]byte {
	var files encodedFiles
	if m.files != nil {
		files = *m.files
	}
	var b bytes.Buffer
	b.Grow(len(m.header) + len(m.text) + len(m.html) + (len(m.text)+len(m.html))/4 + 1024)
	b.Write(m.header)
	b.WriteString(version)
	if files.attached != nil {
		b.WriteString(mixedHeader)
	}
	data := make([][]byte, 1, 4)
	switch {
	case m.html == "":
		b.WriteString(textHeader)
		writeQuoted(&b, m.text)
		if !strings.HasSuffix(m.text, "\n") {
			b.WriteString("\r\n")
		}
	case files.related == nil:
		m.writeBoth(&b, "")
		b.WriteString(lastPart)
	default:
		m.writeBoth(&b, relatedHeader)
		data = append(data, files.related, []byte(lastPart))
	}
	data[0] = b.Bytes()
	if files.attached != nil {
		data = append(data, files.attached)
	}
	return data
}

// writeBoth writes the text and the HTML without the end of multipart/alternative. related is written
// before the HTML.
func (m *composed) writeBoth(b *bytes.Buffer, related string) {
	b.WriteString(bothHeader + textHeader)
	writeQuoted(b, m.text)
	b.WriteString(nextPart + related + htmlHeader)
	writeQuoted(b, m.html)
}

// writeQuoted writes a text in quoted-printable. It writes every kind of line end as CR LF.
func writeQuoted(b *bytes.Buffer, text string) {
	w := quotedprintable.NewWriter(b)
	w.Write([]byte(text)) // a write to a bytes.Buffer cannot fail
	w.Close()
}
