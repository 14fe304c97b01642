//go:build !linux

package main

import "errors"

// mountSmall fails, because only Linux mounts file systems in memory this way.
func mountSmall(string) error { return errors.ErrUnsupported }

func unmount(string) error { return nil }
