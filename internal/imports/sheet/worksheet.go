package sheet

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// This file reads the rows of a sheet of an XLSX workbook.

// worksheet reads the rows of a sheet. It needs memory for one row.
type worksheet struct {
	book  *workbook
	in    *xml.Decoder
	row   int64 // number of the row in the sheet, from 1
	ended bool  // the last row was read
}

// read implements cells. It leaves out the empty cells at the end of a row.
func (s *worksheet) read() (cellRow, error) {
	for {
		if s.ended {
			return cellRow{}, io.EOF
		}
		token, err := s.in.RawToken()
		if err != nil {
			return cellRow{}, fmt.Errorf("the workbook is damaged: read the sheet: %w", unexpected(err))
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local != "row" {
				continue
			}
			if err := s.countRow(token.Attr); err != nil {
				return cellRow{}, err
			}
			s.book.xmlLeft = maxXML
			cells, fault, err := s.cells()
			if err != nil || fault != nil || len(cells) > 0 {
				return cellRow{s.row, cells, fault}, err
			}
		case xml.EndElement:
			s.ended = token.Name.Local == "sheetData"
		}
	}
}

// countRow sets the number of the row. Rows may leave out their numbers, and numbers increase.
func (s *worksheet) countRow(attrs []xml.Attr) error {
	before := s.row
	s.row++
	for _, attr := range attrs {
		if attr.Name.Local != "r" {
			continue
		}
		n, err := strconv.ParseInt(attr.Value, 10, 64)
		if err != nil || n <= before {
			return fmt.Errorf("the workbook is damaged: row %q follows row %d", attr.Value, before)
		}
		s.row = n
	}
	return nil
}

// cells reads the cells up to the end of the row.
func (s *worksheet) cells() (cells []any, fault, err error) {
	column, size, filled := 0, 0, 0
	for {
		token, err := s.in.RawToken()
		if err != nil {
			return nil, nil, fmt.Errorf("the workbook is damaged: read row %d: %w", s.row, unexpected(err))
		}
		switch token := token.(type) {
		case xml.EndElement:
			if token.Name.Local == "row" {
				if fault != nil {
					return nil, fault, nil
				}
				return cells[:filled], nil, nil
			}
		case xml.StartElement:
			if token.Name.Local != "c" {
				continue
			}
			c := cell{}
			if err := c.read(s.in, token.Attr); err != nil {
				return nil, nil, fmt.Errorf("the workbook is damaged: read row %d: %w", s.row, unexpected(err))
			}
			if c.column > 0 {
				column = c.column
			} else {
				column++
			}
			value := c.value(s.book)
			var bad error
			if size += len(c.text); size > maxRow {
				bad = errTooLong
			}
			if column > maxColumns {
				bad = errTooMany
			}
			if fault = cmp.Or(fault, bad); fault != nil {
				continue
			}
			for len(cells) < column {
				cells = append(cells, "")
			}
			cells[column-1] = value
			if text, ok := value.(string); !ok || strings.TrimSpace(text) != "" {
				filled = max(filled, column)
			}
		}
	}
}

// cell is a cell as it is in the file.
type cell struct {
	ref    string
	column int    // from 1; 0: the cell after the one before
	kind   string // attribute t
	style  int
	text   string
}

// read reads a cell from its start to its end.
func (c *cell) read(d *xml.Decoder, attrs []xml.Attr) error {
	for _, attr := range attrs {
		switch attr.Name.Local {
		case "r":
			c.ref, c.column = attr.Value, columnNumber(attr.Value)
		case "t":
			c.kind = attr.Value
		case "s":
			c.style, _ = strconv.Atoi(attr.Value) // a wrong style is no date
		}
	}
	inValue := false
	var text []byte
	for {
		token, err := d.RawToken()
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			inValue = token.Name.Local == "v"
			if token.Name.Local == "is" {
				if c.text, err = readText(d, "is"); err != nil {
					return err
				}
			}
		case xml.CharData:
			if inValue {
				text = append(text, token...)
			}
		case xml.EndElement:
			inValue = false
			if token.Name.Local == "c" {
				if text != nil {
					c.text = string(text)
				}
				return nil
			}
		}
	}
}

// CellError is a cell that cannot be read, such as one with the error #N/A of Excel. It says why, in a sentence for a
// person. The other cells of its row can be used.
type CellError string

func (e CellError) Error() string { return string(e) }

// value returns the value of a cell, which may be a CellError.
func (c *cell) value(book *workbook) any {
	switch c.kind {
	case "inlineStr":
		return c.text
	case "str":
		return unescape(c.text)
	case "s":
		return c.sharedText(book)
	case "b":
		if strings.TrimSpace(c.text) == "" {
			return ""
		}
		return isTrue(strings.TrimSpace(c.text))
	case "e":
		return CellError(fmt.Sprintf("cell %s contains the error %s", c.ref, c.text))
	case "d":
		if t, ok := parseISO(strings.TrimSpace(c.text)); ok {
			return t
		}
		return c.text
	}
	if strings.TrimSpace(c.text) == "" {
		return ""
	}
	number, err := strconv.ParseFloat(strings.TrimSpace(c.text), 64)
	if err != nil {
		return CellError(fmt.Sprintf("cell %s contains %q, which is not a number", c.ref, c.text))
	}
	return book.number(number, c.style)
}

// sharedText returns the text whose number the cell has.
func (c *cell) sharedText(book *workbook) any {
	number := strings.TrimSpace(c.text)
	if number == "" {
		return ""
	}
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(book.texts) {
		return CellError(fmt.Sprintf("cell %s has a text that is not in the workbook", c.ref))
	}
	c.text = book.texts[i]
	return c.text
}

// number returns a number as its style shows it: a date, a text with its zeros, or a number.
func (b *workbook) number(number float64, styled int) any {
	decimal := decimal(number)
	if styled <= 0 || styled >= len(b.styles) {
		return decimal
	}
	switch s := &b.styles[styled]; {
	case s.isDate:
		if t, ok := b.from.time(number); ok {
			return t
		}
	case s.code != "" && strings.Trim(string(decimal), "0123456789") == "":
		return s.show(string(decimal))
	}
	return decimal
}

// decimal returns a number with the 15 digits that Excel shows and keeps. A binary number such as 0.1 is
// 0.10000000000000001 in the file.
func decimal(number float64) json.Number {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(number, 'g', 15, 64), 64)
	if err != nil {
		rounded = number
	}
	return json.Number(strconv.FormatFloat(rounded, 'f', -1, 64))
}

// columnNumber returns 1 for A1, 2 for B7, 27 for AA3, and 0 for anything else.
func columnNumber(ref string) int {
	n := 0
	for i, c := range ref {
		if c < 'A' || c > 'Z' {
			if i > 0 && c >= '0' && c <= '9' {
				return n
			}
			return 0
		}
		if n = n*26 + int(c-'A') + 1; n > 1<<20 {
			return n
		}
	}
	return 0
}

// unescape replaces _x000D_ by the character with this number. Excel writes control characters in this way.
func unescape(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "_x")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		text = after
		if len(after) >= 5 && after[4] == '_' {
			if n, err := strconv.ParseUint(after[:4], 16, 16); err == nil {
				b.WriteRune(rune(n))
				text = after[5:]
				continue
			}
		}
		b.WriteString("_x")
	}
}
