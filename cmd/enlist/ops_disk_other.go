//go:build !linux

package main

import "errors"

// diskSpace is for Linux only.
func diskSpace(string) (free, size uint64, err error) { return 0, 0, errors.ErrUnsupported }
