package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/store/pgtest"

	"github.com/jackc/pgx/v5"
)

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

// query runs a query with one row.
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

// Many processes that start at once on a new database make its tables once.
func TestStartingAtOnce(t *testing.T) {
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
			t.Errorf("%d migrations were applied, of %d; %d catalogues", applied, versions, catalogues)
		}
	}
}

// A process that finds nothing to be done does not wait for another one that
// migrates, which may take hours: neither this version nor an older one.
func TestStartingBesideAMigration(t *testing.T) {
	url := prepared(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, statement := range []string{fmt.Sprintf("SELECT pg_advisory_lock(%d)", turn), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)"} {
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

// What is no database of this version is left as it is.
func TestOpenRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		url    func(testing.TB) string
		change string
		o      Options
		want   error
	}{
		"a database of another program": {pgtest.Open, "CREATE TABLE users (id INTEGER)", Options{}, errForeign},
		"a database of a newer version": {func(t testing.TB) string { return prepared(t) },
			"INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000, true)", Options{}, errNewer},
		"an empty one that should not be": {pgtest.Open, "SELECT 1", Options{Existing: true}, errEmpty},
	} {
		url := c.url(t)
		execute(t, url, c.change)
		s, err := Open(t.Context(), url, c.o)
		if err == nil {
			s.Close()
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", what, err, c.want)
		}
	}
}

// prepared is a new database with tables that no other test gets.
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

// A password is in no message.
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
			t.Errorf("error %v", err)
		}
	}
}

// A role that may not make tables is told how it comes to be allowed to.
func TestRoleWithoutRights(t *testing.T) {
	url := pgtest.Open(t)
	execute(t, url, `CREATE ROLE "weak one"; REVOKE CREATE ON SCHEMA public FROM PUBLIC`)
	defer execute(t, url, `DROP ROLE "weak one"`)
	_, err := Open(t.Context(), url+"&role=weak%20one", Options{})
	if err == nil || !strings.Contains(err.Error(), "OWNER TO") {
		t.Errorf("without rights: %v", err)
	}
}
