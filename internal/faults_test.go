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

// The tests here compare the Makefile with the tests that it selects.

// make faults runs the tests of the packages FAULTY whose names contain a word of FAULTS, and make check leaves these
// tests out. If no test has a word in its name, a test was renamed. If its package is not named, it would never run.
func TestEachWordOfTheMakefileIsInATestsName(t *testing.T) {
	tests, folders := testNames(t), strings.Fields(makeValue(t, "FAULTY"))
	words := strings.ReplaceAll(makeValue(t, "FAULTS"), "$(COMPUTED)", makeValue(t, "COMPUTED"))
	for word := range strings.SplitSeq(words, "|") {
		found := false
		for _, one := range tests {
			if !strings.Contains(one.name, word) {
				continue
			}
			found = true
			if !slices.Contains(folders, one.folder) {
				t.Errorf("make faults should run %s: add its package %s to FAULTY in the Makefile", one.name, one.folder)
			}
		}
		if !found {
			t.Errorf("no test has %s in its name: change FAULTS in the Makefile to the test's new name", word)
		}
	}
}

// make check leaves out the tests whose names begin with TestSeeded. make proof runs those of the packages SEEDED.
func TestMakeProofRunsEachSeededTest(t *testing.T) {
	var folders []string
	for _, test := range testNames(t) {
		if strings.HasPrefix(test.name, "TestSeeded") && !slices.Contains(folders, test.folder) {
			folders = append(folders, test.folder)
		}
	}
	listed := strings.Fields(makeValue(t, "SEEDED"))
	slices.Sort(folders)
	slices.Sort(listed)
	if !slices.Equal(folders, listed) {
		t.Errorf("SEEDED in the Makefile names %q, but the packages with tests named TestSeeded are %q", listed, folders)
	}
}

// makeValue returns the value of a variable of the Makefile.
func makeValue(t *testing.T, name string) string {
	t.Helper()
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^` + name + ` =((?:.*\\\n)*.*)$`).FindSubmatch(makefile)
	if line == nil {
		t.Fatalf("the Makefile has no line like %s = …", name)
	}
	return strings.TrimSpace(strings.ReplaceAll(string(line[1]), "\\\n", " "))
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
