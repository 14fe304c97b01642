package engines_test

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"enlist/internal/store/engines"
	"enlist/internal/store/pgtest"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { pgtest.Main(m, func() error { return goleak.Find() }) }

// only are what one engine has for itself.
func only(table string) bool {
	return table == "contact_delta" || strings.HasPrefix(table, "river_") || strings.HasPrefix(table, "goose_") || strings.HasPrefix(table, "sqlite_")
}

// Every engine has the same tables and columns: a migration of one has its like
// in the others.
func TestTablesAreTheSame(t *testing.T) {
	file := engines.SQLite.New(t)
	store, err := engines.Open(t.Context(), file, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	driver := "sqlite"
	if slices.Contains(sql.Drivers(), "sqlite3") {
		driver = "sqlite3"
	}
	db, err := sql.Open(driver, file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	here := make(map[string]bool)
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
		if !only(table) {
			here[table+"."+column] = true
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}

	conn, err := pgx.Connect(t.Context(), engines.Postgres.New(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	there := make(map[string]bool)
	found, err := conn.Query(t.Context(), `SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
		WHERE relkind IN ('r', 'p') AND NOT relispartition AND attnum > 0 AND NOT attisdropped AND relnamespace = current_schema()::regnamespace`)
	if err != nil {
		t.Fatal(err)
	}
	var table, column string
	_, err = pgx.ForEachRow(found, []any{&table, &column}, func() error {
		if !only(table) {
			there[table+"."+column] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(here) < 100 {
		t.Errorf("%d columns", len(here))
	}
	for name := range here {
		if !there[name] {
			t.Errorf("PostgreSQL has no %s", name)
		}
	}
	for name := range there {
		if !here[name] {
			t.Errorf("SQLite has no %s", name)
		}
	}
}
