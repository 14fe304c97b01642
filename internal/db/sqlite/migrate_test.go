package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// openPath is the name of an environment variable. If it is set, the test binary is one of several
// concurrent processes and only opens the file at the path in the variable.
const openPath = "ENLIST_TEST_STARTER"

// When several processes start on a new file at the same time, each migration is applied exactly
// once.
func TestConcurrentProcessesMigrateANewFileOnce(t *testing.T) {
	if path := os.Getenv(openPath); path != "" {
		openAt(t, path)
		return
	}
	rounds := 2
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		path := filepath.Join(t.TempDir(), "enlist.db")
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestConcurrentProcessesMigrateANewFileOnce$")
				cmd.Env = append(os.Environ(), openPath+"="+path)
				if output, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, output)
				}
			})
		}
		all.Wait()
		s := openAt(t, path)
		var applied, versions, catalogues int
		err := s.db.QueryRowContext(t.Context(), "SELECT count(*), count(DISTINCT version_id), (SELECT count(*) FROM catalogue) FROM goose_db_version").Scan(&applied, &versions, &catalogues)
		if err != nil || applied != versions || catalogues != 1 {
			t.Errorf("goose_db_version has %d rows for %d migrations, catalogue has %d rows, want one row each; error %v",
				applied, versions, catalogues, err)
		}
	}
}

// A process opens a new file while another process, which is not in WAL mode yet, writes to it. It waits until the
// other process is done.
func TestOpenWaitsForWriterOfNewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "enlist.db")
	other := sql.OpenDB(&connector{path: path})
	defer other.Close()
	other.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA query_only = OFF", "BEGIN IMMEDIATE"} {
		if _, err := other.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	time.AfterFunc(20*time.Millisecond, func() {
		if _, err := other.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
	})
	openAt(t, path)
}

// nextVersion returns the migrations of a newer version: those of this version, followed by those
// in more.
func nextVersion(t *testing.T, more ...string) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = &fstest.MapFile{Data: text}
	}
	for i, text := range more {
		files[fmt.Sprintf("%05d_next.sql", 1900+i)] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + text + ";\n")}
	}
	return files
}

// Several goroutines migrate one file at the same time. Each migration is applied exactly once, even a
// migration that SQLite could apply twice without an error.
func TestConcurrentMigrationsApplyEachOnce(t *testing.T) {
	steps := []string{"CREATE TABLE tally (n INTEGER)", "INSERT INTO tally VALUES (0)"}
	for len(steps) < 22 {
		steps = append(steps, "UPDATE tally SET n = n + 1")
	}
	path, files := filepath.Join(t.TempDir(), "enlist.db"), nextVersion(t, steps...)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			db := sql.OpenDB(&connector{path: path, writer: true})
			defer db.Close()
			db.SetMaxOpenConns(1)
			if err := migrateTo(t.Context(), db, files, slog.New(slog.DiscardHandler)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	var n int
	if err := openAt(t, path).db.QueryRowContext(t.Context(), "SELECT n FROM tally").Scan(&n); err != nil || n != 20 {
		t.Errorf("20 migrations that each add 1 have the sum %d, want 20; error %v", n, err)
	}
}

// A newer version of enlist adds a column and an index. At the same time, a server of this version
// subscribes and searches without an error. After the migration, a server of this version can also
// start again.
func TestAServerWorksWhileANewerVersionMigrates(t *testing.T) {
	path := newFile(t)
	s := openAt(t, path)
	service := app.New(s, time.Now)
	first, err := service.Bootstrap(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	caller, err := service.Accounts.Operator(t.Context(), first.Account)
	if err != nil {
		t.Fatal(err)
	}
	subscribe := func(service *app.App, i int) {
		_, err := service.Contacts.Subscribe(t.Context(), caller, contacts.SubscribeRequest{List: first.List, Details: []enlist.Detail{
			{Key: "Email", Value: enlist.Input{Kind: enlist.InputText, Text: fmt.Sprintf("a%d@example.com", i)}}}})
		if err == nil {
			_, err = service.Contacts.CountContacts(t.Context(), caller, first.List, &enlist.Criteria{Key: "Email", Operator: "contains", Value: enlist.Input{Kind: enlist.InputText, Text: "a1"}})
		}
		if err != nil {
			t.Error(err)
		}
	}
	subscribe(service, 0)
	stop, all := make(chan struct{}), sync.WaitGroup{}
	all.Go(func() {
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
				subscribe(service, i)
			}
		}
	})
	db := sql.OpenDB(&connector{path: path, writer: true})
	db.SetMaxOpenConns(1)
	err = migrateTo(t.Context(), db, nextVersion(t, "ALTER TABLE contact ADD COLUMN colour TEXT NOT NULL DEFAULT ''",
		"CREATE INDEX contact_colour ON contact (list_id, colour, id)"), slog.New(slog.DiscardHandler))
	if err := errors.Join(err, db.Close()); err != nil {
		t.Error(err)
	}
	close(stop)
	all.Wait()
	subscribe(service, -1)
	subscribe(app.New(openAt(t, path), time.Now), -2)
}

// Open refuses a database of another program, of a newer version and of a version before 1.0.0.
func TestOpenRefusesForeignNewerAndOldDatabases(t *testing.T) {
	t.Run("a database of another program", func(t *testing.T) {
		testOpenRefuses(t, "CREATE TABLE users (id INTEGER)", false, errForeign)
	})
	t.Run("a database of a newer version", func(t *testing.T) {
		testOpenRefuses(t, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (2000, 1)", true, db.ErrNewer)
	})
	t.Run("a database of a version before 1.0.0", func(t *testing.T) {
		testOpenRefuses(t, "UPDATE goose_db_version SET version_id = version_id - 942 WHERE version_id >= 1000", true, db.ErrOld)
	})
}

// testOpenRefuses runs a statement on a file. Then it checks that Open returns the error want. If
// isMigrated is false, the file is empty before the statement, and Open must not change the file.
func testOpenRefuses(t *testing.T, statement string, isMigrated bool, want error) {
	path := filepath.Join(t.TempDir(), "enlist.db")
	if isMigrated {
		path = newFile(t)
	}
	db := sql.OpenDB(&connector{path: path})
	if _, err := db.ExecContext(t.Context(), "PRAGMA query_only = OFF"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path, Options{})
	if err == nil {
		s.Close()
	}
	if !errors.Is(err, want) {
		t.Errorf("Open returns the error %v, want %v", err, want)
	}
	if after, err := os.ReadFile(path); err != nil || !isMigrated && !bytes.Equal(before, after) {
		t.Errorf("Open changed the file, or the file cannot be read: error %v", err)
	}
}
