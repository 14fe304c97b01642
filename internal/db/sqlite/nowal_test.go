package sqlite

import (
	"path/filepath"
	"testing"
)

// Some file systems have no shared memory, so SQLite creates no write-ahead log on them.
func TestAFileSystemWithoutWALIsNamedInTheError(t *testing.T) {
	dir := t.TempDir()
	f := &files{walPath: filepath.Join(dir, "enlist.db-wal")}
	if err := f.opened(); err != errNoWAL {
		t.Errorf("without a write-ahead log, the error is %v, want errNoWAL", err)
	}
}
