package sheet

import (
	"fmt"
	"strings"
	"time"
)

// This file makes rows from the cells of a CSV file or of a sheet: it finds the header, and gives each row as many cells
// as there are columns.

// cellRow is a row as it is in the file.
type cellRow struct {
	number int64 // from 1
	cells  []any
	fault  error // makes only this row bad; then it has no cells
}

// cells reads the rows of a CSV file or of a sheet. It leaves out rows whose cells are all empty. Its errors are those of
// Reader.Next, and it returns them again.
type cells interface{ read() (cellRow, error) }

// table is the rows below a header.
type table struct {
	in     cells
	names  []string
	header int64     // number of the header's row; 0: there is none
	titles int       // number of rows above the header, which are left out
	ahead  []cellRow // that were read to find the header, and are rows
}

// newTable reads the header, or the number of columns from the first row. A file whose first row has an address has no
// header. It returns io.EOF if there are no rows.
func newTable(in cells, noHeader bool) (*table, error) {
	t := &table{in: in}
	var first [][]string // the rows without a fault
	var places []int     // of them in ahead
	for more := true; more && len(t.ahead) < maxAhead; {
		row, err := in.read()
		switch {
		case err != nil && len(first) == 0:
			return nil, err
		case row.fault != nil && len(first) == 0:
			return nil, fmt.Errorf("the first row cannot be read: %w", row.fault)
		case err != nil: // next returns it
			more = false
			continue
		}
		t.ahead = append(t.ahead, row)
		if row.fault != nil {
			continue
		}
		texts := make([]string, len(row.cells))
		for i, cell := range row.cells {
			texts[i] = cellText(cell)
		}
		first, places = append(first, texts), append(places, len(t.ahead)-1)
		if t.titles, more = titles(first); noHeader {
			t.titles, more = 0, false
		}
	}
	header := first[t.titles]
	if t.names = numbered(len(header)); !noHeader {
		t.names = withoutHeader(header)
	}
	if t.names == nil {
		at := places[t.titles]
		t.names, t.header, t.ahead = named(header), t.ahead[at].number, t.ahead[at+1:]
	}
	return t, nil
}

// cellText returns the text of a cell of the header.
func cellText(cell any) string {
	if day, ok := cell.(time.Time); ok {
		return day.Format(time.DateOnly)
	}
	return fmt.Sprint(cell)
}

func (t *table) columns() []string { return t.names }

// next returns a row with one value for each column. Values that are missing at the end are empty.
func (t *table) next() (Row, error) {
	var row cellRow
	if len(t.ahead) > 0 {
		row, t.ahead = t.ahead[0], t.ahead[1:]
	} else {
		var err error
		if row, err = t.in.read(); err != nil {
			return Row{}, err
		}
	}
	next := Row{Number: row.number - t.header, Values: row.cells, Err: row.fault}
	if n := len(t.names); row.fault == nil && len(row.cells) > n {
		if isBlank(row.cells[n:]) {
			next.Values = row.cells[:n]
		} else {
			next.Err = fmt.Errorf("the row has %d cells, but the file has %d columns", len(row.cells), n)
		}
	}
	for next.Err == nil && len(next.Values) < len(t.names) {
		next.Values = append(next.Values, "")
	}
	return next, nil
}

// isBlank reports whether all cells are empty or blank.
func isBlank(cells []any) bool {
	for _, cell := range cells {
		if text, ok := cell.(string); !ok || strings.TrimSpace(text) != "" {
			return false
		}
	}
	return true
}

// delimited reads the records of a CSV file.
type delimited struct {
	records *records
	number  int64
}

// read implements cells.
func (d *delimited) read() (cellRow, error) {
	for {
		fault, err := d.records.next()
		if err != nil {
			return cellRow{}, err
		}
		d.number++
		if fault != nil {
			return cellRow{number: d.number, fault: fault}, nil
		}
		if cells := d.records.cells(); !isBlank(cells) {
			return cellRow{number: d.number, cells: cells}, nil
		}
	}
}

// cells returns the cells of the record. They share one string.
func (r *records) cells() []any {
	text := string(r.text)
	cells := make([]any, len(r.ends))
	start := 0
	for i, end := range r.ends {
		cells[i], start = text[start:end], end
	}
	return cells
}
