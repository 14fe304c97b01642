package main

import "syscall"

// diskSpace returns the bytes that are free for the service, and the size, of the file system of a path.
func diskSpace(path string) (free, size uint64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, 0, err
	}
	block := uint64(s.Bsize)
	return s.Bavail * block, s.Blocks * block, nil
}
