package backup_test

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/internal/backup"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/pgtest"
	"enlist/internal/enlist"

	"filippo.io/age"
)

// A backup of each engine is restored on each engine. The restored database has the content of the backup, gives out
// no ID that the old database has given out after the backup, and holds mails and webhooks.
//
// covers: decision 84, decision 85
func TestRestoreContinuesAfterTheIDsOfTheLostDatabase(t *testing.T) {
	t.Parallel()
	for _, from := range []dbtest.Engine{dbtest.SQLite, dbtest.Postgres} {
		for _, to := range []string{"sqlite", "postgres"} {
			t.Run(from.Name+" to "+to, func(t *testing.T) {
				t.Parallel()
				db, list := newList(t, from)
				file := filepath.Join(t.TempDir(), "backup.db")
				if _, err := backup.Write(t.Context(), backup.Job{From: db, To: file}); err != nil {
					t.Fatal(err)
				}
				lost := open(t, db.DB)
				last := lost.subscribe(list, "later@example.com")
				field := lost.addField(list)
				lost.close()
				target := config.Database{DB: filepath.Join(t.TempDir(), "restored.db")}
				if to == "postgres" {
					target.DB = pgtest.Open(t)
				}
				r, err := backup.Restore(t.Context(), backup.RestoreJob{From: file, To: target, Skip: -1})
				if err != nil || r.Skipped != 1_000_000 || r.Guessed || time.Since(r.Backup) > time.Hour {
					t.Fatalf("the restore returns %+v, error %v", r, err)
				}
				s := open(t, target.DB)
				defer s.close()
				s.wantContacts(list, 1)
				if id := s.subscribe(list, "new@example.com"); id <= last {
					t.Errorf("a new Contact has ID %d, but the lost database had given out %d", id, last)
				}
				if id := s.addField(list); id <= field {
					t.Errorf("a new Field has ID %d, but the lost database had given out %d", id, field)
				}
				if id := s.addMessage(); id <= 1_000_000 { // the backup has no Message
					t.Errorf("the first Message has ID %d, want more than 1,000,000", id)
				}
				hold, err := s.service.Sending.Held(t.Context())
				if err != nil || !hold.Restored() || hold.BackupTime != r.Backup.Unix() {
					t.Errorf("the hold is %+v, error %v; want the time of the backup", hold, err)
				}
			})
		}
	}
}

// A backup that a version before 1.0.0 made is restored on each engine.
func TestABackupOfAVersionBefore1IsRestored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "backup.db")
	packed, err := os.Open("../db/dbcopy/testdata/before1.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(unpacked)
	if err := errors.Join(err, os.WriteFile(file, content, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{filepath.Join(dir, "restored.db"), pgtest.Open(t)} {
		if _, err := backup.Restore(t.Context(), backup.RestoreJob{From: file, To: config.Database{DB: target}, Skip: -1}); err != nil {
			t.Fatal(err)
		}
		s := open(t, target)
		s.use(1)
		s.wantContacts(1, 2)
		s.close()
	}
	if left := names(t, dir); left != "backup.db restored.db" {
		t.Errorf("the folder has %s", left)
	}
}

func (s *service) addField(list enlist.ListID) enlist.FieldID {
	s.Helper()
	id, err := s.service.Lists.AddField(s.Context(), s.caller, list, []enlist.Detail{text("name", "Colour"), text("type", "text")})
	s.must(err)
	return id
}

func (s *service) addMessage() enlist.MessageID {
	s.Helper()
	id, err := s.service.Messages.AddMessage(s.Context(), s.caller, []enlist.Detail{text("name", "M"), text("subject", "S"), text("text_content", "T")})
	s.must(err)
	return id
}

func text(key, value string) enlist.Detail {
	return enlist.Detail{Key: key, Value: enlist.Input{Kind: enlist.InputText, Text: value}}
}

// Bad backups and targets are refused, and nothing is left at the target.
//
// covers: decision 85
func TestRestoreRefusesBadBackupsAndTargets(t *testing.T) {
	t.Parallel()
	db, _ := newList(t, dbtest.SQLite)
	key, other := newKey(t), newKey(t)
	dir := t.TempDir()
	plain, sealed := filepath.Join(dir, "plain.db"), filepath.Join(dir, "sealed.age")
	for path, recipients := range map[string][]age.Recipient{plain: nil, sealed: {key.Recipient()}} {
		if _, err := backup.Write(t.Context(), backup.Job{From: db, To: path, Recipients: recipients}); err != nil {
			t.Fatal(err)
		}
	}
	cut := func(path string) string {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		to := path + ".cut"
		if err := os.WriteFile(to, content[:len(content)*2/3], 0o600); err != nil {
			t.Fatal(err)
		}
		return to
	}
	write := func(name, content string) string {
		to := filepath.Join(dir, name)
		if err := os.WriteFile(to, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return to
	}
	newer := filepath.Join(dir, "newer.db")
	if _, err := backup.Write(t.Context(), backup.Job{From: db, To: newer}); err != nil {
		t.Fatal(err)
	}
	file, err := dbtest.OpenSQLiteFile(newer)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (2000, 1)")
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, from, to, want string
		keys                 []age.Identity
	}{
		{"the right key", sealed, "ok.db", "", []age.Identity{other, key}},
		{"no key", sealed, "a.db", "give the file with the private key with --identity", nil},
		{"the wrong key", sealed, "b.db", "it is encrypted for another key", []age.Identity{other}},
		{"an encrypted file that was cut off", cut(sealed), "c.db", "incomplete or was changed", []age.Identity{key}},
		{"a plain file that was cut off", cut(plain), "d.db", "incomplete or was changed", nil},
		{"an empty file", write("empty", ""), "e.db", "neither a SQLite file nor", nil},
		{"a text", write("text", "hello"), "f.db", "neither a SQLite file nor", nil},
		{"no file", filepath.Join(dir, "none"), "g.db", "no such file", nil},
		{"a newer schema", newer, "h.db", "it was made by a newer enlist", nil},
		{"an existing target", plain, "plain.db", "plain.db exists", nil},
		{"an old write-ahead log", plain, filepath.Base(strings.TrimSuffix(write("old.db-wal", ""), "-wal")), "old.db-wal exists", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := names(t, dir)
			to := filepath.Join(dir, c.to)
			_, err := backup.Restore(t.Context(), backup.RestoreJob{From: c.from, To: config.Database{DB: to}, Identities: c.keys, Skip: 5})
			switch {
			case c.want == "":
				if err != nil {
					t.Error(err)
				}
				return
			case err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), ".incomplete-"):
				t.Errorf("error %v, want one that contains %q", err, c.want)
			}
			if after := names(t, dir); after != before {
				t.Errorf("the folder has %s, before %s", after, before)
			}
		})
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func newKey(t *testing.T) *age.X25519Identity {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// A restore skips ten times as many IDs as were probably given out since the backup.
//
// covers: decision 85
func TestSkipGrowsWithTheRateAndTheAge(t *testing.T) {
	created := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	for _, c := range []struct {
		name    string
		last    int64
		backup  time.Duration // after created
		age     time.Duration // of the backup
		want    int64
		created time.Time
	}{
		{"a small database", 100, 10 * day, day, 1_000_000, created},
		{"a million IDs a day, and a backup of yesterday", 10_000_000, 10 * day, day, 10_000_000, created},
		{"a million IDs a day, and a backup of a week ago", 10_000_000, 10 * day, 7 * day, 70_000_000, created},
		{"a database of the last hour counts as one of a day", 10_000_000, time.Hour, day, 100_000_000, created},
		{"a clock that was set back", 10_000_000, 10 * day, -day, 1_000_000, created},
		{"an empty database", 0, 0, day, 1_000_000, time.Time{}},
		{"a very old backup", 1e12, day, 3650 * day, 1e12, created},
	} {
		t.Run(c.name, func(t *testing.T) {
			made := created.Add(c.backup)
			if got := backup.Skip(c.last, c.created, made, made.Add(c.age)); got != c.want {
				t.Errorf("%d IDs are skipped, want %d", got, c.want)
			}
		})
	}
}
