package sqlite

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// This file implements db.Presence with a locked file beside the database for each process that leases work. The
// operating system releases the lock when the process ends, however it ends.

// presence is the token of this process and its locked file.
type presence struct {
	prefix string // path of the files, without the token
	mu     sync.Mutex
	token  string // "": no file is locked
	file   *os.File
}

// newPresence returns the presence of a process at a database. Like SQLite's log, the files are beside the file that a
// symbolic link leads to.
func newPresence(f *files) *presence {
	return &presence{prefix: strings.TrimSuffix(f.walPath, "-wal") + "-process-"}
}

// Presence implements db.Presence.
func (s *Store) Presence(context.Context) string {
	p := s.presence
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.token == "" {
		p.removeGone()
		token := rand.Text()
		if file, err := createLocked(p.prefix + token); err == nil {
			p.token, p.file = token, file
		}
	}
	return p.token
}

// createLocked creates a file and locks it. Another process may lock and remove the file between both steps, because it
// takes it for one of a dead process.
func createLocked(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	place, err := placeOf(path)
	if err == nil {
		err = lockFile(file)
	}
	if err == nil {
		_, err = place.check()
	}
	if err != nil {
		file.Close()
		return nil, errors.Join(err, os.Remove(path))
	}
	return file, nil
}

// removeGone removes the files of processes that were killed.
func (p *presence) removeGone() {
	names, _ := filepath.Glob(p.prefix + "*") // a folder whose name is no pattern keeps the files
	for _, name := range names {
		removeIfGone(name)
	}
}

// removeIfGone removes a file that no process has locked, and reports whether it is gone.
func removeIfGone(path string) (bool, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist), ignoreMissing(err)
	}
	defer file.Close()
	if err := lockFile(file); err != nil {
		return false, nil // a process has the lock
	}
	return true, ignoreMissing(os.Remove(path))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// IsPresent implements db.Presence.
func (s *Store) IsPresent(token string) bool {
	s.presence.mu.Lock()
	defer s.presence.mu.Unlock()
	return token == s.presence.token
}

// IsGone implements db.Presence.
func (s *Store) IsGone(_ context.Context, token string) (bool, error) {
	return removeIfGone(s.presence.prefix + filepath.Base(token))
}

// close removes the file.
func (p *presence) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.token == "" {
		return nil
	}
	err := errors.Join(ignoreMissing(os.Remove(p.file.Name())), p.file.Close())
	p.token = ""
	return err
}
