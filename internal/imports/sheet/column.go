package sheet

import (
	"slices"
	"strconv"
	"strings"

	"enlist/internal/address"
)

// This file makes the names of columns.

const (
	maxTitles = 10  // rows above the header that are looked at
	maxAhead  = 100 // rows, also empty ones, that are read to find the header
)

// titles returns how many of the first rows of a file are titles or notes, which programs and people write above the
// header, each in one cell. The header and the row after it have several cells. A row with an address is no header, so
// it has none above it. more asks for the next row.
func titles(rows [][]string) (n int, more bool) {
	last := len(rows) - 1
	switch isWide, isAfterHeader := filled(rows[last]) > 1, last > 0 && filled(rows[last-1]) > 1; {
	case isAfterHeader && isWide:
		return last - 1, false
	case isAfterHeader, addressIn(rows[last]) >= 0, isWide && last == 0:
		return 0, false
	}
	return 0, last < maxTitles
}

// filled returns the number of cells that are not empty.
func filled(row []string) (n int) {
	for _, cell := range row {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n
}

// addressIn returns the place of the first cell with an address, or -1.
func addressIn(row []string) int {
	return slices.IndexFunc(row, func(cell string) bool {
		_, _, ok := address.ParseEmail(address.Bare(cell))
		return ok
	})
}

// withoutHeader returns the names of columns if the first row of a file has an address and so is no header: Email for
// the first column with one. It returns nil for a header.
func withoutHeader(row []string) []string {
	n := addressIn(row)
	if n < 0 {
		return nil
	}
	names := numbered(len(row))
	names[n] = "Email"
	return names
}

// heading returns the name of a column in a header: each white space is one space, and invisible characters are left
// out.
func heading(name string) string { return strings.Join(strings.Fields(address.Visible(name)), " ") }

// numbered returns the names of columns without a header: col 1, col 2, ...
func numbered(n int) []string { return named(make([]string, n)) }

// named returns the names of a header. A name that is there already gets a number, as in
// "Email", "Email 2", and an empty name becomes "col 3" for the third column. A made name never equals a name of the
// header.
func named(header []string) []string {
	names := make([]string, len(header))
	taken := make(map[string]bool, len(header))
	for i, name := range header {
		if name = heading(name); name != "" && !taken[name] {
			names[i], taken[name] = name, true
		}
	}
	for i, name := range header {
		if names[i] != "" {
			continue
		}
		if name = heading(name); name == "" {
			name = "col " + strconv.Itoa(i+1)
		}
		names[i] = unique(name, taken)
		taken[names[i]] = true
	}
	return names
}

// unique returns the name, or with the first number that makes it unique.
func unique(name string, taken map[string]bool) string {
	made := name
	for n := 2; taken[made]; n++ {
		made = name + " " + strconv.Itoa(n)
	}
	return made
}
