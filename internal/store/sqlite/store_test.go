package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"
)

// These tests run the suites of package storetest on SQLite.

// TestStore runs the test suite of package storetest for one store. In one part of the suite, 64
// concurrent clients subscribe the same addresses, fill an Account to its limit, and repeat one
// call.
//
// covers: spec subscribeContact.rule.8, limit.contacts, idempotency, webhook.deletion
// covers: decision 24, decision 25, decision 30, decision 42, decision 43, decision 47, decision 51, decision 52, decision 89, decision 90, decision 99, decision 103, decision 104, decision 105, decision 106, decision 118, decision 123
func TestStore(t *testing.T) {
	storetest.Run(t, engine)
}

var engine = storetest.Engine{
	Open: func(t *testing.T) audience.Store { return open(t) },
	Jobs: func(t *testing.T, s audience.Store, kind string) (n int) {
		t.Helper()
		err := s.(*Store).db.QueryRowContext(t.Context(), "SELECT count(*) FROM river_job WHERE kind = ? AND state = 'available'", kind).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	},
}

// The suite searches random Contacts with random criteria and compares the results with a simple model.
//
// covers: spec op.exactly, op.not, op.greater_than, op.less_than, op.in, op.starts_with, op.ends_with, op.contains
// covers: spec compare.batch, decision 61
// covers: spec compare.int, compare.bool, compare.number, compare.date, compare.email, compare.mobile, compare.text
// covers: decision 33, decision 35, decision 36, decision 37, decision 38, decision 40
func TestSearch(t *testing.T) {
	storetest.Search(t, func(t *testing.T) audience.Store { return open(t) })
}

// The suite populates Batches, leases slices of them as senders do, and stores all kinds of results.
//
// covers: spec batch.populations, batch.once, batch.counts, batch.status, batch.exclude, batch.rate, batch.pace, batch.sender, batch.local_time, batch.check, decision 58, decision 59, decision 62, decision 63, decision 78, decision 91, decision 101, decision 102, decision 110
func TestBatches(t *testing.T) {
	storetest.Batches(t, func(t *testing.T) audience.Store { return open(t) })
}

// The suite opens mails and clicks links as persons and programs do, and compares the sums with the recipients' events.
//
// covers: spec batch.events, batch.human, decision 60, decision 76, decision 101, decision 102, decision 105, decision 106, decision 117
func TestBatchEvents(t *testing.T) {
	storetest.BatchEvents(t, func(t *testing.T) audience.Store { return open(t) })
}

// The suite sends variants to a part of the recipients and the winner to the others.
//
// covers: spec batch.variants, batch.editions, decision 77, decision 79
func TestBatchVariants(t *testing.T) {
	storetest.BatchVariants(t, func(t *testing.T) audience.Store { return open(t) })
}

// The suite reads the recipients of Batches by kind of event, in pages and at once.
//
// covers: spec batch.rows, batch.keyset, decision 61
func TestBatchRows(t *testing.T) {
	storetest.BatchRows(t, func(t *testing.T) audience.Store { return open(t) })
}

// Triggers refuse every UPDATE and DELETE on the consent ledger but that of an erasure, even if an operator runs the statement
// directly on the database.
//
// covers: spec consent.ledger, decision 27
func TestTheLedgerIsAppendOnly(t *testing.T) {
	s := open(t)
	err := s.Update(t.Context(), func(tx *audience.Tx) error {
		return tx.AddLedgerRow(&audience.LedgerRow{ListID: 1, ContactID: 1, Text: "yes"})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"UPDATE consent SET text = 'no'", "UPDATE consent SET text = '', time = 7", "UPDATE consent SET text = '', method = 'x'", "DELETE FROM consent"} {
		_, err = s.db.ExecContext(t.Context(), change)
		if err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s returns the error %v, want one that contains append-only", change, err)
		}
	}
}

// Triggers refuse every UPDATE of the audit log but that of an erasure, and to delete a row of the last 365 days.
//
// covers: decision 103, decision 118
func TestTheAuditLogIsAppendOnly(t *testing.T) {
	s := open(t)
	err := s.Update(t.Context(), func(tx *audience.Tx) error {
		for _, age := range []time.Duration{0, 364 * 24 * time.Hour} {
			row := audience.AuditRow{Time: time.Now().Add(-age).Unix(), Method: "editList", Before: "{}", After: "{}"}
			if err := tx.AddAuditRow(&row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"UPDATE audit SET after_values = 'x'", "UPDATE audit SET before_values = '', after_values = '', key_id = 7",
		"UPDATE audit SET before_values = '', after_values = '', method = 'x'", "DELETE FROM audit", "DELETE FROM audit WHERE id = 2"} {
		_, err = s.db.ExecContext(t.Context(), change)
		if err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s returns the error %v, want one that contains append-only", change, err)
		}
	}
	if err := s.Update(t.Context(), func(tx *audience.Tx) error { return tx.EraseAuditRows([]int64{1}) }); err != nil {
		t.Error(err)
	}
}

// Ready writes to the disk, so it notices a full disk. Its transaction leaves no row.
func TestReadyWritesToTheDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "enlist.db")
	s := openAt(t, path)
	if _, err := s.db.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	log, err := os.Stat(path + "-wal")
	if err != nil || log.Size() == 0 {
		t.Errorf("after Ready the write-ahead log is %v, error %v; want some bytes", log, err)
	}
	var rows int
	if err := s.db.QueryRowContext(t.Context(), "SELECT count(*) FROM retry").Scan(&rows); err != nil || rows != 0 {
		t.Errorf("after Ready the table has %d rows, error %v; want none", rows, err)
	}
}

// covers: spec files.upload, files.limits, files.name, files.type, files.used, message.files, decision 64, decision 65
func TestFiles(t *testing.T) {
	storetest.Files(t, func(t *testing.T) audience.Store { return open(t) })
}

// The suite imports files with all kinds of rows and options, and interrupts imports at each of their Updates.
//
// covers: spec import.options, import.columns, import.cells, import.addfields, import.keys, import.outcomes, import.consent, import.as, import.states, import.access
// covers: decision 69, decision 70, decision 71, decision 96
func TestImports(t *testing.T) {
	storetest.Imports(t, func(t *testing.T) audience.Store { return open(t) })
}
