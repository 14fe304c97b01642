package contacts_test

import (
	"strings"
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
)

// The statements that read the Contacts of several addresses or IDs find each of them by an index.
// postgres/bulkplan_test.go checks the same on PostgreSQL.
func TestSeveralContactsAreFoundByTheirIndex(t *testing.T) {
	store, err := dbtest.Open(t.Context(), dbtest.SQLite.New(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	err = store.View(t.Context(), func(tx *db.Tx) error {
		for index, statements := range contacts.ContactsOf(tx) {
			for _, text := range statements {
				if plan := explain(t, tx, text); !strings.Contains(plan, index) {
					t.Errorf("the plan of %s is\n%s\nwant %s", text, plan, index)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// explain returns the plan of a statement with two arguments: the ID of a List, and a JSON array.
func explain(t *testing.T, tx *db.Tx, text string) (plan string) {
	t.Helper()
	rows, err := tx.Query("EXPLAIN QUERY PLAN "+text, int64(1), "[]")
	if err != nil {
		t.Fatal(err)
	}
	err = db.EachRow(rows, func(row *db.Cursor) error {
		row.Int()
		row.Int()
		row.Int()
		plan += row.Text() + "\n"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
