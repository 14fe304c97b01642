package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// A transaction of one query sends no BEGIN and COMMIT. It is still read-only and has
// one snapshot, and it verifies the version of the catalogue. No other query can
// follow.
func TestSingleQueryIsATransactionWithoutBegin(t *testing.T) {
	s := open(t)
	conn, err := s.readers.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	const settings = "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only'), version FROM catalogue"
	for _, only := range []bool{true, false} {
		r := newReading(t.Context(), conn, nil, 0)
		var row []driver.Value
		read := func() error {
			rows, err := r.Search(t.Context(), db.Statement{Text: settings, Last: only})
			if err != nil {
				return err
			}
			row, err = rows.Next()
			return errors.Join(err, rows.Close())
		}
		if err := read(); err != nil {
			t.Fatal(err)
		}
		if string(row[0].([]byte)) != "repeatable read" || string(row[1].([]byte)) != "on" {
			t.Errorf("only query: %t; isolation %s, read only %s; want repeatable read, on", only, row[0], row[1])
		}
		if !r.verified {
			t.Errorf("only query: %t; the version of the catalogue was not verified, want it verified", only)
		}
		if err := read(); errors.Is(err, errEnded) != only {
			t.Errorf("only query: %t; a second query: error %v, want errEnded only after the last one", only, err)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
		if status := conn.Conn().PgConn().TxStatus(); status != 'I' {
			t.Errorf("only query: %t; after the end the connection has the status %c, want I (idle)", only, status)
		}
	}
}

// The server ends a statement itself if the time of the caller is short, and only in this transaction. The connection
// stays as it was.
func TestServerKnowsAShortTime(t *testing.T) {
	s := open(t)
	conn, err := s.readers.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	read := func(ctx context.Context, last bool, text string) (string, error) {
		r := newReading(ctx, conn, nil, 0)
		var value string
		_, err := r.read(func(tx *db.Tx) error {
			rows, err := r.Search(ctx, db.Statement{Text: text, Last: last})
			if err != nil {
				return err
			}
			row, err := rows.Next()
			if err == nil {
				value = string(row[0].([]byte))
			}
			return errors.Join(err, rows.Close())
		}, s.cache, false)
		return value, err
	}
	const limit = "SELECT current_setting('statement_timeout')"
	for _, last := range []bool{true, false} {
		short, cancel := context.WithTimeout(t.Context(), shortTime/2)
		defer cancel()
		if text, err := read(short, last, limit); err != nil {
			t.Fatal(err)
		} else if d, err := time.ParseDuration(text); err != nil || d <= 0 || d > shortTime/2 {
			t.Errorf("only query: %t; with %v left the server has the limit %s", last, shortTime/2, text)
		}
		if text, err := read(t.Context(), last, limit); err != nil || text != "0" {
			t.Errorf("only query: %t; after the transaction the limit is %s, %v; want 0", last, text, err)
		}
		late, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := read(late, last, "SELECT pg_sleep(60)::text")
		if sqlState(err) != queryCanceled || late.Err() == nil {
			t.Errorf("only query: %t; a late statement: %v, with the context %v", last, err, late.Err())
		}
		if c := conn.Conn().PgConn(); c.IsClosed() || c.TxStatus() != 'I' {
			t.Errorf("only query: %t; after a late statement the connection is closed (%t) or in a transaction", last, c.IsClosed())
		}
	}
}

// The plan of a search by an index is kept if a connection repeats the search. The setting for this ends with
// the transaction.
func TestRepeatedSearchKeepsItsPlan(t *testing.T) {
	d := newListFixture(t, open(t))
	key := &enlist.SearchKey{Name: "is_active", Type: enlist.KeyBool}
	x := enlist.SearchIndex{ListID: d.list, Key: key.IndexKey(), State: enlist.IndexWaiting}
	d.must(d.store.Update(t.Context(), func(tx *db.Tx) error { _, err := search.AddIndex(tx, &x); return err }))
	if _, err := d.store.BuildIndex(t.Context(), x.ID, d.list, key); err != nil {
		t.Fatal(err)
	}
	x.State = enlist.IndexReady
	d.must(d.store.Update(t.Context(), func(tx *db.Tx) error { return search.UpdateIndex(tx, &x) }))
	for _, kind := range []string{"only query", "with BEGIN"} {
		for range 3 {
			d.must(d.store.View(t.Context(), func(tx *db.Tx) error {
				schema, err := lists.Schema(tx, d.list)
				if err != nil {
					return err
				}
				if kind == "with BEGIN" {
					if _, err := tx.ContactCount(d.list); err != nil {
						return err
					}
				}
				where := &enlist.Condition{Key: key, Operator: enlist.Exactly, Operands: []enlist.Operand{{Int: 1}}}
				s := &enlist.Search{Schema: schema, Where: where, Limit: 7, Last: true}
				return search.Contacts(tx, s, func(*enlist.Contact) error { return nil })
			}))
		}
	}
	conn, err := d.store.readers.pool.Acquire(t.Context())
	d.must(err)
	defer conn.Release()
	var kept int
	var mode string
	d.must(conn.QueryRow(t.Context(), `SELECT coalesce(sum(generic_plans), 0), current_setting('plan_cache_mode')
		FROM pg_prepared_statements WHERE statement LIKE '% FROM contact_%' AND custom_plans = 0`).Scan(&kept, &mode))
	if kept < 4 || mode != "auto" {
		t.Errorf("%d of 6 searches used the plan of another one, and then plan_cache_mode is %s; want 4 or more, and auto",
			kept, mode)
	}
}
