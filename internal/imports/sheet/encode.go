package sheet

import (
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// This file writes text in the encoding of a file.

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
