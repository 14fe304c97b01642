package xmlrpc

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// This file finds the encoding of a call and converts the call to UTF-8.

// declared matches an XML declaration with an encoding.
var declared = regexp.MustCompile(`^<\?xml[^>]*[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([^"'>]*)["']`)

// longestDeclaration is the number of bytes in which a declaration is looked for.
const longestDeclaration = 200

// toUTF8 returns a reader of the same text in UTF-8. A byte order mark decides, then the declaration, then
// fallback, which is the charset of the HTTP header, and then UTF-8. The reader does not check that text
// in UTF-8 is valid.
func toUTF8(in io.Reader, fallback string) (*bufio.Reader, error) {
	r := bufio.NewReader(in)
	start, err := r.Peek(longestDeclaration)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")):
		r.Discard(3)
		return r, nil
	case bytes.HasPrefix(start, []byte("\xfe\xff")), bytes.HasPrefix(start, []byte("\xff\xfe")):
		return decoded(r, unicode.UTF16(unicode.BigEndian, unicode.UseBOM)), nil
	}
	charset := fallback
	if found := declared.FindSubmatch(start); found != nil {
		charset = string(found[1])
	}
	switch key := charsetKey(charset); key {
	case "", "utf8", "usascii", "ascii":
		return r, nil
	default:
		if e := singleByte(key); e != nil {
			return decoded(r, e), nil
		}
		return nil, refuse("the encoding %.40q is not supported; send UTF-8", charset)
	}
}

func decoded(r io.Reader, e encoding.Encoding) *bufio.Reader {
	return bufio.NewReader(e.NewDecoder().Reader(r))
}

// charsetKey returns the name of an encoding without letter case and punctuation.
func charsetKey(charset string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(charset))
}

// singleByte returns the encoding with one byte for each character, or nil. As in browsers, ISO-8859-1 is
// read as windows-1252, which has characters in place of control characters.
func singleByte(key string) encoding.Encoding {
	switch key {
	case "iso88591", "latin1", "cp1252":
		return charmap.Windows1252
	}
	for _, e := range charmap.All {
		if known, ok := e.(*charmap.Charmap); ok && charsetKey(known.String()) == key {
			return known
		}
	}
	return nil
}
