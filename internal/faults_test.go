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

// make faults runs the tests with one of the words of FAULTS in their names, and make check leaves them out.
// A word that is in no name would mean that a test was renamed and has moved from one target to the other.
func TestEachWordOfFaultsIsInATestsName(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^FAULTS = (.*)$`).FindSubmatch(makefile)
	if found == nil {
		t.Fatal("the Makefile has no line like FAULTS = Killed|Outage")
	}
	names := strings.Join(testNames(t), "\n")
	for word := range strings.SplitSeq(string(found[1]), "|") {
		if !strings.Contains(names, word) {
			t.Errorf("no test has %s in its name: change FAULTS in the Makefile to the test's new name", word)
		}
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
