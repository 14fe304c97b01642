package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/app"
	"enlist/internal/backup"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
)

// This test fills the file system of a SQLite database. It needs the right to mount a small file system.

// While the disk is full, changes fail, /readyz answers 503, and enlist doctor reports a problem. When the disk has
// room again, the same server stores changes.
func TestFullDiskMakesTheServiceNotReady(t *testing.T) {
	dir := smallDisk(t, "8m")
	c := newCrash(t, dbtest.SQLite, "smtp://127.0.0.1:1")
	c.db = filepath.Join(dir, "enlist.db")
	kill := c.start()
	defer kill()
	subscribe := func(email string) error {
		_, err := c.client.SubscribeContact(t.Context(), 1, api.Details{"Email": email}, api.Consent{})
		return err
	}
	if err := subscribe("before@example.com"); err != nil {
		t.Fatal(err)
	}
	wantReady(t, c.url, 200, "ok")
	fill := filepath.Join(dir, "fill")
	fillDisk(t, fill)
	if refused, ok := errors.AsType[*api.Error](subscribe("full@example.com")); !ok || refused.Code != 302 {
		t.Errorf("on a full disk subscribeContact was answered with %v, want code 302", refused)
	}
	wantReady(t, c.url, 503, "the disk of the database is full")
	out, err := exec.Command("enlist", "doctor", "--db", c.db).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "problem: writing: the disk of the database is full") {
		t.Errorf("on a full disk enlist doctor ended with %v and printed %s", err, out)
	}
	wantChangesAgain(t, c, fill)
}

// wantChangesAgain removes the file that fills the disk, and checks that the same server then stores changes.
func wantChangesAgain(t *testing.T, c *crash, fill string) {
	t.Helper()
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	wantReady(t, c.url, 200, "ok")
	if _, err := c.client.SubscribeContact(t.Context(), 1, api.Details{"Email": "after@example.com"}, api.Consent{}); err != nil {
		t.Error(err)
	}
}

// A service that is killed while its disk is full starts again with reads, and stores changes when there is room.
func TestServiceStartsWithAFullDisk(t *testing.T) {
	dir := smallDisk(t, "8m")
	c := newCrash(t, dbtest.SQLite, "smtp://127.0.0.1:1")
	c.db = filepath.Join(dir, "enlist.db")
	kill := c.start()
	fill := filepath.Join(dir, "fill")
	fillDisk(t, fill)
	kill()
	defer c.start()()
	if lists, err := c.client.CountLists(t.Context(), api.Criteria{}); err != nil || lists != 1 {
		t.Errorf("on a full disk the service counts %d Lists, error %v; want 1", lists, err)
	}
	wantReady(t, c.url, 503, "the disk of the database is full")
	wantChangesAgain(t, c, fill)
}

// If the disk has not even room for the files that SQLite creates at its start, the service answers why it is not ready,
// and starts when there is room.
func TestServiceWaitsForRoomToOpenTheDatabase(t *testing.T) {
	dir := smallDisk(t, "8m")
	c := newCrash(t, dbtest.SQLite, "smtp://127.0.0.1:1")
	c.db = filepath.Join(dir, "enlist.db")
	p := c.process()
	p.end(os.Interrupt) // removes the files beside the database
	fill := filepath.Join(dir, "fill")
	fillDisk(t, fill)
	address := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	must(0, address.Close())(t)
	cmd := exec.Command("enlist", "serve", "--db", c.db, "--listen", address.Addr().String(), "--ops-listen", "none")
	must(0, cmd.Start())(t)
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	ready := func(status int) func() bool {
		return func() bool {
			reply, err := http.Get("http://" + address.Addr().String() + "/readyz")
			if err != nil {
				return false
			}
			return errors.Join(reply.Body.Close()) == nil && reply.StatusCode == status
		}
	}
	until(t, t.Context(), "a server that waits is not ready", ready(http.StatusServiceUnavailable))
	wantReady(t, "http://"+address.Addr().String(), 503, "the disk of the database is full")
	must(0, os.Remove(fill))(t)
	until(t, t.Context(), "the server is ready", ready(http.StatusOK))
}

// A file for which the disk has no room is refused before anything of it is stored. If the disk becomes full while a file
// is imported, the import stops with the reason. When the disk has room again, it stores the rest.
//
// covers: decision 96
func TestFullDiskStopsAnImport(t *testing.T) {
	dir := smallDisk(t, "16m")
	c := newCrash(t, dbtest.SQLite, "smtp://127.0.0.1:1")
	c.db = filepath.Join(dir, "enlist.db")
	c.start()() // creates the database
	large := manyPeople(t, 500_000)
	status, out, problem := runEnlist("import", "--db", c.db, "--list", "1", large)
	if status != 1 || !strings.Contains(problem, "the disk of the database has room for") {
		t.Errorf("the import of a large file ended with status %d and printed %s%s", status, out, problem)
	}
	if status, out, _ := runEnlist("import", "list", "--all", "--db", c.db, "--json"); status != 0 || strings.Contains(out, "people.csv") {
		t.Errorf("status %d; the refused file is listed: %s", status, out)
	}
	fill := filepath.Join(dir, "fill")
	if err := os.WriteFile(fill, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	const rows = 60_000
	status, out, problem = runEnlist("import", "--db", c.db, "--list", "1", manyPeople(t, rows))
	if status != 1 || !strings.Contains(problem, "database or disk is full: continue with: enlist import resume 1") {
		t.Errorf("on a full disk the import ended with status %d and printed %s%s", status, out, problem)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=128m"); err != nil {
		t.Fatal(err)
	}
	status, out, problem = runEnlist("import", "resume", "1", "--db", c.db)
	if done := fmt.Sprintf("%d rows: %[1]d added", rows); status != 0 || !strings.Contains(out, done) {
		t.Errorf("with room again the import ended with status %d and printed %s%s, want %q", status, out, problem, done)
	}
}

// A backup for which the disk has no room fails with the reason, and leaves nothing behind: neither a file under its name
// nor a temporary one. An older backup that it should replace stays. A scheduled backup removes no old backup then, and is
// tried again when the disk has room.
//
// covers: decision 86
func TestFullDiskStopsABackup(t *testing.T) { dbtest.EachParallel(t, fullDiskStopsABackup) }

func fullDiskStopsABackup(t *testing.T, e dbtest.Engine) {
	dir := smallDisk(t, "16m")
	c := newCrash(t, e, "smtp://127.0.0.1:1")
	c.start()()
	if status, out, problem := runEnlist("import", "--db", c.db, "--list", "1", manyPeople(t, 20_000)); status != 0 {
		t.Fatalf("the import ended with status %d: %s%s", status, out, problem)
	}
	old := filepath.Join(dir, "enlist-20200101T000000Z.db")
	for _, name := range []string{filepath.Join(dir, "enlist-20190101T000000Z.db"), old} {
		if err := os.WriteFile(name, []byte("an old backup"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fill := filepath.Join(dir, "fill")
	if err := os.WriteFile(fill, make([]byte, 15<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	wantOnly := func(want string) {
		t.Helper()
		entries, err := os.ReadDir(dir)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("the folder has %s, error %v; want %s", got, err, want)
		}
	}
	const before = "enlist-20190101T000000Z.db enlist-20200101T000000Z.db fill"
	full := "the disk of " + dir + " is full"
	const key = "age1jsjn8gm6dm6rve0f9td4m246lustpdhv73gkpchqvl8smfje0qhqlwz5pw"
	for _, args := range [][]string{
		{filepath.Join(dir, "new.db")}, {"--force", old}, {"--recipient", key, filepath.Join(dir, "new.db.age")},
	} {
		status, out, problem := runEnlist(append([]string{"backup", "--db", c.db}, args...)...)
		if status != 1 || !strings.Contains(problem, full) {
			t.Errorf("backup %q ended with status %d and printed %s%s", args, status, out, problem)
		}
		wantOnly(before)
	}
	if kept, err := os.ReadFile(old); err != nil || string(kept) != "an old backup" {
		t.Errorf("the older backup is %q, error %v", kept, err)
	}
	store, err := dbtest.Open(t.Context(), c.db, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	now := time.Now()
	service := app.New(store, func() time.Time { return now })
	s := &backup.Scheduler{DB: service.DB, From: config.Database{DB: c.db}, Dir: dir, Every: time.Hour, Keep: backup.Keep{'m': 1},
		Log: slog.New(slog.DiscardHandler)}
	if err := s.RunDue(t.Context(), now); err == nil || !strings.Contains(err.Error(), full) {
		t.Errorf("the scheduled backup ended with %v", err)
	}
	wantOnly(before)
	if last, err := backup.Last(t.Context(), service.DB); err != nil || last.Time != 0 || !strings.Contains(last.Error, full) {
		t.Errorf("the last backup is %+v, error %v", last, err)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	now = now.Add(11 * time.Minute)
	if err := s.RunDue(t.Context(), now); err != nil {
		t.Error(err)
	}
	wantOnly(now.UTC().Format("enlist-20060102T150405Z.db"))
}

// smallDisk mounts a file system of a size such as 8m, and returns its folder.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("this test mounts a file system: run it with \"make faults\"")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fillDisk writes a file until its file system is full.
func fillDisk(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for page := make([]byte, 4096); err == nil; {
		_, err = f.Write(page)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}
