package config

import (
	"os"
	"strings"
)

// This file reads the file with the variables of an installed service, and finds the nearest name to a misspelled one.

// ReadVariables returns the ENLIST_ variables of a file in the form of EnvironmentFile of systemd: NAME=VALUE in each
// line, with or without quotes, and comments that begin with # or ;.
func ReadVariables(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	values := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok || !strings.HasPrefix(name, "ENLIST_") {
			continue
		}
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		values[name] = value
	}
	return values, nil
}

// Nearest returns the name that differs least from a misspelled one, or "" if none is near: at most one of four
// characters may be another one.
func Nearest(name string, of []string) (nearest string) {
	least := len(name)/4 + 1
	for _, other := range of {
		if d := distance(name, other); d < least {
			nearest, least = other, d
		}
	}
	return nearest
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
