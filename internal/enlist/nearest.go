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

// distance returns how many characters must be inserted, removed or replaced to change a into b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
