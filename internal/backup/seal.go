package backup

import (
	"fmt"
	"io"
	"os"
	"strings"

	"filippo.io/age"
)

// This file encrypts a backup with age (https://age-encryption.org/v1).

// Recipients reads the public keys in texts, and those in the file at path, one on each line. An empty path
// means no file.
func Recipients(texts []string, path string) (all []age.Recipient, err error) {
	if len(texts) > 0 {
		all, err = age.ParseRecipients(strings.NewReader(strings.Join(texts, "\n")))
		if err != nil {
			return nil, fmt.Errorf("the recipient is no public key of age (age1…): %w", err)
		}
	}
	if path == "" {
		return all, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read recipients: %w", err)
	}
	defer f.Close()
	more, err := age.ParseRecipients(f)
	if err != nil {
		return nil, fmt.Errorf("read recipients from %s: %w", path, err)
	}
	return append(all, more...), nil
}

// seal writes the encrypted content of the file from into to.
func seal(to io.Writer, from string, recipients []age.Recipient) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := age.Encrypt(to, recipients...)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, f); err != nil {
		return err
	}
	return w.Close()
}
