package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// This file checks the sizes that CONTRIBUTING.md names, and where the comment of a file stands.

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

// block matches the start tag of an element that begins a line of its own: a browser shows it as a block, a part of a
// table or an option. Others, such as links, are words of a sentence.
var block = regexp.MustCompile(`<(?:article|body|dd|details|div|dl|dt|fieldset|footer|form|h[1-6]|head|header|html|` +
	`label|legend|li|main|nav|ol|optgroup|option|p|section|summary|table|tbody|td|th|thead|tr|ul)[\s>]`)

// A line of a template has one element at most, and 120 columns, of which a tab has four. The lines of snippet.html are
// those that people copy into their pages.
func TestTemplatesHaveOneElementALine(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".html" || strings.Contains(path, "testdata") {
			return err
		}
		text, err := os.ReadFile(path)
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); n > 120 {
				t.Errorf("%s:%d has %d columns", path, i+1, n)
			}
			if n := len(block.FindAllString(line+" ", -1)); n > 1 && d.Name() != "snippet.html" {
				t.Errorf("%s:%d has %d elements", path, i+1, n)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A comment about a file stands after its imports. Before the package stand only the comment about it and build tags.
func TestCommentsOfFilesStandAfterTheirImports(t *testing.T) {
	before := regexp.MustCompile(`^(?://go:build .*\n\n)?// (?:Package |Command |Code generated )`)
	between := regexp.MustCompile(`(?m)^package \w+\n\n(?:// .*\n)+\nimport `)
	eachFile(t, func(path, text string) {
		if filepath.Ext(path) != ".go" {
			return
		}
		head, _, _ := strings.Cut("\n"+text, "\npackage ")
		if strings.Contains(head, "\n// ") && !before.MatchString(text) || between.MatchString(text) {
			t.Errorf("%s: the comment about the file stands before its imports", path)
		}
	})
}
