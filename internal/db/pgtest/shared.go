package pgtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// This file shares one server among the test binaries of a run. The server's folder has a fixed name in the folder for
// temporary files, so the next run finds its data, with the template databases. Each binary has a shared lock on the
// file users while it runs tests. The binary that ends last stops the server.

// sharedServer is a binary's use of the shared server.
type sharedServer struct {
	Server
	users *os.File // locked while this binary uses the server
}

// join starts the shared server, unless another binary has started it.
func join() (_ *sharedServer, err error) {
	s := &sharedServer{Server: Server{connections: 1000}} // of up to four binaries with dozens of stores
	if s.bin, err = binaries(); err != nil {
		return nil, err
	}
	folder, err := runFolder()
	if err != nil {
		return nil, err
	}
	s.dir = filepath.Join(folder, "postgres")
	if err := os.Mkdir(s.dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	if err := s.dropRoot(); err != nil {
		return nil, err
	}
	door, err := s.door()
	if err != nil {
		return nil, err
	}
	defer door.Close() // releases the lock
	if s.users, err = os.OpenFile(filepath.Join(s.dir, "users"), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	if s.alone() {
		err = s.startOrCreate()
		if err == nil {
			err = dropDatabases(s.URL("postgres"))
		}
	}
	if err == nil {
		err = syscall.Flock(int(s.users.Fd()), syscall.LOCK_SH)
	}
	if err != nil {
		return nil, errors.Join(err, s.users.Close())
	}
	return s, nil
}

// leave stops the server if no other binary uses it.
func (s *sharedServer) leave() error {
	door, err := s.door()
	if err != nil {
		return err
	}
	defer door.Close()
	if s.alone() {
		err = s.Stop("fast")
	}
	// Before the door opens: a binary that joins next must not take this one for a user of the server.
	return errors.Join(err, s.users.Close())
}

// door returns a file that is locked: until it is closed, no other binary joins or leaves. The end of the process closes
// it too.
func (s *sharedServer) door() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(s.dir, "start"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// alone reports whether no other binary uses the server. Afterwards this binary has no shared lock.
func (s *sharedServer) alone() bool {
	return syscall.Flock(int(s.users.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// runFolder returns the folder that the test binaries of all runs share. Other users may read names in it, as the user
// of the server must, but cannot have made it.
func runFolder() (string, error) {
	folder := filepath.Join(os.TempDir(), "enlist-tests-"+strconv.Itoa(os.Getuid()))
	if err := os.Mkdir(folder, 0o711); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return "", err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(stat.Uid) != os.Getuid() {
		return "", fmt.Errorf("%s belongs to another user: set TMPDIR to another folder", folder)
	}
	return folder, nil
}

// startOrCreate starts the server. A server that runs already was left by a run that was killed. Data that the server
// did not close, or that another version of PostgreSQL wrote, is replaced: with fsync off it may be damaged.
func (s *sharedServer) startOrCreate() error {
	if s.Await("SELECT true") == nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(s.data(), "postmaster.pid")); err == nil {
		s.Stop("immediate") // returns an error if the server does not run
	} else if s.Start() == nil {
		return nil
	}
	if err := os.RemoveAll(s.data()); err != nil {
		return err
	}
	return s.initialise()
}
