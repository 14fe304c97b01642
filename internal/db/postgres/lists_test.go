package postgres

import (
	"slices"
	"testing"

	"enlist/internal/db/pgtest"

	"github.com/jackc/pgx/v5"
)

// A migration that adds a table must say whether enlist distribute distributes it: in largeTables or in
// pgtest.CoordinatorTables.
func TestEachTableIsDistributedOrStaysOnTheCoordinator(t *testing.T) {
	rows, err := open(t).jobs.Query(t.Context(), `SELECT relname::text FROM pg_class
		WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace
			AND relname !~ '^(river_|goose_)' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if known := slices.Sorted(slices.Values(slices.Concat(largeTables, pgtest.CoordinatorTables))); !slices.Equal(tables, known) {
		t.Errorf("the tables are %q, but largeTables and CoordinatorTables are %q", tables, known)
	}
}
