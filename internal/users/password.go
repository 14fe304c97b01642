package users

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"time"

	"enlist/internal/limiter"

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

// hashWait is the longest time that a password waits for its turn: a request that waits longer is answered with ErrBusy.
const hashWait = 3 * time.Second

// passwords computes the hashes of passwords. At most two are computed at the same time, since each needs 64 MiB, and
// one for each network, so that a flood of sign-ins from one network does not stop others.
type passwords struct {
	turns  *limiter.Limiter
	memory uint32 // in KiB
	seed   maphash.Seed
}

func newPasswords() *passwords {
	return &passwords{limiter.NewShared(2, 1, hashWait), 64 << 10, maphash.MakeSeed()}
}

// WeakPasswords makes the hashes of passwords cost little, for tests: they would spend a third of their time on them.
func (s *Service) WeakPasswords() { s.passwords.memory = 64 }

// hash returns the text to store for a password.
func (p *passwords) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltLength)
	rand.Read(salt) // crypto/rand never returns an error
	sum, err := p.sum(ctx, 0, password, salt, p.memory)
	if err != nil {
		return "", err
	}
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, passes, lanes, encode(salt),
		encode(sum)), nil
}

// matches reports whether a password, which came from an IP address, has the stored hash. It takes the same time for
// stored == "". The hash says how much memory it needs, so that older ones stay valid if this changes. Errors: ErrBusy.
func (p *passwords) matches(ctx context.Context, ip, password, stored string) (bool, error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 {
		parts = make([]string, 6)
	}
	salt, _ := base64.RawStdEncoding.DecodeString(parts[4])
	want, _ := base64.RawStdEncoding.DecodeString(parts[5])
	memory := p.memory
	fmt.Sscanf(parts[3], "m=%d,", &memory) // nothing is read from an empty text
	got, err := p.sum(ctx, networkOwner(p, ip), password, salt, memory)
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1, err
}

// networkOwner returns the owner of turns for the network of an IP address. It is not 0, which has no limit.
func networkOwner(p *passwords, ip string) int64 {
	return int64(maphash.String(p.seed, networkOf(ip)) | 1)
}

// sum computes a hash for an owner of turns; 0 for a user who is signed in.
func (p *passwords) sum(ctx context.Context, owner int64, password string, salt []byte, memory uint32) ([]byte, error) {
	done, err := p.turns.AcquireFor(ctx, owner, 1)
	if errors.Is(err, limiter.ErrBusy) {
		err = ErrBusy
	}
	if err != nil {
		return nil, err
	}
	defer done()
	return argon2.IDKey([]byte(password), salt, passes, memory, lanes, hashLength), nil
}
