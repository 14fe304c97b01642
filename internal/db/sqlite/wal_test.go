package sqlite

import (
	"errors"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// These tests fill the write-ahead log while reads prevent it from starting over.

const testLimit = 1 << 20 // of the write-ahead log, in bytes

// openLimited opens a store with a small limit, which makes an attempt to start the log over after each commit.
func openLimited(t *testing.T) *Store {
	s := openWith(t, Options{WALLimit: testLimit})
	s.writer.wal.pause = 0
	for range 3 {
		addFolder(t, s, 10)
		err := s.Update(t.Context(), func(tx *db.Tx) error { return contacts.AddUnsubscriber(tx, 1, new(contacts.Unsubscriber)) })
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// addFolder stores a Folder with a name of the given size.
func addFolder(t *testing.T, s *Store, size int) {
	t.Helper()
	err := s.Update(t.Context(), func(tx *db.Tx) error {
		return (&accounts.Folder{AccountID: 1, Name: strings.Repeat("x", size), Type: "list"}).Add(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fillLog stores three times as much as the log may contain. It returns the largest size of the log.
func fillLog(t *testing.T, s *Store) (largest int64) {
	for range 60 {
		addFolder(t, s, testLimit/20)
		largest = max(largest, s.WALBytes())
	}
	return largest
}

// wantLimited checks that the log did not grow far beyond its limit.
func wantLimited(t *testing.T, largest int64) {
	t.Helper()
	if largest > testLimit*3/2 {
		t.Errorf("the write-ahead log reached %d bytes, want about %d", largest, testLimit)
	}
}

// A client that stalls while it reads a long reply does not make the log grow: the reply is broken off while the
// function still waits for the client.
//
// covers: decision 39
func TestStalledStreamIsBrokenOffWhenTheLogIsFull(t *testing.T) {
	s := openLimited(t)
	reading, release := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- s.Stream(t.Context(), func(tx *db.Tx) error {
			rows := 0
			return eachUnsubscriber(tx, func() {
				if rows++; rows == 1 {
					close(reading)
					<-release
				}
			})
		})
	}()
	<-reading
	wantLimited(t, fillLog(t, s))
	if n := s.BrokenOff(); n != 1 {
		t.Errorf("%d replies were broken off, want 1", n)
	}
	close(release)
	if err := <-done; !errors.Is(err, errBrokenOff) || enlist.KindOf(err) != enlist.Busy {
		t.Errorf("the stream returned the error %v, want errBrokenOff", err)
	}
	if err := s.Stream(t.Context(), func(tx *db.Tx) error { return eachUnsubscriber(tx, func() {}) }); err != nil {
		t.Errorf("the next stream: %v", err)
	}
}

// eachUnsubscriber reads row by row, as a search reads Contacts.
func eachUnsubscriber(tx *db.Tx, fn func()) error {
	return contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: 1}, func(*contacts.Unsubscriber) error { fn(); return nil })
}

// A search or a precondition that was broken off runs again. Its caller gets a complete result.
//
// covers: decision 39
func TestSearchRunsAgainAfterItWasBrokenOff(t *testing.T) {
	for _, c := range []struct {
		name string
		view func(*Store, *testing.T, func(*db.Tx) error) error
	}{
		{"Search", func(s *Store, t *testing.T, fn func(*db.Tx) error) error { return s.Search(t.Context(), fn) }},
		{"ViewPrimary", func(s *Store, t *testing.T, fn func(*db.Tx) error) error { return s.ViewPrimary(t.Context(), fn) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openLimited(t)
			runs, found := 0, 0
			err := c.view(s, t, func(tx *db.Tx) error {
				if _, err := accounts.All(tx); err != nil { // begins to read from the log
					return err
				}
				if runs++; runs == 1 {
					wantLimited(t, fillLog(t, s))
				}
				folders, err := accounts.Folders(tx, 1)
				found = len(folders)
				return err
			})
			if err != nil || runs != 2 || found != 63 {
				t.Errorf("the function ran %d times and found %d Folders, error %v; want 2 runs and 63 Folders", runs, found, err)
			}
		})
	}
}

// Without long reads, the log starts over as soon as no look-up reads from it.
func TestLogStartsOverAfterALookUp(t *testing.T) {
	s := openLimited(t)
	err := s.View(t.Context(), func(tx *db.Tx) error {
		if _, err := accounts.All(tx); err != nil {
			return err
		}
		for s.WALBytes() < 2*testLimit { // a look-up is never broken off
			addFolder(t, s, testLimit)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	addFolder(t, s, 10)
	waitUntil(t, func() bool { return s.WALBytes() < testLimit })
	if n := s.BrokenOff(); n != 0 {
		t.Errorf("%d replies were broken off, want none", n)
	}
}

// waitUntil waits until holds returns true, for at most a minute.
func waitUntil(t *testing.T, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !holds(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("the condition did not hold within a minute")
		}
	}
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
