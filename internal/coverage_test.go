package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file compares doc/reference.md, the table of methods and doc/decisions.md with the tests.

// coverage has, for each row of the documents ("spec <id>" or "decision <n>"), the names of the
// tests and transcripts that cover it.
type coverage map[string][]string

// Every row of doc/reference.md that has an ID in braces, every method, and every entry
// of doc/decisions.md, is covered by a transcript or script with the line
//
//	covers: spec subscribeContact.rule.1, decision 24
//
// or by a test with such a line in its comment.
func TestEveryRowOfTheDocumentsIsCovered(t *testing.T) {
	rows := documentRows(t)
	covered := make(coverage)
	readTranscripts(t, covered)
	readTests(t, covered)
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		if len(covered[row]) == 0 {
			t.Errorf("no transcript and no test covers %s", row)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(covered)) {
		if !rows[row] {
			t.Errorf("%s: a \"covers:\" line names %q, but the documents have no such row", covered[row], row)
		}
	}
}

// methodRows has a row for each method, and for parameters, errors and keys of some (internal/rpc/reference_test.go).
const methodRows = "rpc/testdata/rows.list"

var (
	rowID        = regexp.MustCompile(`\{#([A-Za-z0-9_.-]+)\}`)
	decisionHead = regexp.MustCompile(`(?m)^### (\d+)\. `)
	quotedName   = regexp.MustCompile("`([^`]+)`")
)

// documentRows returns all rows that must be covered. doc/reference.md may contain an ID several
// times, because it also refers to rows by their IDs.
func documentRows(t *testing.T) map[string]bool {
	rows := make(map[string]bool)
	for _, m := range rowID.FindAllStringSubmatch(read(t, "../doc/reference.md")+read(t, methodRows), -1) {
		rows["spec "+m[1]] = true
	}
	last := 0
	for _, m := range decisionHead.FindAllStringSubmatch(read(t, "../doc/decisions.md"), -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || n <= last {
			t.Errorf("doc/decisions.md: entry %s after %d: the numbers ascend and never change", m[1], last)
		}
		last = n
		rows["decision "+m[1]] = true
	}
	return rows
}

// readTranscripts collects the covers: lines of the wire transcripts and of
// the command line's scripts.
func readTranscripts(t *testing.T, covered coverage) {
	for _, pattern := range []string{"rpc/testdata/*.txt", "../cmd/enlist/testdata/*.txt"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			for line := range strings.Lines(read(t, file)) {
				covered.add(t, filepath.Base(file), strings.TrimLeft(line, "# "))
			}
		}
	}
}

// readTests collects the covers: lines in the comments of test functions, in
// the whole module.
func readTests(t *testing.T, covered coverage) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || d.Name() == "coverage_test.go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		owner := make(map[*ast.CommentGroup]string)
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Doc != nil && isTest(fn.Name.Name) {
				owner[fn.Doc] = fn.Name.Name
			}
		}
		for _, group := range file.Comments {
			for line := range strings.Lines(group.Text()) {
				if strings.HasPrefix(line, "covers:") && owner[group] == "" {
					t.Errorf("%s: a covers: line outside the comment of a test", path)
				}
				covered.add(t, owner[group], line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// citation is a reference to rows in a comment: "reference.md: endpoint.path, Search; decisions.md: 24". A name without a
// dot may also be a heading.
var citation = regexp.MustCompile(`\b(reference|decisions)\.md: ((?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*(?:, )?)+)`)

// Each row, method, heading and entry that a comment cites exists.
func TestCitedRowsExist(t *testing.T) {
	rows := documentRows(t)
	for _, m := range heading.FindAllStringSubmatch(read(t, "../doc/reference.md"), -1) {
		rows["spec "+m[1]] = true
	}
	for row := range maps.Clone(rows) {
		method, _, _ := strings.Cut(row, ".")
		rows[method] = true // subscribeContact has the rows subscribeContact.1 and others
	}
	kinds, cited := map[string]string{"reference": "spec ", "decisions": "decision "}, 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || d.Name() == "coverage_test.go" {
			return err
		}
		text := commentBreak.ReplaceAllString(read(t, path), " ")
		for _, m := range citation.FindAllStringSubmatch(text, -1) {
			for name := range strings.SplitSeq(m[2], ", ") {
				cited++
				if name != "" && !rows[kinds[m[1]]+name] {
					t.Errorf("%s cites %q of %s.md, which has no such row", path, name, m[1])
				}
			}
		}
		return nil
	})
	if err != nil || cited < 300 {
		t.Fatalf("%d citations found, want 300 or more (error %v)", cited, err)
	}
}

var (
	heading      = regexp.MustCompile(`(?m)^##+ (.*)$`)
	commentBreak = regexp.MustCompile(`\n\s*// ?`)
)

// Each test and transcript that doc/security.md names exists.
func TestSecurityPageNamesTestsThatExist(t *testing.T) {
	exists := make(map[string]bool)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		exists[d.Name()] = true
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range testFunction.FindAllStringSubmatch(read(t, path), -1) {
				exists[m[1]] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range quotedName.FindAllStringSubmatch(read(t, "../doc/security.md"), -1) {
		if name := m[1]; (isTest(name) || strings.HasSuffix(name, ".txt")) && !exists[name] {
			t.Errorf("doc/security.md names %s, which does not exist", name)
		}
	}
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w*)\(`)

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")
}

// add reads one covers: line and skips any other line. An item without "spec" or "decision" has
// the kind of the item before it.
func (c coverage) add(t *testing.T, name, line string) {
	list, ok := strings.CutPrefix(strings.TrimSpace(line), "covers:")
	if !ok {
		return
	}
	kind := ""
	for item := range strings.SplitSeq(list, ",") {
		words := strings.Fields(item)
		if len(words) == 2 {
			kind, words = words[0], words[1:]
		}
		if len(words) != 1 || kind != "spec" && kind != "decision" {
			t.Errorf("%s: covers %q: neither \"spec <id>\" nor \"decision <number>\"", name, item)
			continue
		}
		if row := kind + " " + words[0]; !slices.Contains(c[row], name) {
			c[row] = append(c[row], name)
		}
	}
}

func read(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
