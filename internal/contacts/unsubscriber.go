package contacts

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"strconv"

	"enlist/internal/enlist"
)

// This file has the Unsubscriber List of an Account, which has an entry for every address that
// ever unsubscribed. Only a person removes an entry (unsubscriber_remove.go). An erasure of a person replaces the
// address by a keyed hash.

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
	enlist.Searchable(enlist.ReadOnlyText("address_type",
		func(u *Unsubscriber) enlist.AddressType { return u.AddressType })),
	enlist.Searchable(enlist.ReadOnlyText("address", func(u *Unsubscriber) string { return u.Address })),
	enlist.Searchable(enlist.ReadOnlyInt("time", func(u *Unsubscriber) int64 { return u.Time })),
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
