package dbcopy_test

import (
	"path/filepath"
	"strings"
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db/dbcopy"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/pgtest"
	"enlist/internal/db/postgres"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
)

// A PostgreSQL database is exported to a SQLite file with the same data, and IDs that were used before are not used
// again. The number of Contacts is right, although PostgreSQL has not added all changes to it.
func TestAnExportHasTheSameDataAndContinuesItsIDs(t *testing.T) {
	t.Parallel()
	first, from := dbtest.SQLite.New(t), pgtest.Open(t)
	lists := fillDatabase(t, first, 60)
	if _, err := run(t.Context(), first, from, 0, nil); err != nil {
		t.Fatal(err)
	}
	server := openService(t, from)
	server.subscribeMore(lists[0], 3)
	last := server.subscribeMore(lists[0], 1)
	value(server.service.Contacts.DeleteContacts(t.Context(), server.caller, contacts.DeleteRequest{List: lists[0], Contacts: []enlist.ContactID{last}}))(server)
	to := filepath.Join(t.TempDir(), "export.db")
	server.must(export(t, from, to))
	server.close()
	compareStores(t, to, from, lists)
	if problems, err := sqlite.Check(t.Context(), to); err != nil || len(problems) != 0 {
		t.Errorf("the checks of the file find %q, error %v; want none", problems, err)
	}
	restored := openService(t, to)
	defer restored.close()
	restored.added = 10
	if id := restored.subscribeMore(lists[0], 1); id <= last {
		t.Errorf("the next Contact in the file has ID %d, want more than %d, which the server had given out", id, last)
	}
}

// A file of an export must not have rows of a database that another version of enlist has changed.
func TestExportRefusesOtherTables(t *testing.T) {
	t.Parallel()
	from := dbtest.Postgres.New(t)
	openService(t, from).close()
	execPostgres(t, from, "ALTER TABLE secret ADD COLUMN colour TEXT")
	err := export(t, from, filepath.Join(t.TempDir(), "export.db"))
	if err == nil || !strings.Contains(err.Error(), "use the version of enlist that the servers have") {
		t.Errorf("the export returns %v, want an error that says which version to use", err)
	}
	if _, err := postgres.OpenSnapshot(t.Context(), pgtest.Open(t)); err == nil || !strings.Contains(err.Error(), "no tables of enlist") {
		t.Errorf("for an empty database OpenSnapshot returns %v, want an error", err)
	}
}

func export(t *testing.T, from, path string) error {
	t.Helper()
	source, err := postgres.OpenSnapshot(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	target, err := sqlite.NewFiller(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	return (&dbcopy.Exporter{From: source, To: target}).Run(t.Context())
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
