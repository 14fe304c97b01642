package dbcopy_test

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbcopy"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/pgtest"
	"enlist/internal/db/postgres"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
)

// The tests in this file copy from PostgreSQL, to SQLite, and from a database of a version before 1.0.0.

// A PostgreSQL database is copied to a SQLite file and to another PostgreSQL database with the same data, and IDs that
// were used before are not used again. The number of Contacts is right, although PostgreSQL has not added all changes to
// it.
func TestACopyOfAServerHasTheSameDataAndContinuesItsIDs(t *testing.T) {
	t.Parallel()
	first, from := dbtest.SQLite.New(t), pgtest.Open(t)
	lists := fillDatabase(t, first, 60)
	if _, err := run(t.Context(), first, from, nil); err != nil {
		t.Fatal(err)
	}
	server := openService(t, from)
	server.subscribeMore(lists[0], 3)
	last := server.subscribeMore(lists[0], 1)
	value(server.service.Contacts.DeleteContacts(t.Context(), server.caller, contacts.DeleteRequest{List: lists[0], Contacts: []enlist.ContactID{last}}))(server)
	file, other := filepath.Join(t.TempDir(), "copy.db"), pgtest.Open(t)
	server.must(copyServer(t, from, newFile(t, file)))
	server.must(copyServer(t, from, newServer(t, other)))
	server.close()
	compareStores(t, file, from, lists)
	compareStores(t, file, other, lists)
	if problems, err := sqlite.Check(t.Context(), file); err != nil || len(problems) != 0 {
		t.Errorf("the checks of the file find %q, error %v; want none", problems, err)
	}
	for _, copied := range []string{file, other} {
		s := openService(t, copied)
		s.added = 10
		if id := s.subscribeMore(lists[0], 1); id <= last {
			t.Errorf("the next Contact of the copy has ID %d, want more than %d, which the server had given out", id, last)
		}
		s.close()
	}
}

// A copy must not lack columns of a database that a newer version of enlist has changed.
func TestCopyRefusesOtherTables(t *testing.T) {
	t.Parallel()
	from := dbtest.Postgres.New(t)
	openService(t, from).close()
	execPostgres(t, from, "ALTER TABLE secret ADD COLUMN colour TEXT")
	err := copyServer(t, from, newFile(t, filepath.Join(t.TempDir(), "copy.db")))
	if err == nil || !strings.Contains(err.Error(), "use the version of enlist that made the source") {
		t.Errorf("the copy returns %v, want an error that says which version to use", err)
	}
	if _, err := postgres.OpenSnapshot(t.Context(), pgtest.Open(t)); err == nil || !strings.Contains(err.Error(), "no tables of enlist") {
		t.Errorf("for an empty database OpenSnapshot returns %v, want an error", err)
	}
}

func newFile(t *testing.T, path string) *sqlite.Filler {
	t.Helper()
	target, err := sqlite.NewFiller(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func newServer(t *testing.T, url string) *postgres.Target {
	t.Helper()
	target, err := postgres.OpenTarget(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// closing is a target that the caller closes.
type closing interface {
	dbcopy.Target
	io.Closer
}

func copyServer(t *testing.T, from string, to closing) error {
	t.Helper()
	source, err := postgres.OpenSnapshot(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	_, err = (&dbcopy.Copier{From: source, To: to}).Run(t.Context())
	return errors.Join(err, to.Close())
}

// oldFile is a file of the last revision with version 58 of the schema. A server of that revision made it: it has two
// Contacts, one of which has left, a Message, a Batch that was sent, a Segment, a webhook and a user.
func oldFile(t *testing.T) string {
	t.Helper()
	packed, err := os.Open("testdata/before1.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "old.db")
	file, err := os.Create(path)
	if err == nil {
		_, err = io.Copy(file, unpacked)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func copyOld(t *testing.T, from string, to closing) error {
	t.Helper()
	source, err := sqlite.OpenSource(t.Context(), from)
	if err != nil {
		return err
	}
	defer source.Close()
	_, err = (&dbcopy.Copier{From: source, To: to}).Run(t.Context())
	return errors.Join(err, to.Close())
}

// A database of a version before 1.0.0 is copied to a new one of each engine, and is used there as before.
func TestADatabaseBefore1IsCopied(t *testing.T) {
	t.Parallel()
	from := oldFile(t)
	if _, err := sqlite.Open(t.Context(), from, sqlite.Options{}); !errors.Is(err, db.ErrOld) {
		t.Errorf("Open returns %v, want an error that names enlist copy", err)
	}
	file, server := filepath.Join(t.TempDir(), "new.db"), pgtest.Open(t)
	for _, to := range []struct {
		location string
		target   closing
	}{{file, newFile(t, file)}, {server, newServer(t, server)}} {
		if err := copyOld(t, from, to.target); err != nil {
			t.Fatal(err)
		}
		s := openService(t, to.location)
		s.usedAsBefore(t)
		s.close()
	}
}

// usedAsBefore checks the records of oldFile, and adds a Contact.
func (s *testService) usedAsBefore(t *testing.T) {
	t.Helper()
	all := value(s.service.Lists.SearchLists(t.Context(), s.caller, enlist.Query{}))(s)
	if len(all) != 1 || all[0].ContactCount != 2 {
		t.Fatalf("the Lists are %+v, want one with two Contacts", all)
	}
	list := all[0].ID
	s.must(s.store.View(t.Context(), func(tx *db.Tx) error {
		ann, err := contacts.ByKey(tx, list, "ann@example.com")
		s.must(err)
		bob, err := contacts.ByKey(tx, list, "bob@example.com")
		s.must(err)
		if ann.Values.Get(3) != "Ä 😀" || ann.Language != "" || ann.IsUnsubscribed || !bob.IsUnsubscribed {
			t.Errorf("the Contacts are %+v and %+v", ann, bob)
		}
		ledger, err := contacts.LedgerRows(tx, list, ann.ID, 0, 0)
		if len(ledger) != 1 || ledger[0].Text != "yes" {
			t.Errorf("the ledger has %+v", ledger)
		}
		return err
	}))
	n := value(s.service.Contacts.CountContacts(t.Context(), s.caller, list, &enlist.Criteria{Key: "segment_id", Operator: "exactly",
		Value: enlist.Input{Kind: enlist.InputNumber, Text: "1"}}))(s)
	if n != 1 {
		t.Errorf("the Segment has %d Contacts, want 1", n)
	}
	id := value(s.service.Contacts.Subscribe(t.Context(), s.caller, contacts.SubscribeRequest{List: list, Details: details("Email", "new@example.com")}))(s)
	if id != 3 {
		t.Errorf("the next Contact has ID %d, want 3", id)
	}
}

// A copy of an old database is refused if it would lose something.
func TestCopyOfAnOldDatabaseLosesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, change, why string }{
		{"tables that are too old", "DELETE FROM goose_db_version WHERE version_id >= 58", "only those from version 58 on"},
		{"work that is not done", "INSERT INTO list_day_fill VALUES (1, 1, 0, 0, 0)", "start the version that made it"},
		{"an unknown table", "CREATE TABLE mine (id INTEGER)", "no table mine"},
		{"an unknown column", "ALTER TABLE secret ADD COLUMN mine TEXT", "no column secret.mine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from := oldFile(t)
			if _, err := rawSQLite(t, from).Exec(c.change); err != nil {
				t.Fatal(err)
			}
			err := copyOld(t, from, newFile(t, filepath.Join(t.TempDir(), "new.db")))
			if err == nil || !strings.Contains(err.Error(), c.why) {
				t.Errorf("the copy returns %v, want an error that contains %q", err, c.why)
			}
		})
	}
}

// subscribeMore adds Contacts with new addresses and returns the ID of the last one.
func (s *testService) subscribeMore(list enlist.ListID, n int) (last enlist.ContactID) {
	s.Helper()
	for range n {
		s.added++
		last = value(s.service.Contacts.Subscribe(s.Context(), s.caller, contacts.SubscribeRequest{List: list,
			Details: details("Email", strings.Repeat("x", s.added)+"@more.example.com"), Consent: contacts.Consent{Type: enlist.ConsentGDPR, Text: "yes"}}))(s)
	}
	return last
}
