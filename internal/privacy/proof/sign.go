package proof

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
)

// This file signs pages and checks signatures. The signature is a comment at the end of the HTML.

const (
	before = "<!-- enlist signature (Ed25519): "
	after  = " -->\n"
	// purpose begins what is signed, so that the signature is valid for nothing else.
	purpose = "enlist consent proof 1\n"
)

// The errors of Verify and ParseKey.
var (
	errUnsigned = errors.New("the file has no signature of enlist, or text follows the signature: it is no proof, or it was changed")
	ErrChanged  = errors.New("the signature does not fit: the file was changed, or another installation made it")
	ErrKey      = errors.New("the key is no public key of a proof: copy it from a page that you trust")
)

// sign appends the signature to a page.
func sign(page []byte, key ed25519.PrivateKey) []byte {
	signature := ed25519.Sign(key, append([]byte(purpose), page...))
	page = append(page, before...)
	page = base64.StdEncoding.AppendEncode(page, signature)
	return append(page, after...)
}

// Verify checks that the owner of a key has made a page, and that the page is unchanged.
func Verify(page []byte, key ed25519.PublicKey) error {
	at := bytes.LastIndex(page, []byte(before))
	if at < 0 {
		return errUnsigned
	}
	text, complete := bytes.CutSuffix(page[at+len(before):], []byte(after))
	signature, err := base64.StdEncoding.Strict().DecodeString(string(text))
	if err != nil || !complete {
		return errUnsigned
	}
	if !ed25519.Verify(key, append([]byte(purpose), page[:at]...), signature) {
		return ErrChanged
	}
	return nil
}

// KeyText returns a public key as a text.
func KeyText(key ed25519.PublicKey) string {
	return "ed25519:" + base64.StdEncoding.EncodeToString(key)
}

// ParseKey reads the result of KeyText.
func ParseKey(text string) (ed25519.PublicKey, error) {
	encoded, ok := bytes.CutPrefix([]byte(text), []byte("ed25519:"))
	key, err := base64.StdEncoding.Strict().DecodeString(string(encoded))
	if !ok || err != nil || len(key) != ed25519.PublicKeySize {
		return nil, ErrKey
	}
	return key, nil
}
