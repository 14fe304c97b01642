package internal_test

// This file checks the sizes that CONTRIBUTING.md names.

import (
	"path/filepath"
	"strings"
	"testing"
)

// Functions of the product code have fewer than 60 lines, and its files fewer than 400. Generated files may be longer.
func TestFunctionsAndFilesAreShort(t *testing.T) {
	eachFile(t, func(path, text string) {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(text, "// Code generated") {
			return
		}
		if n := strings.Count(text, "\n"); n >= 400 {
			t.Errorf("%s has %d lines", path, n)
		}
		name, begin := "", 0 // of the function
		for i, line := range strings.Split(text, "\n") {
			switch {
			case strings.HasPrefix(line, "func "):
				name, begin = line, i
			case line == "}" && name != "" && i-begin+1 >= 60:
				t.Errorf("%s: %s has %d lines", path, name, i-begin+1)
			}
			if line == "}" {
				name = ""
			}
		}
	})
}
