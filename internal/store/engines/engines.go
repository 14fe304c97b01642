// Package engines opens stores of every engine for the tests of other packages,
// so that what passes on one engine is seen to pass on the others.
//
// A package that uses it has pgtest.Main for its TestMain.
package engines

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/jobs"
	"enlist/internal/store/pgtest"
	"enlist/internal/store/postgres"
	"enlist/internal/store/sqlite"

	"github.com/riverqueue/river"
)

// Engine is a kind of store.
type Engine struct {
	Name string
	// New returns where a new store is: what --db takes.
	New func(t testing.TB) string
}

// SQLite keeps everything in a file.
var SQLite = Engine{"sqlite", func(t testing.TB) string { return filepath.Join(t.TempDir(), "enlist.db") }}

// Postgres keeps everything on a server. Tests are skipped where there is none.
var Postgres = Engine{"postgres", func(t testing.TB) string {
	return pgtest.OpenLike(t, "tables", func(url string) error {
		s, err := postgres.Open(context.Background(), url, postgres.Options{})
		if err != nil {
			return err
		}
		return s.Close()
	}, "goose_db_version", "river_migration", "catalogue")
}}

// All are the engines.
var All = []Engine{SQLite, Postgres}

// Each runs a test on each engine.
func Each(t *testing.T, test func(t *testing.T, e Engine)) {
	for _, e := range All {
		t.Run(e.Name, func(t *testing.T) { test(t, e) })
	}
}

// Store is an open store.
type Store struct {
	audience.Store
	Jobs func(*river.Config) (jobs.Client, error)
}

// Open opens the store at a place. wait is how long a search waits for its turn.
func Open(ctx context.Context, place string, wait time.Duration) (*Store, error) {
	if strings.HasPrefix(place, "postgres:") {
		s, err := postgres.Open(ctx, place, postgres.Options{Wait: wait})
		if err != nil {
			return nil, err
		}
		return &Store{s, func(c *river.Config) (jobs.Client, error) { return s.Jobs(c) }}, nil
	}
	s, err := sqlite.Open(ctx, place, sqlite.Options{Wait: wait})
	if err != nil {
		return nil, err
	}
	return &Store{s, func(c *river.Config) (jobs.Client, error) { return s.Jobs(c) }}, nil
}
