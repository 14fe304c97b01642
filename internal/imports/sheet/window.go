package sheet

import (
	"bytes"
	"io"
)

// This file keeps the part of a text file in memory that one row needs.

// window is a part of a text in UTF-8. Its unread bytes are buf[start:end].
type window struct {
	in         io.Reader
	inexact    bool // the text was converted, and U+FFFD stands for bytes that are no character
	buf        []byte
	start, end int
	err        error // of reading; io.EOF after the last byte
}

// unread returns the bytes in memory that were not read yet.
func (w *window) unread() []byte { return w.buf[w.start:w.end] }

// complete reports whether all bytes up to the end of the file are in memory.
func (w *window) complete() bool { return w.err == io.EOF }

// fill reads more bytes. It returns false if there are no more, or reading failed. The buffer grows if the unread
// bytes fill it; rows are limited, and so the buffer is.
func (w *window) fill() bool {
	if w.err != nil {
		return false
	}
	if w.start > 0 {
		w.end = copy(w.buf, w.unread())
		w.start = 0
	}
	if w.end == len(w.buf) {
		larger := make([]byte, max(64<<10, 2*len(w.buf)))
		copy(larger, w.buf)
		w.buf = larger
	}
	before := w.end
	for w.end == before && w.err == nil {
		var n int
		n, w.err = w.in.Read(w.buf[w.end:])
		w.end += n
	}
	return w.end > before
}

// skipLine skips the bytes up to the end of the line, however far that is.
func (w *window) skipLine() {
	for {
		line := w.unread()
		if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
			w.start += i
			w.skipLineEnd()
			return
		}
		w.start = w.end
		if !w.fill() {
			return
		}
	}
}

// skipLineEnd skips one line end: CR, LF, or CR and LF.
func (w *window) skipLineEnd() {
	for w.end-w.start < 2 && w.fill() {
		continue
	}
	switch line := w.unread(); {
	case bytes.HasPrefix(line, []byte("\r\n")):
		w.start += 2
	case len(line) > 0:
		w.start++
	}
}
