package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// This file reads one record of a CSV file, as RFC 4180 describes it. It differs from encoding/csv in four points. A
// record that is not CSV costs only its own line: a quote that is never closed does not take the rest of the file. A quote
// inside a cell is a part of it, as in Excel. The size of a record is limited. And a line may end in CR alone.

// records reads the records of a text.
type records struct {
	w         *window
	delimiter byte
	special   [256]bool // bytes that end an unquoted cell or are faults in it: not quotes
	text      []byte    // the cells of the record, one after the other, without quotes
	ends      []int     // of each cell in text
	nul       bool      // the record contains a NUL
}

// The faults of a record.
var (
	errStrayQuote = errors.New("text after the quotes around several lines: double the quotes inside a cell")
	errOpenQuote  = errors.New("a quote that is not closed")
	errNUL        = errors.New("the row contains a NUL byte")
	errNotUTF8    = errors.New("the row is not valid UTF-8: name the encoding of the file")
	errNoChar     = errors.New("the row contains bytes that are no character of the encoding: name the right one")
	errTooLong    = fmt.Errorf("the row is longer than %d bytes", maxRow)
	errTooMany    = fmt.Errorf("the row has more than %d columns", maxColumns)
)

// errMore says that the record goes on after the bytes in memory.
var errMore = errors.New("more bytes needed")

func newRecords(w *window, delimiter byte) *records {
	r := &records{w: w, delimiter: delimiter}
	for _, c := range []byte{delimiter, '\r', '\n', 0} {
		r.special[c] = true
	}
	return r
}

// next reads the next record into text and ends. fault says why a record cannot be read; then the next call goes on at
// the line after the first line of this record. err is io.EOF at the end, or an error of reading. A line without any
// character has no cells.
func (r *records) next() (fault, err error) {
	for {
		if len(r.w.unread()) == 0 && !r.w.fill() {
			return nil, r.w.err
		}
		b, last := r.w.unread(), r.w.complete()
		if len(b) > maxRow {
			b, last = b[:maxRow], false
		}
		n, fault := r.scan(b, last)
		cut := fault == errMore || fault == errOpenQuote && !last
		switch {
		case cut && len(b) < maxRow && (r.w.fill() || r.w.complete()):
			continue
		case cut && len(b) < maxRow:
			return nil, r.w.err
		case fault == errMore:
			fault = errTooLong
		}
		if fault != nil {
			r.w.skipLine()
			return fault, nil
		}
		r.w.start += n
		return r.check(), nil
	}
}

// check returns the fault of a record that is CSV but cannot be used.
func (r *records) check() error {
	switch {
	case len(r.ends) > maxColumns:
		return errTooMany
	case r.nul:
		return errNUL
	case !r.w.inexact && !utf8.Valid(r.text):
		return errNotUTF8
	case r.w.inexact && bytes.Contains(r.text, []byte("\uFFFD")):
		return errNoChar
	}
	return nil
}

// scan reads the record at the start of b, and returns the number of its bytes with its line end. last says that the
// file ends with b. The fault is errMore if b has no complete record, and errOpenQuote if it ends inside quotes.
func (r *records) scan(b []byte, last bool) (int, error) {
	r.text, r.ends, r.nul = r.text[:0], r.ends[:0], false
	i := 0
	for {
		var err error
		if q := afterBlanks(b, i, r.delimiter); q < len(b) && b[q] == '"' {
			i, err = r.quoted(b, q+1)
		} else {
			i = r.unquoted(b, i)
		}
		if err != nil {
			return 0, err
		}
		if i == len(b) {
			if !last {
				return 0, errMore
			}
			r.endCell()
			return i, nil
		}
		if b[i] == r.delimiter {
			r.endCell()
			i++
			continue
		}
		if b[i] == '\r' && i+1 == len(b) && !last {
			return 0, errMore // the next byte may be the LF of this line end
		}
		if i > 0 { // else the line is empty
			r.endCell()
		}
		if b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n' {
			i++
		}
		return i + 1, nil
	}
}

func (r *records) endCell() { r.ends = append(r.ends, len(r.text)) }

// unquoted reads a cell without quotes around it. It returns the position of the delimiter or line end after it.
func (r *records) unquoted(b []byte, from int) int {
	i := from
	for i < len(b) {
		for i < len(b) && !r.special[b[i]] {
			i++
		}
		if i < len(b) && b[i] == 0 {
			r.nul = true
			i++
			continue
		}
		break
	}
	r.text = append(r.text, b[from:i]...)
	return i
}

// quoted reads a cell from the byte after its first quote. It returns the position of the delimiter or line end after
// it. Spaces between the quotes and the delimiters do not belong to the cell, but any other text does. After quotes around
// several lines it is a fault: then the first quote is probably one too many, and the lines are other rows.
func (r *records) quoted(b []byte, from int) (int, error) {
	first := from
	for {
		n := bytes.IndexByte(b[from:], '"')
		if n < 0 {
			return 0, errOpenQuote
		}
		r.text = append(r.text, b[from:from+n]...)
		r.nul = r.nul || bytes.IndexByte(b[from:from+n], 0) >= 0
		from += n + 1
		if from < len(b) && b[from] == '"' {
			r.text = append(r.text, '"')
			from++
			continue
		}
		break
	}
	i := afterBlanks(b, from, r.delimiter)
	if i == len(b) || b[i] == r.delimiter || b[i] == '\r' || b[i] == '\n' {
		return i, nil
	}
	if bytes.ContainsAny(b[first:from], "\r\n") {
		return 0, errStrayQuote
	}
	return r.unquoted(b, from), nil
}

// afterBlanks returns the position after spaces and tabs that are not the delimiter.
func afterBlanks(b []byte, i int, delimiter byte) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') && b[i] != delimiter {
		i++
	}
	return i
}
