package people

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"enlist/internal/enlist"

	"golang.org/x/crypto/argon2"
)

// This file has passwords. They are stored as Argon2id, in the usual text form with the parameters and the salt.

// The parameters of Argon2id are the second choice of RFC 9106, with 64 MiB.
const (
	passes     = 3
	lanes      = 4
	saltLength = 16
	hashLength = 32
)

const (
	minPassword = 10  // letters
	maxPassword = 200 // bytes
)

// passwords computes the hashes of passwords. At most two are computed at the same time, since each needs 64 MiB.
type passwords struct {
	places chan struct{}
	memory uint32 // in KiB
}

func newPasswords() *passwords { return &passwords{make(chan struct{}, 2), 64 << 10} }

// hash returns the text to store for a password.
func (p *passwords) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltLength)
	rand.Read(salt) // crypto/rand never returns an error
	sum, err := p.sum(ctx, password, salt)
	if err != nil {
		return "", err
	}
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, passes, lanes, encode(salt),
		encode(sum)), nil
}

// matches reports whether a password has the stored hash. It takes the same time for stored == "".
func (p *passwords) matches(ctx context.Context, password, stored string) (bool, error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 {
		parts = make([]string, 6)
	}
	salt, _ := base64.RawStdEncoding.DecodeString(parts[4])
	want, _ := base64.RawStdEncoding.DecodeString(parts[5])
	got, err := p.sum(ctx, password, salt)
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1, err
}

func (p *passwords) sum(ctx context.Context, password string, salt []byte) ([]byte, error) {
	select {
	case p.places <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.places }()
	return argon2.IDKey([]byte(password), salt, passes, p.memory, lanes, hashLength), nil
}

// checkPassword refuses a password that is too short or too long. Errors: InvalidParameters.
func checkPassword(password string) error {
	switch {
	case utf8.RuneCountInString(password) < minPassword:
		return enlist.Invalid("password", fmt.Sprintf("the password needs at least %d letters", minPassword))
	case len(password) > maxPassword:
		return enlist.Invalid("password", fmt.Sprintf("the password has more than %d bytes", maxPassword))
	}
	return nil
}
