//go:build linux || darwin

package sqlite

import (
	"os"
	"syscall"
)

// This file has what only some systems can do.

// lockFile locks a file, or returns an error if another open file has the lock.
func lockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// DiskSpace returns the bytes that are free for users without special rights, and the size, of the file system of a
// path. known is false if the system cannot tell.
func DiskSpace(path string) (free, size int64, known bool) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err != nil {
		return 0, 0, false
	}
	block := int64(fs.Bsize)
	return int64(fs.Bavail) * block, int64(fs.Blocks) * block, true
}
