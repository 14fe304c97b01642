package audience

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"strconv"

	"enlist/internal/enlist"
)

// This file has the Unsubscriber List of an Account, which has an entry for every address that
// ever unsubscribed. Entries are never deleted. An erasure of a person replaces the address by a keyed hash.

// Unsubscriber is one entry of the Unsubscriber List.
type Unsubscriber struct {
	ContactID   enlist.ContactID // 0 if the address belonged to no Contact
	ListID      enlist.ListID    // 0 if the call named no List
	AddressType enlist.AddressType
	Address     string // as the Contact has it, or as the call sent it
	AddressKey  string // normalised form
	Time        int64
}

// UnsubscriberAttributes are the keys of an entry of the Unsubscriber List, in the order of a
// reply.
var UnsubscriberAttributes = []enlist.Attribute[Unsubscriber]{
	enlist.Searchable(enlist.ReadOnlyInt("contact_id", func(u *Unsubscriber) enlist.ContactID { return u.ContactID })),
	enlist.Searchable(enlist.ReadOnlyInt("list_id", func(u *Unsubscriber) enlist.ListID { return u.ListID })),
	enlist.Searchable(enlist.ReadOnlyText("address_type", func(u *Unsubscriber) enlist.AddressType { return u.AddressType })),
	enlist.Searchable(enlist.ReadOnlyText("address", func(u *Unsubscriber) string { return u.Address })),
	enlist.Searchable(enlist.ReadOnlyInt("time", func(u *Unsubscriber) int64 { return u.Time })),
}

// UnsubscriberTx reads the Unsubscriber List of an Account and adds entries to it, in a
// transaction.
type UnsubscriberTx interface {
	// AddUnsubscriber appends an entry.
	AddUnsubscriber(account enlist.AccountID, u *Unsubscriber) error
	// Unsubscribers calls the function each for the entries that a search finds. If each
	// returns an error, Unsubscribers stops and returns this error.
	Unsubscribers(q *UnsubscriberSearch, each func(*Unsubscriber) error) error
	// CountUnsubscribers returns how many entries a search finds without its limit and offset.
	CountUnsubscribers(q *UnsubscriberSearch) (int64, error)
	// UnsubscribedAmong returns those of the normalised addresses and mobile numbers that have an
	// entry on the Unsubscriber List. It reads only the entries of one List, or all entries if list is 0. An erased
	// address counts for every List.
	UnsubscribedAmong(account enlist.AccountID, list enlist.ListID, addresses []string) (map[string]bool, error)
	// SuppressedAmong returns those of the normalised addresses that have an entry for all Lists, with the time of the newest
	// one: an entry without a List, or the entry of an erased address. It is fast if the Account has no such entry.
	SuppressedAmong(account enlist.AccountID, addresses []string) (map[string]int64, error)
	// ErasedEntries returns the addresses of the entries, which ErasedKeys.Of made, for those normalised addresses that
	// were erased.
	ErasedEntries(account enlist.AccountID, addresses []string) (map[string]string, error)
	// QuotedUnsubscribers returns the AddressKeys that begin with a quote, each once and in order
	// of their bytes. It returns at most limit of them, and only those that sort after the text
	// after.
	QuotedUnsubscribers(account enlist.AccountID, after string, limit int) ([]string, error)
	// SetUnsubscriberKey replaces an AddressKey by another one in at most limit entries. It
	// returns the number of changed entries.
	SetUnsubscriberKey(account enlist.AccountID, from, to string, limit int) (changed int64, err error)
}

// The addresses of erased persons. An entry of the Unsubscriber List has ErasedPrefix and a keyed hash as its address.
const (
	ErasedPrefix  = "erased:"
	AfterErased   = "erased;" // the lowest text that sorts after all texts with the prefix
	ErasedAddress = "erased"  // what the record of a mail has in place of the address
	ErasureSecret = "erasure" // name of the secret of the hashes
)

// ErasedKeys makes the hashes of the erased addresses of an Account. Only a process that has the database can check
// whether an address was erased. decisions.md: 99
type ErasedKeys struct {
	mac     hash.Hash
	account string
}

// NewErasedKeys returns the ErasedKeys of an Account. All Accounts share the secret.
func NewErasedKeys(secret []byte, account enlist.AccountID) *ErasedKeys {
	return &ErasedKeys{hmac.New(sha256.New, secret), strconv.FormatInt(int64(account), 10)}
}

// Of returns what an entry has in place of a normalised address.
func (k *ErasedKeys) Of(key string) string {
	k.mac.Reset()
	k.mac.Write([]byte(k.account + "\x00" + key))
	return ErasedPrefix + base64.RawURLEncoding.EncodeToString(k.mac.Sum(nil))
}
