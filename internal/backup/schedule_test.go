package backup_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/backup"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/sqlite"
)

// Of several processes on one database, one makes each backup. The next one is made when it is due, and a failed one
// is tried again after some minutes.
//
// covers: decision 86
func TestOneOfSeveralServersMakesEachBackup(t *testing.T) {
	dbtest.EachParallel(t, oneMakesEachBackup)
}

func oneMakesEachBackup(t *testing.T, e dbtest.Engine) {
	if e.Name == "citus" {
		t.Skip("a cluster has no common snapshot")
	}
	db, _ := newList(t, e)
	now := time.Now()
	s := open(t, db.DB)
	defer s.close()
	dir := t.TempDir()
	keep, err := backup.ParseKeep("7d")
	s.must(err)
	run := func(folder string) (failed int) {
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				service := app.New(s.store, func() time.Time { return now })
				b := &backup.Scheduler{DB: service.DB, From: db, Dir: folder, Every: 6 * time.Hour, Keep: keep, Log: slog.New(slog.DiscardHandler)}
				if err := b.RunDue(t.Context(), now); err != nil {
					mu.Lock()
					failed++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		return failed
	}
	wantBackups := func(n int) {
		t.Helper()
		if found := strings.Fields(names(t, dir)); len(found) != n {
			t.Errorf("the folder has %q, want %d backups", found, n)
		}
	}
	if failed := run(dir); failed > 0 {
		t.Errorf("%d processes failed", failed)
	}
	wantBackups(1)
	now = now.Add(5 * time.Hour)
	run(dir)
	wantBackups(1)
	now = now.Add(65 * time.Minute) // a backup has the real time, which is a little later than the first now
	if failed := run(filepath.Join(dir, "none")); failed != 1 {
		t.Errorf("%d processes tried the backup that fails, want 1", failed)
	}
	last, err := backup.Last(t.Context(), s.service.DB)
	if err != nil || !strings.Contains(last.Error, "no such file") || last.IsOverdue(now.Unix()) || !last.IsOverdue(now.Add(7*time.Hour).Unix()) {
		t.Errorf("the state is %+v, error %v; want the failure, and that it is not overdue before 12 h", last, err)
	}
	now = now.Add(9 * time.Minute)
	run(dir)
	wantBackups(1)
	now = now.Add(2 * time.Minute)
	run(dir)
	wantBackups(2)
	for _, name := range strings.Fields(names(t, dir)) {
		if problems, err := sqlite.Check(t.Context(), filepath.Join(dir, name)); err != nil || len(problems) > 0 {
			t.Errorf("%s: the checks find %q, error %v", name, problems, err)
		}
	}
	if last, err := backup.Last(t.Context(), s.service.DB); err != nil || last.Error != "" || last.Lease != 0 {
		t.Errorf("the state is %+v, error %v; want no failure and no lease", last, err)
	}
}

// A backup removes the backups that need not be kept, but no other file.
//
// covers: decision 86
func TestOldBackupsAreRemovedButNeverTheLast(t *testing.T) {
	t.Parallel()
	db, _ := newList(t, dbtest.SQLite)
	s := open(t, db.DB)
	defer s.close()
	now := time.Date(2027, 3, 31, 12, 0, 0, 0, time.UTC) // a Wednesday
	dir := t.TempDir()
	create := func(name string) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-48*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"enlist-20270331T060000Z.db", "enlist-20270330T130000Z.db", // of the last 24 hours
		"enlist-20270330T110000Z.db",                                   // not the newest of its day
		"enlist-20270329T230000Z.db",                                   // the third day
		"enlist-20270328T230000Z.db.age", "enlist-20270327T230000Z.db", // the second week; the first of them is its newest
		"enlist-20270301T000000Z.db", // a week of the past: the third
		"notes.txt", "enlist-2027.db", ".other.incomplete-1"} {
		create(name)
	}
	keep, err := backup.ParseKeep("3d,2w")
	s.must(err)
	b := &backup.Scheduler{DB: s.service.DB, From: db, Dir: dir, Every: time.Hour, Keep: keep, Log: slog.New(slog.DiscardHandler)}
	s.must(b.RunDue(t.Context(), now))
	want := ".other.incomplete-1 enlist-2027.db enlist-20270328T230000Z.db.age enlist-20270329T230000Z.db " +
		"enlist-20270330T130000Z.db enlist-20270331T060000Z.db enlist-20270331T120000Z.db notes.txt"
	if got := names(t, dir); got != want {
		t.Errorf("the folder has\n%s, want\n%s", got, want)
	}
}

// The incomplete files of killed processes may fill the disk, so the next backup removes them before it begins, even if it
// fails. A file that was changed in the last two hours may be that of a running backup. A backup by hand removes only files
// of its own name.
//
// covers: decision 86
func TestIncompleteFilesOfKilledProcessesAreRemovedFirst(t *testing.T) {
	t.Parallel()
	db, _ := newList(t, dbtest.SQLite)
	s := open(t, db.DB)
	defer s.close()
	now := time.Now()
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{".enlist-20260101T000000Z.db.incomplete-1": 3 * time.Hour,
		".enlist-20260101T000000Z.db.incomplete-1-journal": 3 * time.Hour, ".enlist-20260101T060000Z.db.age.incomplete-2": time.Hour,
		".mine.db.incomplete-3": 3 * time.Hour, ".mine.db.incomplete-4": time.Hour} {
		path := filepath.Join(dir, name)
		s.must(os.WriteFile(path, nil, 0o600))
		s.must(os.Chtimes(path, now, now.Add(-age)))
	}
	missing := config.Database{DB: filepath.Join(t.TempDir(), "missing.db")}
	b := &backup.Scheduler{DB: s.service.DB, From: missing, Dir: dir, Every: time.Hour, Keep: backup.Keep{'d': 7}, Log: slog.New(slog.DiscardHandler)}
	if err := b.RunDue(t.Context(), now); err == nil {
		t.Error("a backup of a missing database succeeded")
	}
	const running = ".enlist-20260101T060000Z.db.age.incomplete-2 "
	if got, want := names(t, dir), running+".mine.db.incomplete-3 .mine.db.incomplete-4"; got != want {
		t.Errorf("the folder has\n%s, want\n%s", got, want)
	}
	if _, err := backup.Write(t.Context(), backup.Job{From: db, To: filepath.Join(dir, "mine.db")}); err != nil {
		t.Error(err)
	}
	if got, want := names(t, dir), running+".mine.db.incomplete-4 mine.db"; got != want {
		t.Errorf("the folder has\n%s, want\n%s", got, want)
	}
}

// The text of --backup-keep is checked.
//
// covers: decision 86
func TestKeepIsParsed(t *testing.T) {
	for _, text := range []string{"7d", "7d,4w", "1d, 2w,12m"} {
		if _, err := backup.ParseKeep(text); err != nil {
			t.Errorf("%q is refused: %v", text, err)
		}
	}
	for _, text := range []string{"", "d", "7", "0d", "-1d", "7d,7d", "7x", "7d,,4w", "99999d", "7d4w"} {
		if _, err := backup.ParseKeep(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
