package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"enlist/internal/db/dbtest"
	"enlist/internal/imports"
)

// These tests interrupt enlist import, and look at its lines of progress.

// manyPeople writes a file with many rows and returns its path.
func manyPeople(t *testing.T, rows int) string {
	t.Helper()
	var f bytes.Buffer
	f.WriteString("Email\n")
	for i := range rows {
		fmt.Fprintf(&f, "p%d@example.com\n", i)
	}
	path := filepath.Join(t.TempDir(), "people.csv")
	if err := os.WriteFile(path, f.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// SIGINT pauses an import after the step that runs. The command ends with status 1 and says how to go on, and
// enlist import resume stores the rest.
func TestSIGINTPausesAnImport(t *testing.T) {
	if testing.Short() {
		t.Skip("this test is slow: run it with \"make check\"")
	}
	const rows = 100_000
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		c := newCrash(t, e, "smtp://127.0.0.1:1")
		c.start()() // creates the database
		cmd := exec.Command("enlist", "import", "--db", c.db, "--list", "1", manyPeople(t, rows))
		var printed bytes.Buffer
		cmd.Stdout, cmd.Stderr = &printed, &printed
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		awaitTrue(t, func() bool {
			_, out, _ := runEnlist("import", "show", "1", "--db", c.db, "--json")
			return strings.Contains(out, `"state": "running"`) && !strings.Contains(out, `"rows": 0,`)
		})
		cmd.Process.Signal(syscall.SIGINT)
		err := cmd.Wait()
		want := "import 1 is paused: continue with: enlist import resume 1\n"
		if err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.HasSuffix(printed.String(), want) {
			t.Errorf("SIGINT ended the import with %v after %q, want status 1 and %q", err, &printed, want)
		}
		status, out, problem := runEnlist("import", "resume", "1", "--db", c.db)
		done := fmt.Sprintf("import 1 is done: %d rows: %[1]d added, 0 updated, 0 unchanged, 0 skipped, 0 refused", rows)
		if status != 0 || !strings.Contains(out, done) {
			t.Errorf("the rest ended with status %d and printed %s%s, want %q", status, out, problem, done)
		}
	})
}

// awaitTrue waits until a condition is true, for a minute at most.
func awaitTrue(t *testing.T, until func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !until() {
		if time.Now().After(deadline) {
			t.Fatal("the condition did not become true")
		}
	}
}

// In a log, the progress is a line every ten seconds with the state, the rows, their rate and the part of the file.
func TestProgressOfAnImportInALog(t *testing.T) {
	var log bytes.Buffer
	p := newImportProgress(&log)
	began := p.printed
	for _, look := range []struct {
		after time.Duration
		rows  int64
	}{{0, 100}, {9 * time.Second, 900}, {10 * time.Second, 1100}, {12 * time.Second, 1200}, {20 * time.Second, 2100}} {
		i := &imports.Import{State: imports.ImportRunning, Rows: look.rows, Bytes: look.rows, Size: 4200}
		p.print(i, began.Add(look.after))
	}
	p.end()
	const want = "running: 1100 rows, 100 rows/s, 26 % of the file\nrunning: 2100 rows, 100 rows/s, 50 % of the file\n"
	if got := log.String(); got != want {
		t.Errorf("the log has\n%s\nwant\n%s", got, want)
	}
}
