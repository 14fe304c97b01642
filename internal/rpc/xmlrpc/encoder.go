package xmlrpc

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// This file translates the JSON of a result into XML.

// Encoder translates one JSON value into a value of XML-RPC. The JSON comes in parts that end between two tokens. It must
// be well-formed, as package rpc writes it; the Encoder does not check it.
type Encoder struct {
	open []byte // '{' or '[' of each object or array that has not ended
	key  bool   // the next string is the name of a member
}

// Append appends the XML of a part of the JSON, until it has limit bytes or more. It returns the rest of the part.
func (e *Encoder) Append(b, part []byte, limit int) (xml, rest []byte) {
	for len(part) > 0 && len(b) < limit {
		n := 1 // bytes of the token
		switch c := part[0]; c {
		case '"':
			n = stringEnd(part)
			b = e.text(b, part[:n])
		case '{':
			b = append(b, "<value><struct>"...)
			e.open, e.key = append(e.open, c), true
		case '[':
			b = append(b, "<value><array><data>"...)
			e.open = append(e.open, c)
		case '}', ']':
			b = e.close(b, c)
		case ',':
			e.key = e.open[len(e.open)-1] == '{'
		case ':':
			e.key = false
		default:
			if n = bytes.IndexAny(part, ",]}"); n < 0 {
				n = len(part)
			}
			b = e.endValue(appendPlain(append(b, "<value>"...), string(part[:n])))
		}
		part = part[n:]
	}
	return b, part
}

// stringEnd returns the length of the string with which a part begins.
func stringEnd(part []byte) int {
	n := 1
	for ; part[n] != '"'; n++ {
		if part[n] == '\\' {
			n++
		}
	}
	return n + 1
}

// text appends a string: the name of a member, or a value.
func (e *Encoder) text(b, quoted []byte) []byte {
	text := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		var unquoted string
		_ = json.Unmarshal(quoted, &unquoted) // half of a surrogate pair becomes U+FFFD
		text = []byte(unquoted)
	}
	if e.key {
		return append(appendText(append(b, "<member><name>"...), text), "</name>"...)
	}
	return e.endValue(append(appendText(append(b, "<value><string>"...), text), "</string>"...))
}

// close ends an object or an array.
func (e *Encoder) close(b []byte, c byte) []byte {
	if c == '}' {
		b = append(b, "</struct>"...)
	} else {
		b = append(b, "</data></array>"...)
	}
	e.open, e.key = e.open[:len(e.open)-1], false
	return e.endValue(b)
}

// endValue ends a value, and the member that it belongs to.
func (e *Encoder) endValue(b []byte) []byte {
	b = append(b, "</value>"...)
	if len(e.open) > 0 && e.open[len(e.open)-1] == '{' {
		b = append(b, "</member>"...)
	}
	return b
}

// appendPlain appends a number, a boolean or null. An integer of more than 32 bits becomes a double: clients lose an i8, or
// read an int of this size as another number. decisions.md: 72
func appendPlain(b []byte, s string) []byte {
	switch s {
	case "true":
		return append(b, "<boolean>1</boolean>"...)
	case "false":
		return append(b, "<boolean>0</boolean>"...)
	case "null":
		return append(b, "<nil/>"...)
	}
	if _, err := strconv.ParseInt(s, 10, 32); err == nil {
		return append(append(append(b, "<int>"...), s...), "</int>"...)
	}
	return append(append(append(b, "<double>"...), s...), "</double>"...)
}

// appendText appends text. XML 1.0 has no other control characters than tab and line breaks, so they become
// U+FFFD, as in encoding/xml. A reader of XML would read a bare carriage return as a line feed.
func appendText(b, s []byte) []byte {
	done := 0
	for i, c := range s {
		var instead string
		width := 1
		switch {
		case c == '&':
			instead = "&amp;"
		case c == '<':
			instead = "&lt;"
		case c == '>':
			instead = "&gt;"
		case c == '\r':
			instead = "&#13;"
		case c < ' ' && c != '\n' && c != '\t':
			instead = "\uFFFD"
		case c == 0xEF && (bytes.HasPrefix(s[i:], []byte("\uFFFE")) || bytes.HasPrefix(s[i:], []byte("\uFFFF"))):
			instead, width = "\uFFFD", len("\uFFFF")
		default:
			continue
		}
		b = append(append(b, s[done:i]...), instead...)
		done = i + width
	}
	return append(b, s[done:]...)
}
