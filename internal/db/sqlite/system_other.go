//go:build !linux && !darwin

package sqlite

import (
	"errors"
	"os"
)

// lockFile locks nothing on this system, so processes have no token.
func lockFile(*os.File) error { return errors.ErrUnsupported }

// DiskSpace knows nothing on this system.
func DiskSpace(string) (free, size int64, known bool) { return 0, 0, false }
