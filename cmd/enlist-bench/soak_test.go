package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// While all kinds of calls run, the server or its PostgreSQL server is killed, connections break, the mail server is
// down, the disk is full and the clock is stepped. Then each answered call is stored, each other call at most once, and each mail has arrived,
// a repeated one with the same Message-ID. The heap is as small as before.
//
// covers: spec event.notification, decision 114
func TestKilledServerKeepsItsAnswersUnderMixedLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("this test kills many processes: run it with \"make faults\"")
	}
	program, bench := buildPrograms(t)
	for _, engine := range []string{"sqlite", "postgres"} { // one after the other: the second finds the program in Go's cache
		t.Run(engine, func(t *testing.T) {
			cmd := exec.Command(bench, "--program", program, "--soak", "20s", "--soak-clock", "--soak-engine", engine, "--dir", t.TempDir())
			var problems bytes.Buffer
			cmd.Stderr = &problems
			out, err := cmd.Output()
			if strings.Contains(problems.String(), "there is no PostgreSQL server") {
				t.Skip(problems.String())
			}
			if err != nil || !strings.Contains(string(out), "violations") {
				t.Errorf("error %v, want a table without violations, got %s%s", err, out, &problems)
			}
			t.Logf("%s", out)
		})
	}
}
