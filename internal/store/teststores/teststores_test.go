// The tests here compare the engines with each other.
package teststores_test

import (
	"context"
	"strings"
	"testing"

	"enlist/internal/store/pgtest"
	"enlist/internal/store/teststores"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { pgtest.Main(m, func() error { return goleak.Find() }) }

// ofOneEngine reports whether a table is used by one engine only, or belongs to a library. The test does
// not compare such a table.
func ofOneEngine(table string) bool {
	return table == "contact_delta" || strings.HasPrefix(table, "river_") || strings.HasPrefix(table, "goose_") || strings.HasPrefix(table, "sqlite_")
}

// Each migration of one engine must have its counterpart in the other engine.
func TestEnginesHaveTheSameTablesAndColumns(t *testing.T) {
	file := teststores.SQLite.New(t)
	db, err := teststores.OpenSQLiteFile(file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	inSQLite := make(map[string]bool)
	rows, err := db.QueryContext(t.Context(), "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		if !ofOneEngine(table) {
			inSQLite[table+"."+column] = true
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}

	conn, err := pgx.Connect(t.Context(), teststores.Postgres.New(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	inPostgres := make(map[string]bool)
	found, err := conn.Query(t.Context(), `SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
		WHERE relkind IN ('r', 'p') AND NOT relispartition AND attnum > 0 AND NOT attisdropped AND relnamespace = current_schema()::regnamespace`)
	if err != nil {
		t.Fatal(err)
	}
	var table, column string
	_, err = pgx.ForEachRow(found, []any{&table, &column}, func() error {
		if !ofOneEngine(table) {
			inPostgres[table+"."+column] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(inSQLite) < 100 {
		t.Errorf("SQLite has %d columns, want 100 at least", len(inSQLite))
	}
	for name := range inSQLite {
		if !inPostgres[name] {
			t.Errorf("SQLite has the column %s, but PostgreSQL has not", name)
		}
	}
	for name := range inPostgres {
		if !inSQLite[name] {
			t.Errorf("PostgreSQL has the column %s, but SQLite has not", name)
		}
	}
}
