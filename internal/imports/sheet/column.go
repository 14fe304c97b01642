// This file makes the names of columns.

package sheet

import (
	"strconv"
	"strings"
)

// numbered returns the names of columns without a header: col 1, col 2, ...
func numbered(n int) []string { return named(make([]string, n)) }

// named returns the names of a header without spaces around them. A name that is there already gets a number, as in
// "Email", "Email 2", and an empty name becomes "col 3" for the third column. A made name never equals a name of the
// header.
func named(header []string) []string {
	names := make([]string, len(header))
	taken := make(map[string]bool, len(header))
	for i, name := range header {
		if name = strings.TrimSpace(name); name != "" && !taken[name] {
			names[i], taken[name] = name, true
		}
	}
	for i, name := range header {
		if names[i] != "" {
			continue
		}
		if name = strings.TrimSpace(name); name == "" {
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
