package sqlite

import (
	"testing"

	"enlist/internal/store/storetest"
)

// covers: decision 90
func TestExportOfAPersonKnowsEveryTable(t *testing.T) {
	t.Parallel()
	rows, err := open(t).db.QueryContext(t.Context(), `SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	storetest.PersonTables(t, rows)
}
