//go:build !linux && !darwin

package sqlite

// FreeSpace implements audience.Store. On this system the space is not known.
func (s *Store) FreeSpace() (bytes int64, known bool) { return 0, false }
