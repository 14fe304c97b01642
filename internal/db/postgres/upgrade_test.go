package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/pgtest"

	"github.com/jackc/pgx/v5"
)

// A database of every earlier schema, with a row in each table, is migrated when it is opened, and no row changes.
func TestDatabaseOfEachSchemaIsMigrated(t *testing.T) {
	t.Parallel()
	names := migrationFiles(t)
	for n := 1; n <= len(names); n++ {
		if testing.Short() && n > 1 {
			t.Skip(`slow on PostgreSQL: run it with "make faults"`)
		}
		t.Run(names[n-1], func(t *testing.T) {
			url := pgtest.Open(t)
			rows := makeSchema(t, url, names[:n])
			s, err := Open(t.Context(), url, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			var version int
			query(t, url, "SELECT max(version_id) FROM goose_db_version", &version)
			if !strings.HasPrefix(names[len(names)-1], fmt.Sprintf("%05d_", version)) {
				t.Errorf("the database has version %d, want that of %s", version, names[len(names)-1])
			}
			for table, where := range rows {
				var found int
				query(t, url, "SELECT count(*) FROM "+table+" WHERE "+where, &found)
				if found != 1 {
					t.Errorf("%d rows of %s have %s, want one", found, table, where)
				}
			}
		})
	}
}

// After the upgrade, the days of each List that existed are still to fill, from the time of the upgrade back.
func TestListsOfEarlierVersionsWaitForTheirDays(t *testing.T) {
	t.Parallel()
	names := migrationFiles(t)
	url := pgtest.Open(t)
	makeSchema(t, url, names[:slices.Index(names, "00044_list_day.sql")])
	execute(t, url, "UPDATE list SET hidden = 0 WHERE id = 7")
	before := time.Now().Unix()
	s, err := Open(t.Context(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	var list, at int64
	query(t, url, "SELECT list_id, before_time FROM list_day_fill", &list, &at)
	if list != 7 || at < before-1 || at > before+60 {
		t.Errorf("the days of List %d before %d are to fill, want List 7 before %d", list, at, before)
	}
}

// makeSchema applies some migrations to an empty database, and adds a row to each table. It returns a condition for each
// row.
func makeSchema(t *testing.T, url string, names []string) (rows map[string]string) {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range names {
		text, err := migrations.ReadFile("migrations/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	config, err := parse(url)
	if err != nil {
		t.Fatal(err)
	}
	if err := migrateTo(t.Context(), config, Options{Log: slog.New(slog.DiscardHandler)}, files); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	tables, err := copiedTables(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	values := map[db.Form]string{db.Number: "7", db.Text: "'text'", db.Bytes: "'\\x00'", db.Document: "'{}'"}
	rows = make(map[string]string)
	for _, table := range tables {
		var columns, inserted, where []string
		for _, c := range table.Columns {
			value := values[c.Form]
			columns, inserted = append(columns, c.Name), append(inserted, value)
			where = append(where, c.Name+" = "+value)
		}
		insert := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table.Name, strings.Join(columns, ", "), strings.Join(inserted, ", "))
		rows[table.Name] = strings.Join(where, " AND ")
		switch table.Name {
		case "catalogue":
			delete(rows, table.Name)
			continue
		case "river_job":
			insert, rows[table.Name] = "INSERT INTO river_job (kind, max_attempts, args) VALUES ('notify', 3, '{}')", "kind = 'notify'"
		}
		if _, err := conn.Exec(t.Context(), insert); err != nil {
			t.Fatal(insert, err)
		}
	}
	return rows
}

func migrationFiles(t *testing.T) (names []string) {
	t.Helper()
	entries, err := fs.ReadDir(migrations, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
