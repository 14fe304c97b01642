package dbtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"enlist/internal/db/pgtest"

	"github.com/jackc/pgx/v5"
)

// This file keeps stores open from one test to the next, because opening a store on PostgreSQL takes longer than most
// tests.

// pool has the open stores that no test uses now.
type pool struct {
	mu   sync.Mutex
	free []*pooledStore
}

// pooledStore is a store of a pool.
type pooledStore struct {
	*Store
	conn *pgx.Conn // empties the store; nil until a second test takes it
}

// Own returns an open store without rows that no other test uses until the end of this test.
func (e Engine) Own(t testing.TB) *Store {
	t.Helper()
	if e.own == nil {
		s, err := Open(t.Context(), e.New(t), 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			s.check(t)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
	s := e.own.take(t, e)
	t.Cleanup(func() { e.own.giveBack(t, s) })
	return s.Store
}

// take returns an empty store that no test uses. If there is none, it opens a store in a new database.
func (p *pool) take(t testing.TB, e Engine) *pooledStore {
	t.Helper()
	if s := p.pop(); s != nil {
		err := s.empty(t.Context())
		if err == nil {
			return s
		}
		t.Logf("empty the database: %v", err)
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
	s, err := Open(t.Context(), e.New(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	return &pooledStore{Store: s}
}

// pop returns the store that was given back last, or nil.
func (p *pool) pop() *pooledStore {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free)
	if n == 0 {
		return nil
	}
	s := p.free[n-1]
	p.free = p.free[:n-1]
	return s
}

// giveBack keeps a store for the next test. The store of a failed test is closed, because the test may have goroutines
// that still write.
func (p *pool) giveBack(t testing.TB, s *pooledStore) {
	s.check(t)
	if t.Failed() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, s)
}

// close closes the stores that no test uses.
func (p *pool) close() (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.free {
		err = errors.Join(err, s.close())
	}
	p.free = nil
	return err
}

func (s *pooledStore) close() error {
	err := s.Store.Close()
	if s.conn != nil {
		err = errors.Join(err, s.conn.Close(context.Background()))
	}
	return err
}

// empty deletes all rows, without triggers, except those that migrations insert, drops the search indexes, and restarts
// the IDs at 1. Most tables, and most partitions of the large ones, never had a row: a DELETE of each of them would take
// longer than all the rest.
func (s *pooledStore) empty(ctx context.Context) (err error) {
	if s.conn == nil {
		if s.conn, err = pgx.Connect(ctx, s.address); err != nil {
			return err
		}
	}
	_, err = s.conn.Exec(ctx, `SET session_replication_role = replica;
		DO $$
		DECLARE name TEXT;
		BEGIN
			FOR name IN SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND pg_relation_size(oid) > 0
				AND relnamespace = current_schema()::regnamespace
				AND relname NOT IN ('goose_db_version', 'river_migration', 'catalogue')
			LOOP
				EXECUTE 'DELETE FROM ' || name;
			END LOOP;
			FOR name IN SELECT oid::regclass FROM pg_class WHERE relkind = 'i' AND relname ~ '^search_[0-9]+$' LOOP
				EXECUTE 'DROP INDEX ' || name; -- the first loop has deleted its row of search_index
			END LOOP;
			FOR name IN SELECT quote_ident(stxname) FROM pg_statistic_ext WHERE stxname ~ '^search_[0-9]+$' LOOP
				EXECUTE 'DROP STATISTICS ' || name;
			END LOOP;
			PERFORM setval(seqrelid, 1, false) FROM pg_sequence WHERE pg_sequence_last_value(seqrelid) IS NOT NULL;
			UPDATE catalogue SET version = version + 1; -- what the store has in its cache is out of date
		END
		$$`)
	return err
}

// shared has the store of each engine that tests of different Accounts use at the same time.
var shared struct {
	mu     sync.Mutex
	dir    string // of the SQLite file
	stores map[string]*Store
}

// Shared returns the one store for tests that are kept apart by their Account. It stays open, and keeps its rows, until
// all tests of the package have ended. On Citus, each test has a store of its own.
func (e Engine) Shared(t testing.TB) *Store {
	t.Helper()
	if e.Name == Citus.Name {
		return e.Own(t)
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	s := shared.stores[e.Name]
	if s == nil {
		var err error
		if s, err = e.openShared(t); err != nil {
			t.Fatal(err)
		}
		if shared.stores == nil {
			shared.stores = make(map[string]*Store)
		}
		shared.stores[e.Name] = s
	}
	t.Cleanup(func() { s.check(t) })
	return s
}

// openShared opens a store whose database outlives the test. The caller holds shared.mu.
func (e Engine) openShared(t testing.TB) (_ *Store, err error) {
	if e.Name == Postgres.Name {
		return Open(context.Background(), e.New(t), 0)
	}
	if shared.dir, err = os.MkdirTemp("", "enlist-shared-"); err != nil {
		return nil, err
	}
	path := filepath.Join(shared.dir, "enlist.db")
	if err := writeMigrated(path); err != nil {
		return nil, err
	}
	return Open(context.Background(), path, 0)
}

// Main runs a package's tests, closes the stores and stops the server. It then calls leaks, which returns an error if
// goroutines are still running. A TestMain needs no other statement.
func Main(m *testing.M, leaks func() error) {
	code := m.Run()
	if err := closeAll(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	pgtest.Stop()
	if code == 0 {
		if err := leaks(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func closeAll() error {
	err := Postgres.own.close()
	for _, s := range shared.stores {
		err = errors.Join(err, s.Close())
	}
	if shared.dir != "" {
		err = errors.Join(err, os.RemoveAll(shared.dir))
	}
	return err
}
