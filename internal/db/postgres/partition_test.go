package postgres

import (
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// The tests in this file show which statements use the partition of a List.

func TestStatementAboutOneListNamesItsPartition(t *testing.T) {
	s := &session{partitions: &partitions{names: map[int64]string{1: "_4", 2: "_9"}}}
	one, other, ones, mixed := int64(1), int64(2), []int64{1, 1}, []int64{1, 2}
	for _, test := range []struct {
		query string
		args  []any
		want  string // "": the same
	}{
		{"SELECT 1 FROM contact WHERE id = $1 AND list_id = $2", []any{other, one}, "SELECT 1 FROM contact_4 AS contact WHERE id = $1 AND list_id = $2"},
		{"SELECT 1 FROM contact WHERE list_id = 2", nil, "SELECT 1 FROM contact_9 AS contact WHERE list_id = 2"},
		{"DELETE FROM delivery WHERE list_id = $1", []any{one}, "DELETE FROM delivery_4 AS delivery WHERE list_id = $1"},
		{"UPDATE contact SET id = $1 WHERE list_id = $2", []any{one, other}, "UPDATE contact_9 AS contact SET id = $1 WHERE list_id = $2"},
		{"SELECT 1 FROM contact AS a JOIN contact b ON b.list_id = $1 WHERE a.list_id = $1", []any{one}, "SELECT 1 FROM contact_4 AS a JOIN contact_4 b ON b.list_id = $1 WHERE a.list_id = $1"},
		{"INSERT INTO consent (list_id, time) VALUES ($1, $2)", []any{one, other}, "INSERT INTO consent_4 AS consent (list_id, time) VALUES ($1, $2)"},
		{"INSERT INTO consent (list_id, time) SELECT id, 0 FROM unnest($1) AS added (id)", []any{ones}, "INSERT INTO consent_4 AS consent (list_id, time) SELECT id, 0 FROM unnest($1) AS added (id)"},
		{"SELECT 1 FROM unnest($1) AS wanted (list_id) JOIN contact ON list_id = wanted.list_id", []any{ones}, "SELECT 1 FROM unnest($1) AS wanted (list_id) JOIN contact_4 AS contact ON list_id = wanted.list_id"},
		{"INSERT INTO consent (list_id, time) SELECT id, 0 FROM unnest($1) AS added (id)", []any{mixed}, ""},
		{"SELECT 1 FROM unnest($1) AS wanted (list_id) JOIN contact ON list_id = wanted.list_id", []any{mixed}, ""},
		{"SELECT 1 FROM contact WHERE list_id = $1 OR list_id = $2", []any{one, other}, ""},
		{"SELECT 1 FROM contact WHERE list_id = ANY($1)", []any{ones}, ""},
		{"SELECT 1 FROM contact a JOIN contact b ON b.list_id = a.list_id WHERE a.list_id = $1", []any{one}, ""},
		{"SELECT 1 FROM contact WHERE id = $1", []any{one}, ""},
		{"SELECT 1 FROM recipient WHERE list_id = $1 AND contact_id = $2", []any{one, one}, ""},
		{"SELECT 1 FROM contact_delta WHERE list_id = $1", []any{one}, ""},
		{"SELECT 1 FROM list WHERE id = $1", []any{one}, ""},
	} {
		want := test.want
		if want == "" {
			want = test.query
		}
		if got := s.onPartition(test.query, test.args); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", test.query, got, want)
		}
	}
	distributed := new(session)
	if query := "SELECT 1 FROM contact WHERE list_id = $1"; distributed.onPartition(query, []any{one}) != query {
		t.Error("a statement about a distributed table is changed")
	}
}

// Locks show which tables a statement has opened. The first statement about a List opens all partitions.
//
// covers: decision 153
func TestCallAboutOneListOpensOnePartition(t *testing.T) {
	d := newListFixture(t, open(t))
	_, err := d.subscribe(t.Context(), "a@example.com", "")
	d.must(err)
	_, err = d.subscribe(t.Context(), "a@example.com", "") // in a transaction of its own
	d.must(err)
	d.must(d.store.Update(t.Context(), func(tx *db.Tx) error {
		c, err := contacts.ByKey(tx, d.list, "a@example.com")
		if err != nil {
			return err
		}
		if err := contacts.Update(tx, c); err != nil {
			return err
		}
		row := enlist.LedgerRow{ListID: d.list, ContactID: c.ID, Method: "subscribeContact"}
		if err := contacts.AddLedgerRow(tx, &row); err != nil {
			return err
		}
		n, err := tx.Number(`SELECT count(DISTINCT relation) FROM pg_locks JOIN pg_class ON pg_class.oid = relation
			WHERE pid = pg_backend_pid() AND relname ~ '^(contact|consent|delivery)_[0-9]+$'`)
		if n != 2 {
			t.Errorf("the statements opened %d partitions; want one of contact and one of consent", n)
		}
		return err
	}))
}
