package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// A database of every earlier schema, with a row in each table, is migrated when it is opened, and no row changes. With
// -short, a fifth of the schemas is enough.
func TestDatabaseOfEachSchemaIsMigrated(t *testing.T) {
	t.Parallel()
	names := migrationFiles(t)
	step := 1
	if testing.Short() {
		step = 5
	}
	for n := 1; n <= len(names); n += step {
		t.Run(names[n-1], func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "enlist.db")
			rows := makeSchema(t, path, names[:n])
			s := openAt(t, path)
			var version int
			if err := s.db.QueryRowContext(t.Context(), "SELECT max(version_id) FROM goose_db_version").Scan(&version); err != nil || !strings.HasPrefix(names[len(names)-1], fmt.Sprintf("%05d_", version)) {
				t.Errorf("the database has version %d, error %v; want that of %s", version, err, names[len(names)-1])
			}
			for table, where := range rows {
				var found int
				if err := s.db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table+" WHERE "+where).Scan(&found); err != nil || found != 1 {
					t.Errorf("%d rows of %s have %s, error %v; want one", found, table, where, err)
				}
			}
			if found, err := runCheck(t.Context(), s.db, structureCheck); err != nil || len(found) > 0 {
				t.Errorf("the file's structure: %q, error %v", found, err)
			}
		})
	}
}

// After the upgrade, the days of each List that existed are still to fill, from the time of the upgrade back.
func TestListsOfEarlierVersionsWaitForTheirDays(t *testing.T) {
	t.Parallel()
	names := migrationFiles(t)
	path := filepath.Join(t.TempDir(), "enlist.db")
	makeSchema(t, path, names[:slices.Index(names, "00044_list_day.sql")])
	const visible = "UPDATE list SET hidden = 0 WHERE id = 7"
	file := sql.OpenDB(&connector{path: path, writer: true})
	if _, err := file.ExecContext(t.Context(), visible); err != nil {
		t.Fatal(err)
	}
	file.Close()
	before := time.Now().Unix()
	var list, at int64
	if err := openAt(t, path).db.QueryRowContext(t.Context(), "SELECT list_id, before_time FROM list_day_fill").Scan(&list, &at); err != nil || list != 7 || at < before-1 || at > before+60 {
		t.Errorf("the days of List %d before %d are to fill, error %v; want List 7 before %d", list, at, err, before)
	}
}

// makeSchema creates a database with some migrations and a row in each table. It returns a condition for each row.
func makeSchema(t *testing.T, path string, names []string) (rows map[string]string) {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range names {
		text, err := migrations.ReadFile("migrations/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	db := sql.OpenDB(&connector{path: path, writer: true})
	defer db.Close()
	db.SetMaxOpenConns(1)
	if err := migrateTo(t.Context(), db, files, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	const columns = `SELECT m.name, c.name, c.type FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'
		AND substr(m.name, 1, instr(m.name, '_')) NOT IN ('sqlite_', 'goose_', 'river_') AND m.name <> 'catalogue' ORDER BY m.name, c.cid`
	found, err := db.QueryContext(t.Context(), columns)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"INTEGER": "7", "TEXT": "'text'", "BLOB": "jsonb('{}')", "REAL": "1.5"}
	inserts := make(map[string][2][]string)
	rows = make(map[string]string)
	for found.Next() {
		var table, column, kind string
		if err := found.Scan(&table, &column, &kind); err != nil || values[kind] == "" {
			t.Fatal(table, column, kind, err)
		}
		i := inserts[table]
		inserts[table] = [2][]string{append(i[0], column), append(i[1], values[kind])}
		if rows[table] != "" {
			rows[table] += " AND "
		}
		rows[table] += column + " = " + values[kind]
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	found.Close()
	inserts["river_job"] = [2][]string{{"kind", "max_attempts", "args"}, {"'notify'", "3", "'{}'"}}
	rows["river_job"] = "kind = 'notify'"
	for table, i := range inserts {
		insert := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(i[0], ", "), strings.Join(i[1], ", "))
		if _, err := db.ExecContext(context.Background(), insert); err != nil {
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

// With external checkpoints the writer never copies the write-ahead log.
func TestExternalCheckpointsAreLeftToTheOtherProgram(t *testing.T) {
	s, err := Open(t.Context(), newFile(t), Options{ExternalCheckpoints: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var pages int
	if err := s.db.QueryRowContext(t.Context(), "PRAGMA wal_autocheckpoint").Scan(&pages); err != nil || pages != 0 || s.writer.wal.due(1<<40) {
		t.Errorf("the writer copies the log after %d pages or when it is large, error %v; want never", pages, err)
	}
}
