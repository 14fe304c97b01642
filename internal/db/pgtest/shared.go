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
	s := &sharedServer{Server: Server{connections: 1000}} // of up to three binaries with dozens of stores
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
	return s, s.exclusively(func(alone bool) error {
		if !alone {
			return nil
		}
		if err := s.startOrCreate(); err != nil {
			return err
		}
		return dropDatabases(s.URL("postgres"))
	})
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

// exclusively calls fn while no other binary starts or stops the server. alone says whether no other binary uses it.
// Afterwards this binary uses the server, unless fn returns an error.
func (s *sharedServer) exclusively(fn func(alone bool) error) (err error) {
	door, err := lock(filepath.Join(s.dir, "start"), syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer door.Close() // releases the lock
	if s.users == nil {
		if s.users, err = os.OpenFile(filepath.Join(s.dir, "users"), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
			return err
		}
	}
	alone := syscall.Flock(int(s.users.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
	if err := fn(alone); err != nil {
		return errors.Join(err, s.users.Close())
	}
	return syscall.Flock(int(s.users.Fd()), syscall.LOCK_SH)
}

// lock opens a file and locks it. Closing the file releases the lock, and so does the end of the process.
func lock(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
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

// leave stops the server if no other binary uses it.
func (s *sharedServer) leave() error {
	err := s.exclusively(func(alone bool) error {
		if !alone {
			return nil
		}
		return s.Stop("fast")
	})
	return errors.Join(err, s.users.Close())
}
