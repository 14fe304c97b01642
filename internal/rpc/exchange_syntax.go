package rpc

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"enlist/api"

	"github.com/go-json-experiment/json/jsontext"
)

// This file finds the place at which a body stops being JSON, and says what the caller should have sent there.
// The decoder of the envelope reads whole values, so the body is read a second time, token by token.

// noJSON returns the refusal of a body that is not JSON. It names line, column and what was expected there.
// reference.md: error.106
func (s *source) noJSON(b []byte) *refusal {
	if blank(b) {
		return refuse(api.CodeUnreadable, "the body is empty; expected a request, which is a JSON object")
	}
	dec := s.lenient(b)
	var err error
	for err == nil && (dec.StackDepth() > 0 || dec.InputOffset() == 0) {
		_, err = dec.ReadToken()
	}
	at, expected := expectation(dec, b)
	found := foundAt(b, at)
	if at < len(b) && b[at] == '"' {
		syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			expected, found = "a closing double quote for the text that begins here", foundAt(b, len(b))
		case ok && int(syntax.ByteOffset) > at:
			at = int(syntax.ByteOffset)
			expected, found = "a text without control characters, and with the escapes of JSON", foundAt(b, at)
		}
	}
	line, column := position(b, at)
	return refuse(api.CodeUnreadable, "the body is not JSON: line %d, column %d: expected %s, not %s",
		line, column, expected, found)
}

// expectation returns the offset of the first byte after the valid tokens, and what is allowed there.
func expectation(dec *jsontext.Decoder, b []byte) (at int, expected string) {
	at = skipBlank(b, int(dec.InputOffset()))
	kind, n := dec.StackIndex(dec.StackDepth())
	delimiter := byte(',')
	switch {
	case dec.StackDepth() == 0 && n == 0:
		return at, "a request, which is a JSON object"
	case dec.StackDepth() == 0:
		return at, "the end of the body"
	case kind == '{' && n%2 == 1:
		delimiter = ':'
	}
	separated := at < len(b) && b[at] == delimiter && n > 0
	if separated {
		at = skipBlank(b, at+1)
	}
	return at, expectedIn(kind, n, separated)
}

// expectedIn says what follows n values of an array, or n names and values of an object. separated says that a comma or
// a colon followed them.
func expectedIn(kind jsontext.Kind, n int64, separated bool) string {
	name := "a name in double quotes"
	value := "a value (text in double quotes, a number, true, false, null, an array or an object)"
	switch {
	case kind == '{' && n%2 == 1 && !separated:
		return "a colon after the name"
	case kind == '{' && n%2 == 1, kind == '[' && separated:
		return value
	case kind == '{' && separated:
		return name
	case kind == '{' && n == 0:
		return name + " or the closing brace of the object"
	case kind == '{':
		return "a comma or the closing brace of the object"
	case n == 0:
		return "a value or the closing bracket of the array"
	}
	return "a comma or the closing bracket of the array"
}

// skipBlank returns the offset of the first byte at or after an offset that is not white space of JSON.
func skipBlank(b []byte, at int) int {
	return len(b) - len(bytes.TrimLeft(b[at:], " \t\r\n"))
}

// position returns the line and the column of an offset. Both begin at 1; a column is a character.
func position(b []byte, at int) (line, column int) {
	before := b[:at]
	line = bytes.Count(before, []byte("\n")) + 1
	return line, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

// foundAt describes the character at an offset. Square brackets are named, because messages cannot contain them.
func foundAt(b []byte, at int) string {
	if at >= len(b) {
		return "the end of the body"
	}
	switch c := b[at]; c {
	case '[':
		return "an opening bracket"
	case ']':
		return "a closing bracket"
	case '"':
		return "a double quote"
	case '\'':
		return "a single quote"
	}
	r, size := utf8.DecodeRune(b[at:])
	if r == utf8.RuneError && size == 1 {
		return "the byte 0x" + strconv.FormatUint(uint64(b[at]), 16)
	}
	return strconv.QuoteRune(r)
}
