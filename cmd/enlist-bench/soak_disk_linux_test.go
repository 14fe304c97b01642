package main

import "syscall"

// mountSmall mounts a file system of 512 MiB in memory. This needs root.
func mountSmall(folder string) error {
	return syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=512m")
}

// unmount ends mountSmall.
func unmount(folder string) error { return syscall.Unmount(folder, 0) }
