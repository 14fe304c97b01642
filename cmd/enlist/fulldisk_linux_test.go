package main

// This test fills the file system of a SQLite database. It needs the right to mount a small file system.

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"enlist/api"
	"enlist/internal/store/teststores"
)

// While the disk is full, changes fail, /readyz answers 503, and enlist doctor reports a problem. When the disk has
// room again, the same server stores changes.
func TestFullDiskMakesTheServiceNotReady(t *testing.T) {
	if testing.Short() {
		t.Skip("this test mounts a file system: run it with \"make faults\"")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	c := newCrash(t, teststores.SQLite, "smtp://127.0.0.1:1")
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
	wantReady(t, c.url, 503, "does not store changes")
	out, err := exec.Command("enlist", "doctor", "--db", c.db).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "problem: writing: database or disk is full") {
		t.Errorf("on a full disk enlist doctor ended with %v and printed %s", err, out)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	wantReady(t, c.url, 200, "ok")
	if err := subscribe("after@example.com"); err != nil {
		t.Error(err)
	}
}

// A file for which the disk has no room is refused before anything of it is stored. If the disk becomes full while a file
// is imported, the import stops with the reason. When the disk has room again, it stores the rest.
//
// covers: decision 96
func TestFullDiskStopsAnImport(t *testing.T) {
	if testing.Short() {
		t.Skip("this test mounts a file system: run it with \"make faults\"")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	c := newCrash(t, teststores.SQLite, "smtp://127.0.0.1:1")
	c.db = filepath.Join(dir, "enlist.db")
	c.start()() // creates the database
	large := manyPeople(t, 500_000)
	status, out, problem := enlist("import", "--db", c.db, "--list", "1", large)
	if status != 1 || !strings.Contains(problem, "the disk of the database has room for") {
		t.Errorf("the import of a large file ended with status %d and printed %s%s", status, out, problem)
	}
	if status, out, _ := enlist("import", "list", "--all", "--db", c.db, "--json"); status != 0 || strings.Contains(out, "people.csv") {
		t.Errorf("status %d; the refused file is listed: %s", status, out)
	}
	fill := filepath.Join(dir, "fill")
	if err := os.WriteFile(fill, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	const rows = 60_000
	status, out, problem = enlist("import", "--db", c.db, "--list", "1", manyPeople(t, rows))
	if status != 1 || !strings.Contains(problem, "database or disk is full: continue with: enlist import resume 1") {
		t.Errorf("on a full disk the import ended with status %d and printed %s%s", status, out, problem)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=128m"); err != nil {
		t.Fatal(err)
	}
	status, out, problem = enlist("import", "resume", "1", "--db", c.db)
	if done := fmt.Sprintf("%d rows: %[1]d added", rows); status != 0 || !strings.Contains(out, done) {
		t.Errorf("with room again the import ended with status %d and printed %s%s, want %q", status, out, problem, done)
	}
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
