package enlist

import "strings"

// This file finds the name that a caller or an operator probably meant.

// Nearest returns the name that differs least from a misspelled one, or "" if none is near: at most one of four
// characters may be another one. It ignores letter case. Of names that are equally near it returns the first.
func Nearest(name string, of []string) (nearest string) {
	least := len(name)/4 + 1
	name = strings.ToLower(name)
	for _, other := range of {
		if len(name)-len(other) >= least || len(other)-len(name) >= least {
			continue // the distance is at least the difference of the lengths
		}
		if d := distance(name, strings.ToLower(other)); d < least {
			nearest, least = other, d
		}
	}
	return nearest
}

// DidYouMean returns the end of a message about an unknown name: ", did you mean "x"?", or "" if no name is near.
func DidYouMean(name string, of []string) string {
	if near := Nearest(name, of); near != "" {
		return `, did you mean "` + near + `"?`
	}
	return ""
}

// distance returns how many characters must be inserted, removed or replaced, or swapped with the next one, to change a
// into b (Damerau-Levenshtein with adjacent transpositions).
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}

// UnknownName is a name that means nothing to a call.
type UnknownName struct {
	Name string
	Near string // the name that the caller probably meant; "" if there is none
}

// MaxUnknown is the largest number of names that UnknownNames collects.
const MaxUnknown = 20

// UnknownNames collects names that mean nothing to a call, each once.
type UnknownNames []UnknownName

// Add adds a name. known returns the names that have a meaning. Add returns false after the last name that it collects.
func (u *UnknownNames) Add(name string, known func() []string) bool {
	for i := range *u {
		if (*u)[i].Name == name {
			return true
		}
	}
	*u = append(*u, UnknownName{name, Nearest(name, known())})
	return len(*u) < MaxUnknown
}
