// Package durable makes files that a power cut does not take away. A file system may store the name of a file before its
// content, and may lose a new name until the folder is synced. So a file gets its name when its content is on the disk,
// and is complete when the name is on the disk too.
//
// All files that must last, and are not written by SQLite, are made here: backups, exports, proofs, mails in a folder,
// and certificates.
package durable

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// Write makes a file that only its owner may read, or replaces it. write gets the content. After an error the old file, or
// none, is there.
func Write(path string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return fmt.Errorf("create the file: %w", err)
	}
	err = write(file)
	if err = errors.Join(err, file.Close()); err == nil {
		err = Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name()) // an error means that it has its name already
	}
	return err
}

// Rename gives a complete file its name. Another file of this name is replaced. Both names are in the same folder.
func Rename(from, to string) error {
	file, err := os.OpenFile(from, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// Close closes a file that was made under its name, when it is on the disk. It does not wait for a device.
func Close(file *os.File) error {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, file.Close())
	}
	return errors.Join(file.Sync(), file.Close(), syncFolder(filepath.Dir(file.Name())))
}

// syncFolder writes the names in a folder to the disk, if its file system can.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}
