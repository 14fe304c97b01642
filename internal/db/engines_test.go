package db_test

import (
	"strings"
	"testing"

	"enlist/internal/db/dbtest"

	"go.uber.org/goleak"
)

// This file compares the engines with each other.

func TestMain(m *testing.M) { dbtest.Main(m, func() error { return goleak.Find() }) }

// ofOneEngine reports whether a table is used by one engine only, or belongs to a library. The test does
// not compare such a table.
func ofOneEngine(table string) bool {
	return table == "contact_delta" || strings.HasPrefix(table, "river_") || strings.HasPrefix(table, "goose_") || strings.HasPrefix(table, "sqlite_")
}

// compared returns the columns of a store's tables that both engines have.
func compared(t *testing.T, e dbtest.Engine) map[string]bool {
	names := make(map[string]bool)
	for table, columns := range e.Own(t).Columns(t) {
		for _, column := range columns {
			if !ofOneEngine(table) {
				names[table+"."+column] = true
			}
		}
	}
	return names
}

// Each migration of one engine must have its counterpart in the other engine.
func TestEnginesHaveTheSameTablesAndColumns(t *testing.T) {
	inSQLite, inPostgres := compared(t, dbtest.SQLite), compared(t, dbtest.Postgres)
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
