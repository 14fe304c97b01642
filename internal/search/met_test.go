package search_test

import (
	"strings"
	"testing"

	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// The conditions of blocks are tested for each Contact by its ID, also if PostgreSQL has no statistics. The tests of opens
// look up the Contact's own. Package searchtest compares the results with those of searches.
//
// covers: decision 165
func TestMetLooksUpEachContact(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, e dbtest.Engine) {
		l := openLarge(t, e)
		l.fill(t, 1)
		l.fillOpens(t)
		key := func(name string, k enlist.KeyType) *enlist.SearchKey { return &enlist.SearchKey{Name: name, Type: k} }
		l.keys["opened"], l.keys["created"] = key(enlist.KeyBatchOpened, enlist.KeyBatch), key("creation_time", enlist.KeyInt)
		opened, since := l.test("opened", enlist.In, 1, 2), l.test("created", enlist.GreaterThan, 5)
		var q db.Statement
		err := l.store.View(t.Context(), func(tx *db.Tx) (err error) {
			q, err = search.MetStatement(tx, enlist.NewSchema(enlist.List{ID: 1}, nil, nil),
				[]*enlist.Condition{&since, nil, &opened}, []enlist.ContactID{2, 4, 6})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		uses, never := []string{"SEARCH contact USING INTEGER PRIMARY KEY (rowid=?)", "contact_id=?)"}, "SCAN contact"
		if e.Name == dbtest.Postgres.Name {
			uses, never = []string{"(id = wanted.value)", "(contact_id = contact.id)"}, "Seq Scan"
		}
		plan := l.explain(t, q)
		for _, use := range uses {
			if !strings.Contains(plan, use) || strings.Contains(plan, never) {
				t.Errorf("the plan must contain %q, and not %q:\n%s\n%s", use, never, q.Text, plan)
			}
		}
	})
}

// fillOpens adds opens of a Batch, without statistics.
func (l *large) fillOpens(t *testing.T) {
	t.Helper()
	l.update(t, func(tx *db.Tx) error {
		return tx.Do(`INSERT INTO recipient_event (list_id, batch_id, contact_id, kind, link_id, time, last_time, count,
				human_time, device, mail_client)
			SELECT list_id, 1, id, 'opened', 0, 1, 1, 1, 1, '', '' FROM contact WHERE list_id = 1`)
	})
}
