package audience

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// Typed identifiers. Each kind counts from 1 for the whole database and is never reused.
type (
	AccountID    int64
	KeyID        int64
	ListID       int64
	FieldID      int64
	ContactID    int64
	PreferenceID int64
	FolderID     int64
	MessageID    int64
	WebhookID    int64
	LinkID       int64 // of a link's target

	AutoresponderID int64
	WebhookTargetID int64 // of where webhooks post to
)

// Account owns Lists and keys. Its TimeZone, an IANA name such as
// "Australia/Sydney" or "UTC", decides what "today" means for its date Fields.
type Account struct {
	ID           AccountID
	Name         string
	TimeZone     string
	ContactLimit int64 // -1: none. Counts the stored Contacts of all its Lists.
	CreationTime int64
}

// NoContactLimit is the ContactLimit of an Account that may store any number.
const NoContactLimit = -1

// Level is what a key may do; each level includes those before it.
type Level int

// The access levels. decisions.md: 10
const (
	Read     Level = iota + 1 // definitions and figures that name nobody
	Standard                  // whatever shows, tests or changes a Contact's data
	Full                      // Lists, Fields and the Account
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

// Key is an API key as it is stored: never its text, only the SHA-256 of it.
type Key struct {
	ID           KeyID
	AccountID    AccountID
	Name         string
	Prefix       string // the key's first 8 characters, to recognise it by
	Level        Level
	Lists        []ListID // nil: all Lists of the Account
	CreationTime int64
	ExpiryTime   int64 // 0: never
	RevokedTime  int64 // 0: not revoked
	LastUsedTime int64 // within a minute or so; 0: never
}

// KeyHash is the SHA-256 of a key's text, by which it is found.
type KeyHash [sha256.Size]byte

// KeyLength is the length of a key's text: 32 random bytes in lower-case hex.
const KeyLength = 64

// NewKeyText makes the text of a new key. It is shown once and never stored.
func NewKeyText() string {
	var b [KeyLength / 2]byte
	rand.Read(b[:]) // never fails: crypto/rand
	return hex.EncodeToString(b[:])
}

// ValidKeyText reports whether text is 64 lower-case hexadecimal characters.
func ValidKeyText(text string) bool {
	if len(text) != KeyLength {
		return false
	}
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// HashKey returns what a key's text is stored and found as.
func HashKey(text string) KeyHash { return sha256.Sum256([]byte(text)) }

// Caller is who is asking: a good key, its Account, and how the call is to be
// remembered for a retry.
type Caller struct {
	Account *Account
	Key     *Key
	Retry   *Retry // nil without an Idempotency-Key

	hash *KeyHash // of the key that was shown; nil for an operator, who shows none
}

// Allows reports whether the key's restriction, if it has one, includes the List.
func (k *Key) Allows(id ListID) bool { return k.Lists == nil || slices.Contains(k.Lists, id) }

// AccountTx reads and changes the Accounts of a database, in a transaction.
type AccountTx interface {
	// Accounts returns all Accounts by ID.
	Accounts() ([]Account, error)
	// Account returns one Account. An unknown ID is an error of kind Internal: the
	// domain asks only for the Account of a key or of a List.
	Account(id AccountID) (*Account, error)
	// AddAccount inserts an Account with its first Folder for Lists and sets its ID.
	AddAccount(a *Account) error
	// UpdateAccount stores the name, the time zone and the limit.
	UpdateAccount(a *Account) error
	// AccountContacts counts the Contacts of all Lists of an Account. In an Update of
	// an Account with a limit, the count stays as it is until the transaction ends.
	AccountContacts(id AccountID) (int64, error)
}
