package xmlrpc

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// This file translates the JSON of a result into XML.

// Encoder translates one JSON value into a value of XML-RPC. The JSON comes in parts of any size. It must
// be well-formed, as package rpc writes it; the Encoder does not check it.
type Encoder struct {
	open     []byte // '{' or '[' of each object or array that has not ended
	key      bool   // the next string is the name of a member
	inString bool
	escape   []byte // part of an escape in a string, from the backslash on
	scalar   []byte // part of a number, true, false or null
	held     []byte // end of the last part, which may be the start of U+FFFE or U+FFFF
}

// Append appends the XML of a part of the JSON.
func (e *Encoder) Append(b, json []byte) []byte {
	if len(e.held) > 0 {
		json = append(e.held, json...)
		e.held = nil
	}
	for len(json) > 0 {
		if e.inString {
			b, json = e.chars(b, json)
			continue
		}
		c := json[0]
		json = json[1:]
		switch c {
		case '"':
			e.inString = true
			if e.key {
				b = append(b, "<member><name>"...)
			} else {
				b = append(b, "<value><string>"...)
			}
		case '{':
			b = append(b, "<value><struct>"...)
			e.open, e.key = append(e.open, c), true
		case '[':
			b = append(b, "<value><array><data>"...)
			e.open = append(e.open, c)
		case '}', ']':
			b = e.close(e.End(b), c)
		case ',':
			b = e.End(b)
			e.key = e.open[len(e.open)-1] == '{'
		case ':':
			e.key = false
		default:
			e.scalar = append(e.scalar, c)
		}
	}
	return b
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

// End appends what is left after the last part. An integer of more than 32 bits becomes a double: clients
// lose an i8, or read an int of this size as another number. decisions.md: 72
func (e *Encoder) End(b []byte) []byte {
	if len(e.scalar) == 0 {
		return b
	}
	s := string(e.scalar)
	e.scalar = e.scalar[:0]
	b = append(b, "<value>"...)
	switch s {
	case "true":
		b = append(b, "<boolean>1</boolean>"...)
	case "false":
		b = append(b, "<boolean>0</boolean>"...)
	case "null":
		b = append(b, "<nil/>"...)
	default:
		tag := "double"
		if _, err := strconv.ParseInt(s, 10, 32); err == nil {
			tag = "int"
		}
		b = append(append(append(b, '<'), tag...), '>')
		b = append(b, s...)
		b = append(append(append(b, "</"...), tag...), '>')
	}
	return e.endValue(b)
}

// chars translates a part of a string. It returns the rest of the JSON.
func (e *Encoder) chars(b, json []byte) (xml, rest []byte) {
	if len(e.escape) > 0 {
		e.escape = append(e.escape, json[0])
		return e.unescape(b), json[1:]
	}
	i := bytes.IndexAny(json, `"\`)
	if i < 0 {
		whole := len(json)
		if bytes.HasSuffix(json, []byte("\xef\xbf")) {
			whole -= 2
		} else if bytes.HasSuffix(json, []byte("\xef")) {
			whole--
		}
		e.held = bytes.Clone(json[whole:])
		return appendText(b, json[:whole]), nil
	}
	b = appendText(b, json[:i])
	if json[i] == '\\' {
		e.escape = append(e.escape, '\\')
		return b, json[i+1:]
	}
	e.inString = false
	if e.key {
		return append(b, "</name>"...), json[i+1:]
	}
	return e.endValue(append(b, "</string>"...)), json[i+1:]
}

// unescape appends the character of an escape when the escape is complete.
func (e *Encoder) unescape(b []byte) []byte {
	const longEscape = len(`\u0000`)
	c := e.escape[1]
	if c == 'u' && len(e.escape) < longEscape {
		return b
	}
	char := rune(c)
	switch c {
	case 'n':
		char = '\n'
	case 'r':
		char = '\r'
	case 't':
		char = '\t'
	case 'b', 'f':
		char = utf8.RuneError
	case 'u':
		n, _ := strconv.ParseUint(string(e.escape[2:]), 16, 16) // half of a surrogate pair becomes U+FFFD
		char = rune(n)
	}
	e.escape = e.escape[:0]
	return appendText(b, utf8.AppendRune(nil, char))
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
