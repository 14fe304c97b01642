package enlist

import "crypto"

// SigningKey is the key of a sending domain as package mail uses it.
type SigningKey struct {
	AccountID AccountID
	Domain    string
	Selector  string
	Signer    crypto.Signer
}
