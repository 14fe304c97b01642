// The tests here compare the Makefile with the tests that it selects.
package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// make faults runs the tests whose names contain a word of FAULTS, and make check leaves these tests out. make check runs
// tests whose names contain a word of COMPUTED without the race detector. If no test has a
// word in its name, a test was renamed.
func TestEachWordOfTheMakefileIsInATestsName(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Join(testNames(t), "\n")
	for _, variable := range []string{"FAULTS", "COMPUTED"} {
		t.Run(variable, func(t *testing.T) {
			found := regexp.MustCompile(`(?m)^` + variable + ` = (.*)$`).FindSubmatch(makefile)
			if found == nil {
				t.Fatalf("the Makefile has no line like %s = Killed|Outage", variable)
			}
			for word := range strings.SplitSeq(string(found[1]), "|") {
				if !strings.Contains(names, word) {
					t.Errorf("no test has %s in its name: change %s in the Makefile to the test's new name", word, variable)
				}
			}
		})
	}
}

// testNames returns the names of the module's tests.
func testNames(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			names = append(names, string(found[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
