package postgres

import (
	"errors"
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/pgtest"
	"enlist/internal/store/storetest"
)

// This file runs the suites of storetest on a Citus cluster.

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

func openOnCluster(t *testing.T) audience.Store {
	t.Helper()
	return openAt(t, clusterDatabase(t), Options{})
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

func TestSuitesOnCitus(t *testing.T) {
	for _, suite := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"store", func(t *testing.T) { storetest.Run(t, engine(openOnCluster)) }},
		{"definitions", func(t *testing.T) { storetest.Definitions(t, openOnCluster) }},
		{"search", func(t *testing.T) { storetest.Search(t, openOnCluster) }},
		{"search indexes", func(t *testing.T) { storetest.SearchIndexes(t, engine(openOnCluster)) }},
		{"batches", func(t *testing.T) { storetest.Batches(t, openOnCluster) }},
		{"bulk", func(t *testing.T) { storetest.Bulk(t, openOnCluster) }},
	} {
		t.Run(suite.name, suite.run)
	}
}
