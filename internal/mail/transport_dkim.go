package mail

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/emersion/go-msgauth/dkim"
	gomail "github.com/wneessen/go-mail"
)

// This file signs messages with DKIM, so that receivers can check the domain of the
// sender. transport_encode.go signs the encoded message in the last step.

// minRSA is the shortest RSA key that receivers accept, in bits. RFC 8301, 3.2
const minRSA = 1024

// signer adds DKIM signatures. RFC 6376; RFC 8463
type signer struct{ options dkim.SignOptions }

// signed has the header fields that the signature covers. From is in the list twice, so
// that the signature becomes invalid if another From is added. RFC 6376, 5.4 and 8.15
var signed = []string{"From", "From", "To", "Subject", "Date", "Message-ID", "Reply-To",
	"MIME-Version", "Content-Type", "Content-Transfer-Encoding"}

// signedIfPresent has the header fields that the signature covers only if the message has
// them, as RFC 8058, 4 requires. If the message does not have them, a mailing list that
// forwards the message may add them.
var signedIfPresent = []string{"List-Unsubscribe", "List-Unsubscribe-Post"}

// newKeySigner returns the signer for a key.
func newKeySigner(domain, selector string, key crypto.Signer) *signer {
	return &signer{dkim.SignOptions{Domain: domain, Selector: selector, Signer: key,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed}}
}

// newSigner returns the signer for the settings. It returns nil if no key is set.
func newSigner(t Transport) (*signer, error) {
	switch {
	case t.DKIMKey == "" && (t.DKIMDomain != "" || t.DKIMSelector != ""):
		return nil, errors.New("DKIM needs a private key as well as a domain and a selector: set --dkim-key")
	case t.DKIMKey == "":
		return nil, nil
	case t.DKIMDomain == "" || t.DKIMSelector == "":
		return nil, errors.New("DKIM needs a domain and a selector as well as a private key: " +
			"set --dkim-domain and --dkim-selector")
	}
	key, err := ReadKey(t.DKIMKey)
	if err != nil {
		return nil, fmt.Errorf("read the DKIM key: %w", err)
	}
	s := newKeySigner(t.DKIMDomain, t.DKIMSelector, key)
	const sample = "From: a@example.com\r\n\r\n"
	if err := dkim.Sign(io.Discard, strings.NewReader(sample), &s.options); err != nil {
		return nil, fmt.Errorf("sign with the DKIM key %s: %w", t.DKIMKey, err)
	}
	return s, nil
}

// ReadKey reads a private key, which is RSA or Ed25519, from a file. It returns an error if
// an RSA key is too short.
func ReadKey(file string) (crypto.Signer, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	key, err := gomail.PrivKeyFromPEM(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a private key in PEM format, RSA or Ed25519: %w", file, err)
	}
	if long, ok := key.(*rsa.PrivateKey); ok && long.N.BitLen() < minRSA {
		return nil, fmt.Errorf("%s has %d bits, which receivers reject: create a key of 2048 bits",
			file, long.N.BitLen())
	}
	return key, nil
}

// signChunk is the number of bytes that the library gets at once, because it copies them.
const signChunk = 64 << 10

// sign returns a message with its signature as the first slice. It copies no slice of the message. It looks
// for header fields in the first slice, which has the complete header.
func (s *signer) sign(data [][]byte) ([][]byte, error) {
	options := s.options
	options.HeaderKeys = slices.Clone(signed)
	header, _, _ := bytes.Cut(data[0], []byte("\r\n\r\n"))
	for _, field := range signedIfPresent {
		if bytes.Contains(header, []byte("\r\n"+field+":")) {
			options.HeaderKeys = append(options.HeaderKeys, field)
		}
	}
	signing, err := dkim.NewSigner(&options)
	if err != nil {
		return nil, err
	}
	for _, part := range data {
		for chunk := range slices.Chunk(part, signChunk) {
			if _, err := signing.Write(chunk); err != nil {
				signing.Close() // ends the goroutine of the signer
				return nil, err
			}
		}
	}
	if err := signing.Close(); err != nil {
		return nil, err
	}
	return slices.Insert(data, 0, []byte(signing.Signature())), nil
}
