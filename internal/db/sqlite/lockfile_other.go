//go:build !linux && !darwin

package sqlite

import (
	"errors"
	"os"
)

// lockFile locks nothing on this system, so processes have no token.
func lockFile(*os.File) error { return errors.ErrUnsupported }
