package backup

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"filippo.io/age"
)

// This file encrypts a backup with age (https://age-encryption.org/v1), and decrypts it.

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

// Identities reads the private keys in the file at path.
func Identities(path string) ([]age.Identity, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the identity: %w", err)
	}
	defer f.Close()
	all, err := age.ParseIdentities(f)
	if err != nil {
		return nil, fmt.Errorf("read the identity from %s: %w", path, err)
	}
	return all, nil
}

// The beginnings of an encrypted file and of a SQLite file.
const (
	sealedMagic = "age-encryption.org/"
	sqliteMagic = "SQLite format 3\x00"
)

var (
	errSealed   = errors.New("it is encrypted: give the file with the private key with --identity")
	errNoBackup = errors.New("it is neither a SQLite file nor a file that age has encrypted")
	errWrongKey = errors.New("it is encrypted for another key: give the private key of one of its recipients with --identity")
	errCutOff   = errors.New("it is incomplete or was changed: use another backup")
)

// unseal returns a reader of the plain content of a backup. An error of the reader means that an encrypted file is
// damaged.
func unseal(f io.Reader, identities []age.Identity) (io.Reader, error) {
	r := bufio.NewReader(f)
	begin, err := r.Peek(len(sealedMagic))
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case strings.HasPrefix(string(begin), sqliteMagic):
		return r, nil
	case string(begin) != sealedMagic:
		return nil, errNoBackup
	case len(identities) == 0:
		return nil, errSealed
	}
	plain, err := age.Decrypt(r, identities...)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return nil, errWrongKey
	}
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errCutOff, err)
	}
	return sealedReader{plain}, nil
}

// sealedReader explains errors of age.
type sealedReader struct{ io.Reader }

// Read implements io.Reader.
func (r sealedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w (%w)", errCutOff, err)
	}
	return n, err
}
