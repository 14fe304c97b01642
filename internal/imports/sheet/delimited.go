package sheet

import (
	"fmt"
	"io"
	"strings"
)

// This file makes rows from the records of a CSV file.

// delimited reads the rows of a CSV file.
type delimited struct {
	records  *records
	names    []string
	number   int64    // of rows that were returned or left out, without the header and what is above it
	ahead    []record // that were read to find the header, and are rows
	noHeader bool
	titles   int
}

// record is a record that was read.
type record struct {
	cells []string
	fault error
}

// newDelimited reads the header, or the number of columns from the first row. A file whose first row has an address has
// no header.
func newDelimited(w *window, delimiter byte, noHeader bool) (*delimited, error) {
	d := &delimited{records: newRecords(w, delimiter), noHeader: noHeader}
	var first [][]string // that are not empty
	var places []int     // of them in ahead
	for more := true; more && len(d.ahead) < maxAhead; {
		next, err := d.read()
		switch {
		case err == io.EOF && len(first) == 0:
			return nil, errEmpty
		case err != nil && len(first) == 0:
			return nil, err
		case next.fault != nil && len(first) == 0:
			return nil, fmt.Errorf("the first line cannot be read: %w", next.fault)
		case err != nil: // the next call of read returns it again
			more = false
			continue
		}
		isBlank := next.fault == nil && isEmpty(next.cells)
		if isBlank && len(first) == 0 {
			d.number++
			continue
		}
		d.ahead = append(d.ahead, next)
		if next.fault != nil || isBlank {
			continue
		}
		first, places = append(first, next.cells), append(places, len(d.ahead)-1)
		if d.titles, more = titles(first); noHeader {
			d.titles, more = 0, false
		}
	}
	header := first[d.titles]
	if d.names = numbered(len(header)); !noHeader {
		d.names = withoutHeader(header)
	}
	if d.names == nil {
		d.names, d.number = named(header), 0
		d.ahead = d.ahead[places[d.titles]+1:]
	} else {
		d.noHeader = true
	}
	return d, nil
}

func (d *delimited) columns() []string { return d.names }

// read reads the next record.
func (d *delimited) read() (record, error) {
	fault, err := d.records.next()
	if err != nil || fault != nil {
		return record{fault: fault}, err
	}
	return record{cells: d.records.cells()}, nil
}

func (d *delimited) next() (Row, error) {
	for {
		var next record
		var err error
		if len(d.ahead) > 0 {
			next, d.ahead = d.ahead[0], d.ahead[1:]
		} else if next, err = d.read(); err != nil {
			return Row{}, err
		}
		d.number++
		switch {
		case next.fault != nil:
			return Row{Number: d.number, Err: next.fault}, nil
		case !isEmpty(next.cells):
			return d.row(next.cells), nil
		}
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
