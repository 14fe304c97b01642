//go:build !linux && !darwin

package sqlite

// DiskSpace knows nothing on this system.
func DiskSpace(string) (free, size int64, known bool) { return 0, 0, false }
