// Package userstest has what tests of the sign-in with a passkey share.
package userstest

import "github.com/descope/virtualwebauthn"

// wholeKey is the length of a public key whose two numbers have all 32 bytes, in CBOR.
const wholeKey = 77

// NewKey returns a passkey as a device makes it. virtualwebauthn writes the numbers of a public key without the zeros
// that they begin with, in one key of 128, and such a key is rightly refused: NewKey makes another in its place.
func NewKey() virtualwebauthn.Credential {
	for {
		c := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
		if len(c.Key.AttestationData()) == wholeKey {
			return c
		}
	}
}
