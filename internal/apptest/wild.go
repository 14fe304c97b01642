package apptest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// This file has the files of other programs that imports read in the tests of several packages.

// WildFile is a file of another program, and what an import of it into a new List gives.
type WildFile struct {
	Name                    string
	Path                    string
	Added, Skipped, Refused int64
	Values                  []string // of the Contacts, in the order of the columns, with bars between them
	Page, Command           string   // what a page and the command say about the file; "": nothing special
}

// WildFiles returns all files.
func WildFiles(t testing.TB) (all []WildFile) {
	t.Helper()
	folder := "internal/imports/testdata"
	for {
		if _, err := os.Stat(filepath.Join(folder, "wild.tsv")); err == nil {
			break
		}
		if folder = filepath.Join("..", folder); len(folder) > 100 {
			t.Fatal("the table wild.tsv is in no folder above the test")
		}
	}
	table, err := os.ReadFile(filepath.Join(folder, "wild.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.Trim(string(table), "\n"), "\n")[1:] {
		cells := strings.Split(line, "\t")
		f := WildFile{Name: cells[0], Path: filepath.Join(folder, "wild", cells[0]), Page: cells[5], Command: cells[6]}
		for n, to := range []*int64{&f.Added, &f.Skipped, &f.Refused} {
			if *to, err = strconv.ParseInt(cells[n+1], 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		if cells[4] != "" {
			f.Values = strings.Split(cells[4], ";")
		}
		all = append(all, f)
	}
	return all
}
