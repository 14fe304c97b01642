package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// These tests run the program as an operator does. They check its table and its flags, not the figures.

// buildProgram builds enlist or enlist-bench, and returns its path.
func buildProgram(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("go", "build", "-o", path, "enlist/cmd/"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// The figures of such a short run mean nothing, so the test looks for one line of each table and ignores the figures.
func TestShortMeasurementPrintsItsTable(t *testing.T) {
	if testing.Short() {
		t.Skip("this test is slow: run it with \"make faults\"")
	}
	program, bench := buildProgram(t, "enlist"), buildProgram(t, "enlist-bench")
	for _, test := range []struct{ part, figure string }{
		{"subscribe", "1 connection"},
		{"search", "page of 100 Contacts"},
		{"bulk", "rows of addContacts"},
		{"mail", "mails of autoresponders"},
		{"batch", "mails of a Batch"},
		{"import", "export of all Contacts"},
		{"pages", "page home"},
	} {
		t.Run(test.part, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(bench, "--program", program, "--only", test.part,
				"--duration", "100ms", "--rounds", "1", "--contacts", "10000", "--connections", "4")
			var problems bytes.Buffer
			cmd.Stderr = &problems
			out, err := cmd.Output()
			if err != nil || !strings.Contains(string(out), test.figure) {
				t.Errorf("error %v, want a table with %q, got %s%s", err, test.figure, out, &problems)
			}
		})
	}
}

func TestWrongFlagsHaveStatus2(t *testing.T) {
	var out, problems bytes.Buffer
	if status := run([]string{"--rounds", "0"}, &out, &problems); status != 2 || !strings.Contains(problems.String(), "must be more than 0") {
		t.Errorf("--rounds 0: exit status %d, want 2; error %s", status, &problems)
	}
}

func TestUnknownPartIsRefused(t *testing.T) {
	var out, problems bytes.Buffer
	if status := run([]string{"--program", "go", "--only", "nothing"}, &out, &problems); status != 1 || !strings.Contains(problems.String(), `no part "nothing"`) {
		t.Errorf("--only nothing: exit status %d, want 1; error %s", status, &problems)
	}
}
