package backup_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/backup"
	"enlist/internal/config"
	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/pgtest"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"

	"filippo.io/age"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { pgtest.Main(m, func() error { return goleak.Find() }) }

// newList returns a new database with an Account, a List and a Contact.
func newList(t *testing.T, e dbtest.Engine) (db config.Database, list enlist.ListID) {
	t.Helper()
	db.DB = e.New(t)
	s := open(t, db.DB)
	defer s.close()
	first, err := s.service.Bootstrap(t.Context(), "")
	s.must(err)
	s.use(first.Account)
	s.subscribe(first.List, "ada@example.com")
	return db, first.List
}

// service is a Service on an open store, with a caller that has all rights.
type service struct {
	*testing.T
	store   *dbtest.Store
	service *app.App
	caller  *enlist.Caller
}

func open(t *testing.T, db string) *service {
	t.Helper()
	store, err := dbtest.Open(t.Context(), db, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := &service{T: t, store: store, service: app.New(store, time.Now)}
	if all, err := s.service.Accounts.AllAccounts(t.Context()); err == nil && len(all) > 0 {
		s.use(all[0].ID)
	}
	return s
}

func (s *service) use(account enlist.AccountID) {
	s.Helper()
	caller, err := s.service.Accounts.Operator(s.Context(), account)
	s.must(err)
	s.caller = caller
}

func (s *service) close() {
	s.Helper()
	s.must(s.store.Close())
}

func (s *service) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *service) subscribe(list enlist.ListID, email string) enlist.ContactID {
	s.Helper()
	id, err := s.service.Contacts.Subscribe(s.Context(), s.caller, contacts.SubscribeRequest{List: list,
		Details: []enlist.Detail{text("Email", email)}})
	s.must(err)
	return id
}

func (s *service) wantContacts(list enlist.ListID, want int64) {
	s.Helper()
	n, err := s.service.Contacts.CountContacts(s.Context(), s.caller, list, nil)
	if err != nil || n != want {
		s.Errorf("the List has %d Contacts, error %v; want %d", n, err, want)
	}
}

// A backup is one SQLite file of mode 0600, which the checks accept and a server can open. The database is open
// meanwhile.
//
// covers: decision 84
func TestBackupOpensAsADatabase(t *testing.T) { dbtest.EachParallel(t, backupOpens) }

func backupOpens(t *testing.T, e dbtest.Engine) {
	if e.Name == "citus" {
		t.Skip("a cluster has no common snapshot")
	}
	db, list := newList(t, e)
	running := open(t, db.DB)
	running.subscribe(list, "bob@example.com")
	dir := t.TempDir()
	to := filepath.Join(dir, "backup.db")
	result, err := backup.Write(t.Context(), backup.Job{From: db, To: to})
	if err != nil || len(result.Problems) > 0 {
		t.Fatal(result.Problems, err)
	}
	running.subscribe(list, "later@example.com")
	running.close()
	if problems, err := sqlite.Check(t.Context(), to); err != nil || len(problems) > 0 { // also checks the mode
		t.Errorf("the checks find %q, error %v", problems, err)
	}
	s := open(t, to)
	defer s.close()
	s.wantContacts(list, 2)
	if info, err := os.Stat(to); err != nil || info.Size() != result.Bytes {
		t.Errorf("the result has %d bytes, but the file has %d, error %v", result.Bytes, info.Size(), err)
	}
	wantFiles(t, dir, "backup.db", "backup.db-shm", "backup.db-wal") // the last two belong to the open store
}

// wantFiles checks that a folder has these files and no other.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := names(t, dir); got != strings.Join(want, " ") {
		t.Errorf("the folder has %s, want %q", got, want)
	}
}

// A backup replaces no file without Force, and never the database.
//
// covers: decision 84
func TestBackupReplacesNoOtherFile(t *testing.T) {
	t.Parallel()
	db, _ := newList(t, dbtest.SQLite)
	dir := filepath.Dir(db.DB)
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, to, want string
		force          bool
	}{
		{"an existing file", other, "replace it with --force", false},
		{"the database", db.DB, "is the database itself", true},
		{"the write-ahead log", db.DB + "-wal", "belongs to the database", true},
		{"the journal", db.DB + "-journal", "belongs to the database", false},
		{"a folder", dir, "is no file", true},
		{"a missing folder", filepath.Join(dir, "none", "b"), "no such file", false},
	} {
		_, err := backup.Write(t.Context(), backup.Job{From: db, To: c.to, Force: c.force})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that contains %q", c.name, err, c.want)
		}
	}
	if content, _ := os.ReadFile(other); string(content) != "text" {
		t.Errorf("the other file has the content %q", content)
	}
	if _, err := backup.Write(t.Context(), backup.Job{From: db, To: other, Force: true}); err != nil {
		t.Error(err)
	}
	if problems, err := sqlite.Check(t.Context(), other); err != nil || len(problems) > 0 {
		t.Errorf("the checks of the replaced file find %q, error %v", problems, err)
	}
}

// After an error, and after an interruption, no file is left behind.
//
// covers: decision 84
func TestFailedBackupLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	db, _ := newList(t, dbtest.SQLite)
	for name, damage := range map[string]func(context.CancelFunc, *backup.Job){
		"interrupted": func(cancel context.CancelFunc, _ *backup.Job) { cancel() },
		"damaged database": func(_ context.CancelFunc, j *backup.Job) {
			j.From.DB = filepath.Join(t.TempDir(), "damaged.db")
			content, err := os.ReadFile(db.DB)
			if err != nil || os.WriteFile(j.From.DB, content[:len(content)/2], 0o600) != nil {
				t.Fatal(err)
			}
		},
		"another program's database": func(_ context.CancelFunc, j *backup.Job) {
			j.From.DB = filepath.Join(t.TempDir(), "text")
			if err := os.WriteFile(j.From.DB, []byte("no database at all"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		dir := t.TempDir()
		j := backup.Job{From: db, To: filepath.Join(dir, "backup.db")}
		damage(cancel, &j)
		if _, err := backup.Write(ctx, j); err == nil {
			t.Errorf("%s: the backup succeeds, want an error", name)
		}
		cancel()
		wantFiles(t, dir)
	}
}

// An encrypted backup contains no readable text, and the plain copy is removed.
//
// covers: decision 84
func TestEncryptedBackupIsUnreadable(t *testing.T) {
	t.Parallel()
	db, _ := newList(t, dbtest.SQLite)
	key := newKey(t)
	dir := t.TempDir()
	to := filepath.Join(dir, "backup.age")
	if _, err := backup.Write(t.Context(), backup.Job{From: db, To: to, Recipients: []age.Recipient{key.Recipient()}}); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir, "backup.age")
	content, err := os.ReadFile(to)
	if err != nil || strings.Contains(string(content), "ada@example.com") || !strings.HasPrefix(string(content), "age-encryption.org/v1\n") {
		t.Errorf("the backup is readable, or no file of age: error %v", err)
	}
}

// The content of a deleted row is in no backup that is made afterwards, although an earlier version has left it in the
// free pages of the database.
//
// covers: decision 84
func TestBackupHasNoContentOfDeletedRows(t *testing.T) {
	t.Parallel()
	db, list := newList(t, dbtest.SQLite)
	s := open(t, db.DB)
	s.subscribe(list, "erase.me.please@example.com")
	s.close()
	file, err := dbtest.OpenSQLiteFile(db.DB)
	s.must(err)
	file.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA secure_delete = OFF", "DELETE FROM contact WHERE dedupe_key LIKE 'erase%'"} {
		_, err := file.ExecContext(t.Context(), statement)
		s.must(err)
	}
	s.must(file.Close())
	to := filepath.Join(t.TempDir(), "backup.db")
	if _, err := backup.Write(t.Context(), backup.Job{From: db, To: to}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{db.DB: true, to: false} {
		content, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(content), "erase.me.please") != want {
			t.Errorf("%s contains the deleted address: want %t; error %v", path, want, err)
		}
	}
}
