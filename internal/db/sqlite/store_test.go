package sqlite

import (
	"os"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tests what the other tests of the store do not see: triggers, and the check of the disk.

// Triggers refuse every UPDATE and DELETE on the consent ledger but that of an erasure, even if an operator runs the statement
// directly on the database.
//
// covers: spec consent.ledger, decision 27
func TestTheLedgerIsAppendOnly(t *testing.T) {
	s := open(t)
	err := s.Update(t.Context(), func(tx *db.Tx) error {
		return contacts.AddLedgerRow(tx, &enlist.LedgerRow{ListID: 1, ContactID: 1, Text: "yes"})
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
		"UPDATE audit SET before_values = '', after_values = '', method = 'x'", "DELETE FROM audit", "DELETE FROM audit WHERE id = 2"} {
		_, err = s.db.ExecContext(t.Context(), change)
		if err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s returns the error %v, want one that contains append-only", change, err)
		}
	}
	if err := s.Update(t.Context(), func(tx *db.Tx) error { return accounts.EraseAuditRows(tx, []int64{1}) }); err != nil {
		t.Error(err)
	}
}

// Ready writes to the disk, so it notices a full disk. Its transaction leaves no row.
func TestReadyWritesToTheDisk(t *testing.T) {
	path := newFile(t)
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
