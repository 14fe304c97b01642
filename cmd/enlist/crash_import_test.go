package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This test kills the program while it imports a file.

// Each round starts or continues the import of a file, on the command line or in a server, and kills the program at a
// random moment. At the end each row of the file has one Contact, one row in the ledger and one result.
//
// covers: spec import.states, decision 71
func TestKilledImportStoresEachRowOnce(t *testing.T) {
	dbtest.EachParallel(t, killedImportStoresEachRowOnce)
}

func killedImportStoresEachRowOnce(t *testing.T, e dbtest.Engine) {
	if testing.Short() {
		t.Skip("this test kills processes: run it with \"make faults\"")
	}
	const rounds, rows = 30, 60_000
	c := newCrash(t, e, "smtp://127.0.0.1:1")
	c.start()() // creates the List
	file := filepath.Join(t.TempDir(), "people.csv")
	if err := os.WriteFile(file, []byte(importRows(rows)), 0o600); err != nil {
		t.Fatal(err)
	}
	var steps []string
	for round := range rounds {
		i := c.lastImport()
		moment := time.Duration(rand.IntN(700)) * time.Millisecond
		switch {
		case i == nil || i.State == imports.ImportUploading || i.State == imports.ImportFailed:
			c.killAfter(moment, "import", "--db", c.db, "--list", "1", file)
		case i.State == imports.ImportDone:
			t.Logf("the import is done before round %d", round)
			c.wantEachRowOnce(i, rows)
			return
		case round%3 == 2:
			kill := c.start()
			waitFor(moment)
			kill()
		default:
			c.killAfter(moment, "import", "resume", "--db", c.db, fmt.Sprint(i.ID))
		}
		if i := c.lastImport(); i != nil {
			steps = append(steps, fmt.Sprint(i.Rows))
		}
	}
	t.Logf("rows that were done after each round: %s", strings.Join(steps, " "))
	i := c.lastImport()
	arguments := []string{"import", "--db", c.db, "--list", "1", file}
	if i != nil && i.State == imports.ImportDone {
		c.wantEachRowOnce(i, rows)
		return
	}
	if i != nil && i.State != imports.ImportUploading {
		arguments = []string{"import", "resume", "--db", c.db, fmt.Sprint(i.ID)}
	}
	if out, err := exec.Command("enlist", arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.wantEachRowOnce(c.lastImport(), rows)
}

// importRows returns a file with n rows.
func importRows(n int) string {
	var b strings.Builder
	b.WriteString("Email,consent_type,consent_text\n")
	for i := range n {
		fmt.Fprintf(&b, "p%d@example.com,direct,Form %d\n", i, i)
	}
	return b.String()
}

// killAfter starts the program and kills it after a time.
func (c *crash) killAfter(moment time.Duration, arguments ...string) {
	c.t.Helper()
	cmd := exec.Command("enlist", arguments...)
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	waitFor(moment)
	cmd.Process.Kill()
	cmd.Wait() // the error is that the process was killed
}

// waitFor waits for a random moment, which no condition describes.
func waitFor(moment time.Duration) { <-time.After(moment) }

// withService runs do with a Service on the database.
func (c *crash) withService(do func(*app.App, *enlist.Caller)) {
	c.t.Helper()
	store, err := dbtest.Open(c.t.Context(), c.db, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	defer store.Close()
	service := app.New(store, time.Now)
	do(service, must(service.Accounts.Operator(c.t.Context(), 1))(c.t))
}

// lastImport returns the newest import, or nil if there is none.
func (c *crash) lastImport() (last *imports.Import) {
	c.t.Helper()
	c.withService(func(s *app.App, caller *enlist.Caller) {
		if all := must(s.Imports.AllImports(c.t.Context(), caller))(c.t); len(all) > 0 {
			last = &all[len(all)-1]
		}
	})
	return last
}

// wantEachRowOnce checks the Contacts, the ledger and the results of an import.
func (c *crash) wantEachRowOnce(i *imports.Import, rows int) {
	c.t.Helper()
	if i.State != imports.ImportDone || i.Added != int64(rows) || i.Rows != int64(rows) {
		c.t.Fatalf("the import is %s %q with %+v, want %d rows added", i.State, i.Reason, i.ImportCounts, rows)
	}
	c.withService(func(s *app.App, caller *enlist.Caller) {
		all := must(s.Contacts.CountContacts(c.t.Context(), caller, i.ListID, nil))(c.t)
		if all != int64(rows) {
			c.t.Errorf("the List has %d Contacts, want %d", all, rows)
		}
		seen := make(map[enlist.ContactID]bool)
		var checked []imports.RowResult
		err := s.Imports.ImportResults(c.t.Context(), caller, i.ID, func(r *imports.RowResult) error {
			if r.Row != int64(len(seen)+1) || r.Outcome != imports.RowAdded || seen[r.Contact] {
				return fmt.Errorf("result %d is %+v", len(seen)+1, *r)
			}
			seen[r.Contact] = true
			if r.Row%37 == 0 || r.Row%1000 < 2 {
				checked = append(checked, *r)
			}
			return nil
		})
		if err != nil || len(seen) != rows {
			c.t.Errorf("%d results, error %v; want %d", len(seen), err, rows)
		}
		for _, r := range checked {
			var ledger ledgerRows
			q := contacts.LedgerQuery{List: i.ListID, Contact: r.Contact}
			if err := s.Contacts.ContactConsents(c.t.Context(), caller, q, &ledger); err != nil {
				c.t.Fatal(err)
			}
			if len(ledger) != 1 || ledger[0].ImportRow != r.Row || ledger[0].Text != fmt.Sprintf("Form %d", r.Row-1) {
				c.t.Errorf("row %d has the ledger %+v", r.Row, ledger)
			}
		}
	})
}

// ledgerRows is an enlist.RowWriter.
type ledgerRows []enlist.LedgerRow

// Begin implements enlist.RowWriter.
func (l *ledgerRows) Begin(bool) error { *l = nil; return nil }

// Row implements enlist.RowWriter.
func (l *ledgerRows) Row(r *enlist.LedgerRow) error { *l = append(*l, *r); return nil }
