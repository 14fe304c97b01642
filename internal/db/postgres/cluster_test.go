package postgres

import (
	"errors"
	"testing"

	"enlist/internal/db/pgtest"
)

// This file tests what is different on a Citus cluster. The tests of the subjects run on it too.

// clusterDatabase returns the URL of a database whose large tables are distributed.
func clusterDatabase(t *testing.T) string {
	t.Helper()
	return pgtest.OpenCluster(t, func(url string) error {
		s, err := Open(t.Context(), url, Options{})
		if err != nil {
			return err
		}
		if err := s.Close(); err != nil {
			return err
		}
		d := distribution(t, url)
		defer d.Close(t.Context())
		return d.Run(t.Context(), func(string) {})
	}, "goose_db_version", "river_migration", "catalogue")
}

// Citus records a transaction that it commits in two phases. With one phase, an acknowledged Contact could be lost.
func TestBatchOnCitusCommitsInTwoPhases(t *testing.T) {
	g := newBatchFixtureAt(t, clusterDatabase(t))
	recorded := func() (n int) {
		g.must(g.db.QueryRow(t.Context(), "SELECT count(*) FROM pg_dist_transaction").Scan(&n))
		return n
	}
	before := recorded()
	_, errs := g.all("a@example.com", "b@example.com", "c@example.com")
	g.must(errors.Join(errs...))
	if n := recorded() - before; n != 1 {
		t.Errorf("Citus recorded %d transactions, want 1", n)
	}
}
