// The tests here compare the Makefile with the tests that it selects.
package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// make faults runs the tests of the packages FAULTY whose names contain a word of FAULTS, and make check leaves these
// tests out. make check runs tests of the packages COMPUTING whose names contain a word of COMPUTED without the race
// detector. If no test has a word in its name, a test was renamed. If its package is not named, it would never run.
func TestEachWordOfTheMakefileIsInATestsName(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t)
	for words, folders := range map[string]string{"FAULTS": "FAULTY", "COMPUTED": "COMPUTING"} {
		t.Run(words, func(t *testing.T) {
			value := func(name string) string {
				found := regexp.MustCompile(`(?m)^` + name + ` = ((?:.*\\\n)*.*)$`).FindSubmatch(makefile)
				if found == nil {
					t.Fatalf("the Makefile has no line like %s = …", name)
				}
				return strings.ReplaceAll(string(found[1]), "\\\n", " ")
			}
			named := strings.Fields(value(folders))
			for word := range strings.SplitSeq(value(words), "|") {
				found := false
				for _, one := range tests {
					if !strings.Contains(one.name, word) {
						continue
					}
					found = true
					if !slices.Contains(named, one.folder) {
						t.Errorf("%s has a word of %s in its name: add its package %s to %s", one.name, words, one.folder, folders)
					}
				}
				if !found {
					t.Errorf("no test has %s in its name: change %s in the Makefile to the test's new name", word, words)
				}
			}
		})
	}
}

// testName is the name of a test, and the folder of its package as the Makefile names it.
type testName struct{ name, folder string }

// testNames returns the module's tests.
func testNames(t *testing.T) (all []testName) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		folder := "." + strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "..")
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			all = append(all, testName{string(found[1]), folder})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
