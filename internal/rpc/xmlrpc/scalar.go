package xmlrpc

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// This file translates simple values of XML-RPC into JSON.

// appendScalar appends the JSON of an element whose text is complete. A text that is not a value of the
// type becomes a string, so that package rpc refuses it with the name and position of the parameter.
func appendScalar(b []byte, k kind, content string) []byte {
	content = strings.Trim(content, whiteSpace)
	switch k {
	case integer, double:
		if n, ok := number(content); ok {
			return append(b, n...)
		}
	case boolean:
		switch content {
		case "1", "true":
			return append(b, "true"...)
		case "0", "false":
			return append(b, "false"...)
		}
	case dateTime:
		content = isoDate(content)
	}
	b = appendEscaped(append(b, '"'), content)
	return append(b, '"')
}

// number returns a number in the form of JSON. XML-RPC allows a plus sign, leading zeros, and a point
// without digits on one side.
func number(content string) (string, bool) {
	if strings.Trim(content, "+-.0123456789eE") != "" {
		return "", false // ParseFloat also reads hexadecimal numbers and words
	}
	plain := strings.TrimPrefix(content, "+")
	if json.Valid([]byte(plain)) {
		return plain, true
	}
	f, err := strconv.ParseFloat(content, 64)
	if err != nil || math.IsInf(f, 0) {
		return "", false
	}
	return strconv.FormatFloat(f, 'f', -1, 64), true
}

// isoDate returns a date of XML-RPC, such as 20260131T10:20:30, in the form of a date Field. It returns
// any other text unchanged.
func isoDate(content string) string {
	for _, layout := range []string{"20060102T15:04:05", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, content); err == nil {
			return at.Format(time.DateTime)
		}
	}
	return content
}

// appendEscaped appends content as a part of a JSON string. Bytes that are not valid UTF-8 stay: package
// rpc refuses them.
func appendEscaped[T []byte | string](b []byte, content T) []byte {
	const hex = "0123456789abcdef"
	done := 0
	for i := range len(content) {
		c := content[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, content[done:i]...)
		done = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(b, content[done:]...)
}

// base64Reader decodes base64 that arrives in parts.
type base64Reader struct {
	digits [4]byte
	n      int  // number of digits
	ended  bool // padding was read
}

// errBase64 is the error for text that is not base64.
var errBase64 = &Error{Detail: "a base64 value is not valid base64", Invalid: true}

// decode appends the bytes of a part as a part of a JSON string. It ignores white space.
func (r *base64Reader) decode(b, part []byte) ([]byte, error) {
	for _, c := range part {
		if strings.IndexByte(whiteSpace, c) >= 0 {
			continue
		}
		if r.ended {
			return b, errBase64
		}
		r.digits[r.n] = c
		r.n++
		if r.n < len(r.digits) {
			continue
		}
		var decoded [3]byte
		n, err := base64.StdEncoding.Decode(decoded[:], r.digits[:])
		if err != nil {
			return b, errBase64
		}
		b = appendEscaped(b, decoded[:n])
		r.n, r.ended = 0, n < len(decoded)
	}
	return b, nil
}

// close ends the value.
func (r *base64Reader) close() error {
	incomplete := r.n > 0
	*r = base64Reader{}
	if incomplete {
		return errBase64
	}
	return nil
}
