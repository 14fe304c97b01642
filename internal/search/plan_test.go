package search_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"enlist/internal/db"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// If a List has no SearchIndex, its searches use the indexes that every List has. The List of this test
// is empty, because the plans of these searches do not depend on counts.
func TestSearchesUseTheirIndexes(t *testing.T) {
	store, db := openTables(t)
	email := &enlist.Field{ID: 12, Name: "Email", AddressType: enlist.AddressEmail}
	schema := enlist.NewSchema(enlist.List{ID: 7}, []enlist.Field{*email}, nil)
	created := &enlist.SearchKey{Name: "creation_time", Type: enlist.KeyInt}
	id := &enlist.SearchKey{Name: "id", Type: enlist.KeyInt}
	address := &enlist.SearchKey{Field: email, Type: enlist.KeyEmail}
	test := func(k *enlist.SearchKey, op enlist.Operator, o ...enlist.Operand) enlist.Condition {
		return enlist.Condition{Key: k, Operator: op, Operands: o}
	}
	byEmail := test(address, enlist.Exactly, enlist.Operand{Text: "a@example.com"})
	since := test(created, enlist.GreaterThan, enlist.Operand{Int: 5})
	const seekEmail = "contact_dedupe (list_id=? AND dedupe_key=?) contact_duplicate (list_id=? AND duplicate_key=?)"

	where := func(c enlist.Condition) enlist.Search { return enlist.Search{Limit: 100, Where: &c} }
	both := enlist.Condition{All: []enlist.Condition{since, byEmail}}
	oneID := test(id, enlist.Exactly, enlist.Operand{Int: 3})
	inEmails := test(address, enlist.In, enlist.Operand{Text: "a@example.com"})
	eitherEmail := enlist.Condition{Any: []enlist.Condition{byEmail, byEmail}}
	emailOrTime := enlist.Condition{Any: []enlist.Condition{since, byEmail}}
	for _, c := range []struct {
		name   string
		search enlist.Search
		uses   string
		never  string
	}{
		{"a page", enlist.Search{Limit: 100}, "contact_list (list_id=?)", "TEMP B-TREE"},
		{"a descending page", enlist.Search{Limit: 100, Sort: id, Descending: true}, "contact_list (list_id=?)",
			"TEMP B-TREE"},
		{"all Contacts", enlist.Search{}, "contact_list (list_id=?)", "TEMP B-TREE"},
		{"the newest Contacts", enlist.Search{Limit: 100, Sort: created, Descending: true}, "contact_created (list_id=?)",
			"TEMP B-TREE"},
		{"one ID", where(oneID), "PRIMARY KEY (rowid=?)", "TEMP B-TREE"},
		{"an address", where(byEmail), seekEmail, "contact_list"},
		{"one of several addresses", where(inEmails), seekEmail, "contact_list"},
		{"an address and a time", where(both), seekEmail, "contact_created"},
		{"one address or another", where(eitherEmail), seekEmail, "contact_list"},
		{"an address or a time", where(emailOrTime), seekEmail + " contact_created (list_id=? AND creation_time>?)",
			"contact_list"},
		{"since a time", enlist.Search{Where: &since}, "contact_created (list_id=? AND creation_time>?)", "contact_list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.search.Schema, c.search.Columns = schema, enlist.Columns{System: true, All: true}
			q := statement(t, store, &c.search)
			plan := explain(t, db, "EXPLAIN QUERY PLAN "+q.Text, q.Args)
			for part := range strings.SplitSeq(strings.ReplaceAll(c.uses, ") contact", ")\ncontact"), "\n") {
				if !strings.Contains(plan, part) {
					t.Errorf("the plan must contain %q", part)
				}
			}
			if c.never != "" && strings.Contains(plan, c.never) {
				t.Errorf("the plan must not contain %q", c.never)
			}
			if t.Failed() {
				t.Logf("%s\n%s", q.Text, plan)
			}
		})
	}
}

// explain runs an EXPLAIN statement and returns the last column of the result, with one line for
// each row.
func explain(t *testing.T, db *sql.DB, text string, args []any) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	for rows.Next() {
		var detail string
		dest := make([]any, len(columns))
		for i := range dest {
			dest[i] = new(any)
		}
		dest[len(dest)-1] = &detail
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(detail + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

// statement returns the statement of a search.
func statement(t *testing.T, store db.Engine, s *enlist.Search) (q db.Statement) {
	t.Helper()
	err := store.View(t.Context(), func(tx *db.Tx) (err error) {
		q, err = search.Statement(tx, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// openTables opens a new store. It also opens the file of the store with database/sql, for statements of the
// test.
func openTables(t *testing.T) (db.Engine, *sql.DB) {
	path := filepath.Join(t.TempDir(), "plan.db")
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store, openFile(t, path)
}

// openFile opens a SQLite file with database/sql and the SQLite driver of this build.
func openFile(t *testing.T, path string) *sql.DB {
	t.Helper()
	driver := "sqlite"
	if slices.Contains(sql.Drivers(), "sqlite3") {
		driver = "sqlite3"
	}
	db, err := sql.Open(driver, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
