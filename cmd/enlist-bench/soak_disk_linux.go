package main

import "syscall"

// mountSmall mounts a file system in memory that has the given size, such as 512m. This needs root.
func mountSmall(folder, size string) error {
	return syscall.Mount("tmpfs", folder, "tmpfs", 0, "size="+size)
}

// unmount ends mountSmall.
func unmount(folder string) error { return syscall.Unmount(folder, 0) }
