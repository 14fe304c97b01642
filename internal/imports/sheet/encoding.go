package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// This file converts a text file to UTF-8, and text to the encoding of a file. It recognises the encoding by a rule that
// reads the first 1 MiB:
//
//  1. a byte order mark of UTF-8 or UTF-16;
//  2. UTF-16, if more than three NULs are at only the even or only the odd offsets, and at more than one in eight of
//     these offsets;
//  3. UTF-8, if the bytes are valid UTF-8, or if at most one in ten characters outside ASCII is not: single rows can be
//     damaged; a character that the end of the MiB cuts is no fault;
//  4. a guess by the letters (letters.go). NDJSON is UTF-8 instead, because JSON is.
//
// NULs are valid UTF-8, and text of ASCII in UTF-16 consists of ASCII and NULs, so rule 2 is before rule 3.

// The names of the encodings that the rule recognises.
const (
	utf8Name    = "utf-8"
	utf16leName = "utf-16le"
	utf16beName = "utf-16be"
	ansiName    = "windows-1252"
)

// fewNULs is a number of NULs that damage can leave in a text. An address in UTF-16 has more.
const fewNULs = 3

// decode sets the encoding of about, and returns the text in UTF-8 without its byte order marks: a program that adds one
// to a file that has one leaves two. Bytes that are no character of the encoding become U+FFFD, except in UTF-8. The
// buffer of in has at least sniffed bytes.
func decode(in *bufio.Reader, about *About, name string) (io.Reader, error) {
	start, err := in.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if name == "" {
		name = recognise(start)
		switch {
		case name == "" && about.Format == NDJSON:
			name = utf8Name
		case name == "":
			name, about.Guess = guessEncoding(start)
		}
	}
	enc, err := lookUp(name)
	if err != nil {
		return nil, err
	}
	if about.Encoding = name; enc == nil {
		about.Encoding = utf8Name
	} else {
		in = bufio.NewReader(transform.NewReader(in, enc.NewDecoder()))
	}
	for {
		mark, err := in.Peek(3)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if !bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
			return in, nil
		}
		if _, err := in.Discard(3); err != nil {
			return nil, err
		}
	}
}

// recognise returns the name of the encoding by the first three rules at the top of this file, or "".
func recognise(start []byte) string {
	switch {
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")):
		return utf8Name
	case bytes.HasPrefix(start, []byte("\xff\xfe")):
		return utf16leName
	case bytes.HasPrefix(start, []byte("\xfe\xff")):
		return utf16beName
	}
	var nuls [2]int // at even and at odd offsets
	for i, b := range start {
		if b == 0 {
			nuls[i%2]++
		}
	}
	switch least := max(len(start)/16, fewNULs); {
	case nuls[0] == 0 && nuls[1] > least:
		return utf16leName
	case nuls[1] == 0 && nuls[0] > least:
		return utf16beName
	case isMostlyUTF8(withoutCut(start)):
		return utf8Name
	}
	return ""
}

// isMostlyUTF8 reports whether nearly all characters outside ASCII are valid.
func isMostlyUTF8(text []byte) bool {
	if utf8.Valid(text) {
		return true
	}
	valid, wrong := 0, 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			wrong++
		case size > 1:
			valid++
		}
		text = text[size:]
	}
	return valid >= 10*wrong
}

// withoutCut returns text without an incomplete character at its end, if text has the full sniffed length.
func withoutCut(text []byte) []byte {
	if len(text) < sniffed {
		return text
	}
	for i := 1; i < utf8.UTFMax; i++ {
		last := text[len(text)-i:]
		if utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}

// lookUp returns the encoding with a name of the WHATWG or the IANA, or nil for UTF-8.
func lookUp(name string) (encoding.Encoding, error) {
	switch name {
	case utf8Name:
		return nil, nil
	case utf16leName:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), nil
	case utf16beName:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), nil
	case ansiName:
		return charmap.Windows1252, nil
	}
	enc, err := htmlindex.Get(name)
	if err != nil {
		enc, err = ianaindex.IANA.Encoding(name)
	}
	if err != nil || enc == nil {
		return nil, fmt.Errorf("the encoding %q is not known: give a name such as utf-8, windows-1252 or ibm850", name)
	}
	if canonical, err := htmlindex.Name(enc); err == nil && canonical == utf8Name {
		return nil, nil
	}
	return enc, nil
}

// Encode returns a writer that encodes text as About.Encoding names it, after the byte order mark that spreadsheets
// need. A character that the encoding does not have becomes a question mark or the like. The caller closes the writer.
func Encode(w io.Writer, name string) (io.WriteCloser, error) {
	enc, err := lookUp(name)
	if err != nil {
		return nil, err
	}
	if enc == nil {
		enc = encoding.Nop
	}
	out := transform.NewWriter(w, encoding.ReplaceUnsupported(enc.NewEncoder()))
	if name == utf8Name || name == utf16leName || name == utf16beName {
		_, err = io.WriteString(out, "\ufeff")
	}
	return out, err
}
