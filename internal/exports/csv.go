package exports

import (
	"strconv"
	"strings"

	"enlist/internal/enlist"
)

// This file encodes Contacts as CSV (RFC 4180), with LF as line end.

// byteOrderMark makes Excel read a file as UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

func appendHeader(b []byte, columns []enlist.Column, excel bool) []byte {
	if excel {
		b = append(b, byteOrderMark...)
	}
	for i := range columns {
		b = appendCell(b, i, columns[i].Name, excel)
	}
	return append(b, '\n')
}

func appendRow(b []byte, columns []enlist.Column, c *enlist.Contact, excel bool) []byte {
	for i := range columns {
		if f := columns[i].Field; f != nil {
			b = appendCell(b, i, c.Values.Get(f.ID), excel && !f.Numeric())
			continue
		}
		switch v := columns[i].System.Get(c); v.Kind {
		case enlist.KeyInt:
			b = strconv.AppendInt(appendComma(b, i), v.Int, 10)
		case enlist.KeyBool:
			b = strconv.AppendBool(appendComma(b, i), v.Int != 0)
		default:
			b = appendCell(b, i, v.Text, excel)
		}
	}
	return append(b, '\n')
}

// appendProof appends the column proof to a line that has cells in n columns.
func appendProof(b []byte, text string, n int) []byte {
	return append(appendCell(b[:len(b)-1], n, text, false), '\n')
}

// appendComma appends the comma before each cell except the first.
func appendComma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

// appendCell appends the cell of column i. If guarded is true, a text that a spreadsheet would calculate gets a single
// quote in front.
func appendCell(b []byte, i int, text string, guarded bool) []byte {
	b = appendComma(b, i)
	if guarded {
		text = enlist.SpreadsheetText(text)
	}
	if !needsQuotes(text) {
		return append(b, text...)
	}
	b = append(b, '"')
	for {
		before, after, found := strings.Cut(text, `"`)
		b = append(b, before...)
		if !found {
			return append(b, '"')
		}
		b = append(b, `""`...)
		text = after
	}
}

// needsQuotes reports whether a reader could split or trim the text. Readers that look for the delimiter also count
// semicolons, tabs and bars.
func needsQuotes(text string) bool {
	if text == "" {
		return false
	}
	for i := range len(text) {
		switch text[i] {
		case '"', ',', ';', '|', '\t', '\r', '\n':
			return true
		}
	}
	return text != strings.TrimSpace(text)
}
