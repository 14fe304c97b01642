package enlist

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// This file has API keys: their levels, their record, and the secret text that a caller sends.

// Level says what a key may do. Each level includes the levels before it.
type Level int

// The access levels. reference.md: auth.levels
const (
	Read     Level = iota + 1 // read definitions and numbers, but no data of persons
	Standard                  // read and change Contacts
	Full                      // change Lists, Fields and the Account
)

var levelNames = [...]string{Read: "read", Standard: "standard", Full: "full"}

func (l Level) String() string { return levelNames[l] }

// ParseLevel reads "read", "standard" or "full".
func ParseLevel(s string) (Level, error) {
	if i := slices.Index(levelNames[1:], s); i >= 0 {
		return Level(i + 1), nil
	}
	return 0, Refuse(InvalidParameters, "access level %q is none of read, standard, full", s)
}

// Key is a stored API key. The text of the key is not stored, only its SHA-256.
type Key struct {
	ID           KeyID
	AccountID    AccountID
	Name         string
	Prefix       string // the first 8 characters, by which its owner recognises it
	Level        Level
	Role         Role     // of a user in place of a key; "": this is an API key
	Lists        []ListID // nil: all Lists of the Account
	Rate         CallRate
	IsStrict     bool // a call with a key that means nothing to it is refused. reference.md: strict
	CreationTime int64
	ExpiryTime   int64 // 0: never
	RevokedTime  int64 // 0: not revoked
	LastUsedTime int64 // stored once a minute, so the last use may be up to a minute later; 0: never
}

// KeyHash is the SHA-256 of a key's text. The database has it instead of the text.
type KeyHash [sha256.Size]byte

// keyLength is the length of a key's text: 32 random bytes in lower-case hex.
const keyLength = 64

// NewKeyText returns the text of a new key. It is shown once and never stored.
func NewKeyText() string {
	var b [keyLength / 2]byte
	rand.Read(b[:]) // crypto/rand never returns an error
	return hex.EncodeToString(b[:])
}

// ValidKeyText reports whether text is 64 lower-case hexadecimal characters.
func ValidKeyText(text string) bool {
	return len(text) == keyLength && strings.Trim(text, "0123456789abcdef") == ""
}

// HashKey returns the KeyHash of a key's text.
func HashKey(text string) KeyHash { return sha256.Sum256([]byte(text)) }

// Allows reports whether the key's restriction, if it has one, includes the List.
func (k *Key) Allows(id ListID) bool { return k.Lists == nil || slices.Contains(k.Lists, id) }

// Valid reports whether a key is neither revoked nor expired at a Unix time.
func (k *Key) Valid(now int64) bool {
	return k.RevokedTime == 0 && (k.ExpiryTime == 0 || k.ExpiryTime > now)
}
