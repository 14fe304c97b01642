package postgres

import (
	"context"
	"sync"
	"testing"
	"time"

	"enlist/internal/enlist"

	"github.com/jackc/pgx/v5"
)

// The tests in this file build and drop SearchIndexes on PostgreSQL, and interrupt builds.

// openTransaction opens a transaction for which a concurrent build of an index must wait.
func openTransaction(t *testing.T, s *Store) (end func()) {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), s.config.ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"BEGIN ISOLATION LEVEL REPEATABLE READ", "LOCK TABLE contact IN ROW EXCLUSIVE MODE"} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	end = sync.OnceFunc(func() { conn.Close(context.Background()) })
	t.Cleanup(end)
	return end
}

// backendBuilding returns the process ID of the backend that builds an index or drops an
// invalid index. It first waits until this backend waits for the transaction of
// openTransaction, because before that the index is not in PostgreSQL's catalogue.
func backendBuilding(t *testing.T, s *Store) (pid int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		err := s.jobs.QueryRow(t.Context(), `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
			AND query LIKE '% INDEX CONCURRENTLY%' AND pid <> pg_backend_pid() AND wait_event = 'virtualxid'`).Scan(&pid)
		if err == nil {
			return pid
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// An interrupted build leaves an invalid index. BuiltIndexes reports it as incomplete, and
// the next build replaces it.
func TestInterruptedBuildIsRepeated(t *testing.T) {
	s := open(t)
	key := &enlist.SearchKey{Name: "is_active", Type: enlist.KeyBool}
	for range 2 { // the second build finds the invalid index of the first
		end := openTransaction(t, s)
		built := make(chan error)
		go func() {
			_, err := s.BuildIndex(t.Context(), 7, 1, key)
			built <- err
		}()
		pid := backendBuilding(t, s)
		if _, err := s.BuildIndex(t.Context(), 7, 1, key); err != enlist.ErrIndexBusy {
			t.Errorf("a second build during the first: error %v, want ErrIndexBusy", err)
		}
		if err := s.DropIndex(t.Context(), 7); err != enlist.ErrIndexBusy {
			t.Errorf("a drop during the build: error %v, want ErrIndexBusy", err)
		}
		if _, err := s.jobs.Exec(t.Context(), "SELECT pg_cancel_backend($1)", pid); err != nil {
			t.Fatal(err)
		}
		if err := <-built; err == nil {
			t.Error("BuildIndex returned no error although PostgreSQL cancelled the statement")
		}
		wantBuilt(t, s, enlist.BuiltIndex{ID: 7})
		end()
	}

	// Now the connection is lost, as after a restart of PostgreSQL. BuildIndex tries
	// again.
	end := openTransaction(t, s)
	built := make(chan error)
	go func() {
		_, err := s.BuildIndex(t.Context(), 7, 1, key)
		built <- err
	}()
	if _, err := s.jobs.Exec(t.Context(), "SELECT pg_terminate_backend($1)", backendBuilding(t, s)); err != nil {
		t.Fatal(err)
	}
	end()
	if err := <-built; err != nil {
		t.Errorf("BuildIndex after a lost connection: error %v, want none", err)
	}
	wantBuilt(t, s, enlist.BuiltIndex{ID: 7, Good: true})
	if err := s.DropIndex(t.Context(), 7); err != nil {
		t.Error(err)
	}
	wantBuilt(t, s)
}

func wantBuilt(t *testing.T, s *Store, want ...enlist.BuiltIndex) {
	t.Helper()
	built, err := s.BuiltIndexes(t.Context())
	if err != nil || len(built) != len(want) {
		t.Fatalf("built %+v, error %v; want %+v", built, err, want)
	}
	for i := range want {
		if built[i].ID != want[i].ID || built[i].Good != want[i].Good {
			t.Errorf("built %+v, want %+v", built[i], want[i])
		}
	}
}
