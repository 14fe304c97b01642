package config

import (
	"os"
	"strings"
)

// This file reads the file with the variables of an installed service.

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
