package xmlrpc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file reads the XML of a call. It is a scanner for the small part of XML that XML-RPC uses, and not
// encoding/xml, because that package keeps each text of the call in memory, of any length. It refuses
// document types, so a call can define no entities and refer to no files.

// Expansion is the largest number of bytes of JSON that one byte of XML becomes: a control character
// becomes an escape of six bytes.
const Expansion = 6

// Limits in bytes. The Reader keeps this much text in memory.
const (
	longestTag   = 60      // name of an element
	longestShort = 4 << 10 // text of a simple value or a method name, and white space before an element
	longestRef   = 10      // character reference, without & and ;
)

const whiteSpace = " \t\r\n"

// Error says why the body is not a call.
type Error struct {
	Detail  string
	Invalid bool // the body is XML, but a value is invalid
}

func (e *Error) Error() string { return e.Detail }

func refuse(format string, args ...any) error { return &Error{Detail: fmt.Sprintf(format, args...)} }

// Reader reads the XML of a call and returns its JSON. It returns an *Error if the body is not a call, and
// any error of its source unchanged.
type Reader struct {
	source   io.Reader
	charset  string
	maxDepth int

	in     *bufio.Reader
	open   []frame
	depth  int // JSON objects and arrays in open
	cdata  bool
	short  []byte // text of the innermost element, if it is short, or white space at the start of a value
	base64 base64Reader
	out    []byte // JSON that Read has not returned
	rest   []byte // the same memory as out
	err    error
}

// frame is an element that has not ended.
type frame struct {
	kind
	name string
	n    int  // children so far
	text bool // the element is a value without a type and its text has begun
}

// NewReader returns a Reader. charset is the encoding if the XML does not declare one. maxDepth is the
// largest number of nesting levels; the call itself and its parameters are the first two.
func NewReader(source io.Reader, charset string, maxDepth int) *Reader {
	return &Reader{source: source, charset: charset, maxDepth: maxDepth, open: []frame{{kind: document}}}
}

// Read returns the next bytes of the JSON.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 && r.err == nil {
		r.out = r.out[:0]
		r.err = r.step()
		r.rest = r.out
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	if n == 0 && len(p) > 0 {
		return 0, r.err
	}
	return n, nil
}

// step reads a tag, a reference or a part of a text.
func (r *Reader) step() error {
	if r.in == nil {
		in, err := toUTF8(r.source, r.charset)
		if err != nil {
			return err
		}
		r.in = in
	}
	if r.cdata {
		return r.cdataPart()
	}
	if _, err := r.in.Peek(1); err != nil {
		return r.end(err)
	}
	b, _ := r.in.Peek(r.in.Buffered())
	switch i := bytes.IndexAny(b, "<&"); {
	case i == 0 && b[0] == '<':
		r.in.Discard(1)
		return r.markup()
	case i == 0:
		r.in.Discard(1)
		return r.reference()
	case i > 0:
		b = b[:i]
	}
	err := r.chars(b)
	r.in.Discard(len(b))
	return err
}

// end returns the error for the end of the source.
func (r *Reader) end(err error) error {
	switch {
	case err != io.EOF:
		return err
	case len(r.open) > 1:
		return refuse("the XML ends before </%s>", r.top().name)
	case r.top().n == 0:
		return refuse("the body has no methodCall")
	}
	return io.EOF
}

func (r *Reader) top() *frame { return &r.open[len(r.open)-1] }

// chars reads text of the innermost element.
func (r *Reader) chars(b []byte) error {
	top := r.top()
	blank := len(bytes.Trim(b, whiteSpace)) == 0
	switch {
	case top.kind == text || top.kind == name || top.text:
		r.out = appendEscaped(r.out, b)
		return nil
	case top.kind == base64Text:
		var err error
		r.out, err = r.base64.decode(r.out, b)
		return err
	case top.short() || top.kind == value && top.n == 0 && blank:
		r.short = append(r.short, b...)
		if len(r.short) > longestShort {
			return refuse("<%s> has more than %d bytes", top.name, longestShort)
		}
		return nil
	case top.kind == value && top.n == 0:
		top.text = true
		r.out = appendEscaped(append(r.out, '"'), r.short)
		r.out = appendEscaped(r.out, b)
		return nil
	case !blank && top.kind == document:
		return refuse("the body is not XML")
	case !blank:
		return refuse("unexpected text in <%s>", top.name)
	}
	return nil
}

// cdataPart reads a part of a CDATA section.
func (r *Reader) cdataPart() error {
	const end = "]]>"
	if _, err := r.in.Peek(len(end)); err != nil {
		return noEOF(err)
	}
	b, _ := r.in.Peek(r.in.Buffered())
	i := bytes.Index(b, []byte(end))
	n := i + len(end)
	if i < 0 {
		i = len(b) - (len(end) - 1) // the section may end with the next byte
		n = i
	}
	r.cdata = n == i
	err := r.chars(b[:i])
	r.in.Discard(n)
	return err
}

// reference reads an entity or a character reference after its &. A call can only have the five entities
// of XML.
func (r *Reader) reference() error {
	ref, err := r.until(";", longestRef)
	if err != nil {
		return err
	}
	switch ref {
	case "amp":
		return r.chars([]byte("&"))
	case "lt":
		return r.chars([]byte("<"))
	case "gt":
		return r.chars([]byte(">"))
	case "quot":
		return r.chars([]byte(`"`))
	case "apos":
		return r.chars([]byte("'"))
	}
	digits, base := strings.TrimPrefix(ref, "#"), 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 31)
	if err != nil || ref == digits || !utf8.ValidRune(rune(n)) {
		return refuse("the reference &%s; is not known", ref)
	}
	return r.chars(utf8.AppendRune(nil, rune(n)))
}

// until returns the next bytes up to a byte of ends, which it reads too. It fails after limit bytes.
func (r *Reader) until(ends string, limit int) (string, error) {
	var b []byte
	for {
		c, err := r.in.ReadByte()
		switch {
		case err != nil:
			return "", noEOF(err)
		case strings.IndexByte(ends, c) >= 0:
			return string(b), nil
		case len(b) == limit:
			return "", refuse("unexpected text %.20q", b)
		}
		b = append(b, c)
	}
}

// skip reads up to the end of a comment or of an instruction.
func (r *Reader) skip(end string) error {
	last := make([]byte, len(end))
	for string(last) != end {
		c, err := r.in.ReadByte()
		if err != nil {
			return noEOF(err)
		}
		copy(last, last[1:])
		last[len(last)-1] = c
	}
	return nil
}

// noEOF returns an error for the end of the source inside a tag, a reference or a CDATA section.
func noEOF(err error) error {
	if err == io.EOF {
		return refuse("the XML is incomplete")
	}
	return err
}
