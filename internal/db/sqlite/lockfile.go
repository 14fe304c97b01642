//go:build linux || darwin

package sqlite

import (
	"os"
	"syscall"
)

// lockFile locks a file, or returns an error if another open file has the lock.
func lockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
