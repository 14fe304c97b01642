// This file makes rows from the records of a CSV file.

package sheet

import (
	"fmt"
	"io"
	"strings"
)

// delimited reads the rows of a CSV file.
type delimited struct {
	records *records
	names   []string
	number  int64
	again   bool // the record in memory is the first row, because the file has no header
}

// newDelimited reads the header, or the number of columns from the first row. A file whose first row has an address has
// no header.
func newDelimited(w *window, delimiter byte, noHeader bool) (*delimited, error) {
	d := &delimited{records: newRecords(w, delimiter)}
	for number := int64(1); ; number++ {
		fault, err := d.records.next()
		switch {
		case err == io.EOF:
			return nil, errEmpty
		case err != nil:
			return nil, err
		case fault != nil:
			return nil, fmt.Errorf("the first line cannot be read: %w", fault)
		}
		cells := d.records.cells()
		if isEmpty(cells) {
			continue
		}
		if d.names = numbered(len(cells)); !noHeader {
			d.names = withoutHeader(cells)
		}
		if d.names == nil {
			d.names = named(cells)
		} else {
			d.number, d.again = number-1, true
		}
		return d, nil
	}
}

func (d *delimited) columns() []string { return d.names }

func (d *delimited) next() (Row, error) {
	for {
		var fault, err error
		if !d.again {
			fault, err = d.records.next()
		}
		d.number++
		d.again = false
		if err != nil {
			return Row{}, err
		}
		if fault != nil {
			return Row{Number: d.number, Err: fault}, nil
		}
		cells := d.records.cells()
		if isEmpty(cells) {
			continue
		}
		return d.row(cells), nil
	}
}

// row returns a row with one value for each column. Values that are missing at the end are empty.
func (d *delimited) row(cells []string) Row {
	row := Row{Number: d.number}
	if len(cells) > len(d.names) {
		if !isEmpty(cells[len(d.names):]) {
			row.Err = tooWide(len(cells), len(d.names))
			for _, cell := range cells {
				row.Values = append(row.Values, cell)
			}
			return row
		}
		cells = cells[:len(d.names)]
	}
	row.Values = make([]any, len(d.names))
	for i := range row.Values {
		if i < len(cells) {
			row.Values[i] = cells[i]
		} else {
			row.Values[i] = ""
		}
	}
	return row
}

func tooWide(cells, columns int) error {
	return fmt.Errorf("the row has %d cells, but the file has %d columns", cells, columns)
}

// cells returns the cells of the record. They share one string.
func (r *records) cells() []string {
	text := string(r.text)
	cells := make([]string, len(r.ends))
	start := 0
	for i, end := range r.ends {
		cells[i], start = text[start:end], end
	}
	return cells
}

// isEmpty reports whether all cells are empty or blank.
func isEmpty(cells []string) bool {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			return false
		}
	}
	return true
}
