//go:build linux || darwin

package sqlite

import (
	"path/filepath"
	"syscall"
)

// FreeSpace implements audience.Store. It returns the space for users without special rights.
func (s *Store) FreeSpace() (bytes int64, known bool) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(s.files.main.path), &fs); err != nil {
		return 0, false
	}
	return int64(fs.Bavail) * int64(fs.Bsize), true
}
