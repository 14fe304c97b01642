package mail

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/textproto"
	"regexp"
	"strings"
)

// This file splits a mail into its parts. Mail servers write reports with broken headers, so it reads what it can: an
// error in one part never loses the next one.

// part is a mail or a MIME part. Its lines end with LF.
type part struct {
	header textproto.MIMEHeader
	body   []byte
}

// foldedField matches where a field goes on in the next line.
var foldedField = regexp.MustCompile(`\n[ \t]+`)

// parsePart reads a header up to the first empty line. It leaves lines out that are no fields.
func parsePart(text []byte) part {
	head, body, _ := bytes.Cut(text, []byte("\n\n"))
	if bytes.HasPrefix(text, []byte("\n")) {
		head, body = nil, text[1:]
	}
	return part{fieldsOf(head), body}
}

func fieldsOf(head []byte) textproto.MIMEHeader {
	h := make(textproto.MIMEHeader)
	for line := range strings.Lines(foldedField.ReplaceAllString(string(head), " ")) {
		if key, value, ok := strings.Cut(line, ":"); ok {
			h.Add(strings.TrimSpace(key), strings.TrimSpace(value))
		}
	}
	return h
}

// mediaType returns the type of a part in lower case, and its boundary. Without a type, it is text.
func (p *part) mediaType() (kind, boundary string) {
	value := p.header.Get("Content-Type")
	kind, params, err := mime.ParseMediaType(value)
	if err != nil { // such as a parameter without a value
		kind, _, _ = strings.Cut(strings.ToLower(value), ";")
	}
	if boundary = params["boundary"]; boundary == "" {
		if m := boundaryParam.FindStringSubmatch(value); m != nil {
			boundary = m[1]
		}
	}
	if kind = strings.TrimSpace(kind); kind == "" {
		kind = "text/plain"
	}
	return kind, boundary
}

var boundaryParam = regexp.MustCompile(`(?i)boundary\s*=\s*"?([^";]+)`)

// content returns the decoded body. After an error in its encoding, it has what comes before.
func (p *part) content() []byte {
	switch strings.ToLower(p.header.Get("Content-Transfer-Encoding")) {
	case "quoted-printable":
		text, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(p.body)))
		if err != nil && len(text) < len(p.body)/4 {
			return p.body
		}
		return text
	case "base64":
		text, _ := io.ReadAll(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(p.body)))
		return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	return p.body
}

// split returns the parts between the lines with a boundary, at most n.
func (p *part) split(boundary string, n int) (all []part) {
	begin := -1
	line := []byte("--" + boundary)
	for at := 0; at < len(p.body) && len(all) < n; {
		end := len(p.body)
		if i := bytes.IndexByte(p.body[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if rest, ok := bytes.CutPrefix(p.body[at:end], line); ok {
			if rest = bytes.TrimSpace(rest); len(rest) == 0 || string(rest) == "--" {
				if begin >= 0 {
					all = append(all, parsePart(p.body[begin:at]))
				}
				begin = end
				if len(rest) > 0 {
					return all
				}
			}
		}
		at = end
	}
	if begin >= 0 && len(all) < n {
		all = append(all, parsePart(p.body[begin:])) // the last boundary is missing
	}
	return all
}
