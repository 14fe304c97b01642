package main

import (
	"bytes"
	"context"
	"maps"
	"net/mail"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"enlist/internal/db/dbtest"
	"enlist/internal/db/pgtest"
	"enlist/internal/mail/mailtest"
)

// This test backs up a database under load, loses it, and restores the backup on both engines.

// A server is backed up while clients subscribe, sends mails for a while and is killed. The backup is restored on each
// engine. It has every Contact that was answered before the backup began. A server on it gives out no ID that was given
// out before, and after the release no mail arrives twice.
//
// covers: decision 84, decision 85
func TestBackupUnderLoadIsRestoredOnBothEngines(t *testing.T) {
	if testing.Short() {
		t.Skip("this test runs servers under load: run it with \"make faults\"")
	}
	t.Parallel()
	for _, from := range []dbtest.Engine{dbtest.SQLite, dbtest.Postgres} {
		t.Run(from.Name, func(t *testing.T) {
			t.Parallel()
			backupUnderLoad(t, from)
		})
	}
}

func backupUnderLoad(t *testing.T, from dbtest.Engine) {
	server := mailtest.Start(t, mailtest.Options{})
	c := newCrash(t, from, server.URL())
	file := filepath.Join(t.TempDir(), "backup.db")
	stop := c.start()
	c.notifyOwner()
	c.subscribe(0, 500*time.Millisecond) // its clients go on until the server is killed
	before := c.known()
	if out, err := exec.Command("enlist", "backup", "--db", c.db, file).CombinedOutput(); err != nil {
		t.Fatalf("enlist backup: %v: %s", err, out)
	}
	sendFor(t.Context(), server, 200)
	stop()
	given := c.known()
	t.Logf("%d Contacts were answered before the backup, %d until the server was killed, and %d mails arrived",
		len(before), len(given), len(server.Messages()))
	if len(before) == 0 || len(given) == len(before) {
		t.Error("want Contacts before and after the backup")
	}
	targets := map[string]string{"sqlite": filepath.Join(t.TempDir(), "restored.db"), "postgres": ""}
	for _, to := range slices.Sorted(maps.Keys(targets)) {
		t.Run("to "+to, func(t *testing.T) {
			db := targets[to]
			if db == "" {
				db = pgtest.Open(t)
			}
			if out, err := exec.Command("enlist", "restore", file, "--db", db).CombinedOutput(); err != nil {
				t.Fatalf("enlist restore: %v: %s", err, out)
			}
			restored := newCrashAt(t, db, server.URL())
			restored.answered = before
			restored.checkRestored(server, given)
		})
	}
}

// known returns the Contacts whose IDs the server has returned.
func (c *crash) known() map[int64]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.answered)
}

// checkRestored starts a server on a restored database, with which new clients subscribe while it is held, and releases
// it.
func (c *crash) checkRestored(server *mailtest.Server, given map[int64]string) {
	stop := c.startUntilTerm()
	c.verify(slices.Collect(maps.Keys(c.answered)))
	arrived := len(server.Messages())
	c.answered = make(map[int64]string)
	c.subscribe(1, 200*time.Millisecond)
	stop()
	fresh := c.known()
	for id := range fresh {
		if name, ok := given[id]; ok {
			c.t.Errorf("Contact %d is %s, but the lost server had given the ID to %s", id, fresh[id], name)
		}
	}
	if n := len(server.Messages()); n != arrived {
		c.t.Errorf("%d mails arrived while they were held", n-arrived)
	}
	if out, err := exec.Command("enlist", "release", "--db", c.db, "--discard", "--yes").CombinedOutput(); err != nil {
		c.t.Fatalf("enlist release: %v: %s", err, out)
	}
	stop = c.startUntilTerm()
	defer stop()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	if _, err := server.Wait(ctx, arrived+len(fresh)); err != nil || len(fresh) == 0 {
		c.t.Errorf("%d mails about %d new Contacts arrived: %v", len(server.Messages())-arrived, len(fresh), err)
	}
	seen := make(map[string]bool)
	for _, m := range server.Messages() {
		read, err := mail.ReadMessage(bytes.NewReader(m.Data))
		if err != nil {
			c.t.Fatal(err)
		}
		id := read.Header.Get("Message-ID")
		if seen[id] {
			c.t.Errorf("a mail arrived twice: %s", id)
		}
		seen[id] = true
	}
}

// startUntilTerm is start, but the returned function ends the program with SIGTERM. The queue would start the jobs of a
// killed program only after some minutes.
func (c *crash) startUntilTerm() (stop func()) {
	p := c.process()
	c.url, c.client = p.url, p.client
	return func() { p.end(syscall.SIGTERM) }
}
