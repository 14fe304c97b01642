package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/pgtest"

	"github.com/jackc/pgx/v5"
)

// The tests in this file open new databases, migrated databases and databases of other
// programs.

// execute runs a statement in the database at a URL.
func execute(t *testing.T, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// query runs a query that returns one row. It stores the values of the row in the variables of
// the parameter into.
func query(t *testing.T, url, text string, into ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), text).Scan(into...); err != nil {
		t.Fatal(err)
	}
}

// If six processes start at the same time on a new database, its tables are created
// only once.
func TestProcessesThatStartTogetherMigrateOnce(t *testing.T) {
	if testing.Short() {
		t.Skip(`slow on PostgreSQL: run it with "make check"`)
	}
	for range 3 {
		url := pgtest.Open(t)
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				s, err := Open(t.Context(), url, Options{})
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				if err := s.Ready(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		var applied, versions, catalogues int
		query(t, url, "SELECT count(*), count(DISTINCT version_id), (SELECT count(*) FROM catalogue) FROM goose_db_version", &applied, &versions, &catalogues)
		if applied != versions || catalogues != 1 {
			t.Errorf("%d migrations were applied, %d of them different; catalogue has %d rows; want each migration once and 1 row", applied, versions, catalogues)
		}
	}
}

// If the tables are up to date, a process starts although another process holds the lock of
// migrations. The test has two cases: the version of the other process is the same or newer.
func TestStartDoesNotWaitForAnotherMigration(t *testing.T) {
	if testing.Short() {
		t.Skip(`slow on PostgreSQL: run it with "make check"`)
	}
	url := prepared(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, statement := range []string{fmt.Sprintf("SELECT pg_advisory_lock(%d)", migrationLock), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (1999, true)"} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s, err := Open(ctx, url, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
}

// Open refuses databases that it cannot use, and leaves them unchanged.
func TestOpenRefusesForeignNewerAndEmptyDatabases(t *testing.T) {
	for _, test := range []struct {
		name   string
		url    func(testing.TB) string
		change string
		o      Options
		want   error
	}{
		{"tables of another program", pgtest.Open, "CREATE TABLE users (id INTEGER)", Options{}, errForeign},
		{"a newer version", database, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (2000, true)", Options{}, db.ErrNewer},
		{"a version before 1.0.0", database, "UPDATE goose_db_version SET version_id = version_id - 942 WHERE version_id >= 1000", Options{}, db.ErrOld},
		{"a database without tables if Existing is true", pgtest.Open, "SELECT 1", Options{Existing: true}, errEmpty},
	} {
		t.Run(test.name, func(t *testing.T) {
			url := test.url(t)
			execute(t, url, test.change)
			s, err := Open(t.Context(), url, test.o)
			if err == nil {
				s.Close()
			}
			if !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
		})
	}
}

// prepared returns the URL of a new database with all tables. No other test uses this
// database.
func prepared(t testing.TB) string {
	t.Helper()
	url := pgtest.Open(t)
	s, err := Open(t.Context(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	return url
}

// An error never contains the password of the URL.
func TestErrorsHideThePassword(t *testing.T) {
	for _, url := range []string{
		"postgres://user:secret@127.0.0.1:1/db?connect_timeout=1",
		"postgres://user:sec%ret@host/db",
		"postgres://127.0.0.1:1/db?password=secret&user=user&sslmode=what",
	} {
		s, err := Open(t.Context(), url, Options{})
		if err == nil {
			s.Close()
		}
		if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "sec%ret") {
			t.Errorf("error %v, want one without the password", err)
		}
	}
}

// If a role is not allowed to create tables, the error contains a statement that makes the
// role the owner of the database.
func TestRoleWithoutRightsIsToldHowToGetThem(t *testing.T) {
	if testing.Short() {
		t.Skip("provokes what happens seldom: run it with \"make check\"")
	}
	url := pgtest.Open(t)
	execute(t, url, `CREATE ROLE "weak one"; REVOKE CREATE ON SCHEMA public FROM PUBLIC`)
	defer execute(t, url, `DROP ROLE "weak one"`)
	_, err := Open(t.Context(), url+"&role=weak%20one", Options{})
	if err == nil || !strings.Contains(err.Error(), "OWNER TO") {
		t.Errorf("Open with a role that is not allowed to create tables: error %v, want one with OWNER TO", err)
	}
}
