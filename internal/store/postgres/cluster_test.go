package postgres

import (
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/pgtest"
	"enlist/internal/store/storetest"
)

// This file runs the suites of storetest on a Citus cluster.

// openOnCluster opens a store whose large tables are distributed.
func openOnCluster(t *testing.T) audience.Store {
	t.Helper()
	url := pgtest.OpenCluster(t, func(url string) error {
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
	return openAt(t, url, Options{})
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
		{"bulk", func(t *testing.T) { storetest.Bulk(t, openOnCluster) }},
	} {
		t.Run(suite.name, suite.run)
	}
}
