// This file makes the names of columns.

package sheet

import (
	"slices"
	"strconv"
	"strings"

	"enlist/internal/address"
)

// withoutHeader returns the names of columns if the first row of a file has an address and so is no header: Email for
// the first column with one. It returns nil for a header.
func withoutHeader(row []string) []string {
	n := slices.IndexFunc(row, func(cell string) bool {
		_, _, ok := address.ParseEmail(address.Bare(cell))
		return ok
	})
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
