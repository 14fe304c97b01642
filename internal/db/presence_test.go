package db_test

import (
	"context"
	"testing"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/dbtest"

	"github.com/jackc/pgx/v5"
)

// A process sees that another one has the lock of its token until that one ends.
func TestProcessSeesWhetherAnotherOneLives(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, e dbtest.Engine) {
		address := e.New(t)
		one, other := dbtest.Opened(t, address), dbtest.Opened(t, address)
		holder, older := db.NewHolder(t.Context(), one), "token of an older version"
		if again := db.NewHolder(t.Context(), one); again == holder {
			t.Error("two holders of one process are equal")
		}
		wantGone(t, one, holder, false)
		wantGone(t, other, holder, false)
		wantGone(t, other, older, false)
		if !db.MayWork(one, holder) || db.MayWork(other, holder) || !db.MayWork(other, older) {
			t.Error("the process may not use its own holder, or one of another process")
		}
		if err := one.Close(); err != nil {
			t.Fatal(err)
		}
		wantGone(t, other, holder, true)
		wantGone(t, other, older, false)
		if next := dbtest.Opened(t, address); db.MayWork(next, holder) {
			t.Error("a new process may use the holder of the old one")
		}
	})
}

// A process that loses its connection stops within StopTime, and gets another token.
func TestProcessThatLosesItsLockStops(t *testing.T) {
	address := dbtest.Postgres.New(t)
	one, other := dbtest.Opened(t, address), dbtest.Opened(t, address)
	holder := db.NewHolder(t.Context(), one)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	lost := time.Now()
	// Other tests use the same server, with databases of their own.
	if _, err := conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND "+
		"database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid <> pg_backend_pid()"); err != nil {
		t.Fatal(err)
	}
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for db.MayWork(one, holder) {
		if <-look.C; time.Since(lost) > time.Minute {
			t.Fatal("the process works without its lock")
		}
	}
	wantGone(t, other, holder, true)
	next := db.NewHolder(t.Context(), one)
	if !db.MayWork(one, next) || db.MayWork(one, holder) {
		t.Error("the process has no new token")
	}
	wantGone(t, other, next, false)
}

// wantGone waits until a process is gone: PostgreSQL frees its lock a moment after the connection is closed.
func wantGone(t *testing.T, s *dbtest.Store, holder string, want bool) {
	t.Helper()
	gone, err := db.HolderIsGone(t.Context(), s, holder)
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for start := time.Now(); want && !gone && err == nil && time.Since(start) < time.Minute; {
		<-again.C
		gone, err = db.HolderIsGone(t.Context(), s, holder)
	}
	if err != nil || gone != want {
		t.Errorf("the process of %s is gone: %v, error %v; want %v", holder, gone, err, want)
	}
}
