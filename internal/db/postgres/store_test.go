package postgres

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/pgtest"
	"enlist/internal/enlist"

	"go.uber.org/goleak"
)

// This file opens the stores for the tests of the package.

func TestMain(m *testing.M) { pgtest.Main(m, func() error { return goleak.Find() }) }

// database returns the URL of a database that has all tables, but no rows.
func database(t testing.TB) string {
	t.Helper()
	return pgtest.OpenMigrated(t, func(url string) error {
		s, err := Open(t.Context(), url, Options{})
		if err != nil {
			return err
		}
		return s.Close()
	})
}

// open opens a store on a database of its own.
func open(t testing.TB) *Store {
	t.Helper()
	return openAt(t, database(t), Options{})
}

// openAt opens a store and closes it after the test. If o has no time limit for a change, the limit
// is a minute, because on a busy machine a change can take longer than 10 s.
func openAt(t testing.TB, url string, o Options) *Store {
	t.Helper()
	o.UpdateTime = cmp.Or(o.UpdateTime, time.Minute)
	statements := new(pgtest.Statements)
	o.Tracer = statements
	s, err := Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		statements.Check(t)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Triggers refuse every UPDATE, DELETE and TRUNCATE on the ledger but the UPDATE of an erasure, even if an operator runs the
// statement directly on the database.
func TestLedgerIsAppendOnly(t *testing.T) {
	s := open(t)
	err := s.Update(t.Context(), func(tx *db.Tx) error {
		return contacts.AddLedgerRow(tx, &enlist.LedgerRow{ListID: 1, ContactID: 1, Text: "yes"})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"UPDATE consent SET text = 'no'", "UPDATE consent SET text = '', time = 7", "UPDATE consent SET text = '', method = 'x'", "DELETE FROM consent", "TRUNCATE consent"} {
		_, err := s.jobs.Exec(t.Context(), change)
		if err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: error %v, want one that says append-only", change, err)
		}
	}
}

// Triggers refuse TRUNCATE and every UPDATE of the audit log but that of an erasure, and to delete a row of the last 365 days.
//
// covers: decision 103, decision 118
func TestAuditLogIsAppendOnly(t *testing.T) {
	s := open(t)
	err := s.Update(t.Context(), func(tx *db.Tx) error {
		for _, age := range []time.Duration{0, 364 * 24 * time.Hour} {
			row := accounts.AuditRow{Time: time.Now().Add(-age).Unix(), Method: "editList", Before: "{}", After: "{}"}
			if err := accounts.AddAuditRow(tx, &row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"UPDATE audit SET after_values = 'x'", "UPDATE audit SET before_values = '', after_values = '', key_id = 7",
		"UPDATE audit SET before_values = '', after_values = '', method = 'x'", "DELETE FROM audit", "DELETE FROM audit WHERE id = 2", "TRUNCATE audit"} {
		_, err := s.jobs.Exec(t.Context(), change)
		if err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: error %v, want one that says append-only", change, err)
		}
	}
	if err := s.Update(t.Context(), func(tx *db.Tx) error { return accounts.EraseAuditRows(tx, []int64{1}) }); err != nil {
		t.Error(err)
	}
}

// Ready writes a temporary file, which needs free space on the server's disk. The connections of the test allow
// no temporary file.
func TestReadyNeedsFreeSpace(t *testing.T) {
	separator := "?"
	url := database(t)
	if strings.Contains(url, separator) {
		separator = "&"
	}
	s, err := Open(t.Context(), url+separator+"temp_file_limit=0", Options{})
	if err != nil {
		t.Skipf("the role of the tests cannot limit temporary files: %v", err)
	}
	defer s.Close()
	if err := s.Ready(t.Context()); sqlState(err) != "53400" {
		t.Errorf("Ready returned the error %v, want that the temporary file is too large", err)
	}
}

// Ready inserts a row, so it notices that the server cannot store rows. Its transaction leaves no row.
func TestReadyFailsIfTheServerStoresNoRows(t *testing.T) {
	s := open(t)
	if err := s.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	var rows int
	if err := s.jobs.QueryRow(t.Context(), "SELECT count(*) FROM retry").Scan(&rows); err != nil || rows != 0 {
		t.Errorf("after Ready the table has %d rows, error %v; want none", rows, err)
	}
	for _, statement := range []string{
		`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
			$$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full'; END $$`,
		"CREATE TRIGGER full_disk BEFORE INSERT ON retry EXECUTE FUNCTION full_disk()",
	} {
		if _, err := s.jobs.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Ready(t.Context()); sqlState(err) != "53100" {
		t.Errorf("Ready returned the error %v, want disk_full", err)
	}
}
