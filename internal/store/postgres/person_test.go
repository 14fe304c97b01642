package postgres

import (
	"testing"

	"enlist/internal/store/storetest"
)

// covers: decision 90
func TestExportOfAPersonKnowsEveryTable(t *testing.T) {
	t.Parallel()
	rows, err := open(t).jobs.Query(t.Context(), `SELECT relname::text, attname::text FROM pg_class JOIN pg_attribute ON attrelid = oid
		WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND attnum > 0 AND NOT attisdropped`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	storetest.PersonTables(t, rows)
}
