package mail

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"errors"
	"fmt"
	"os"

	"github.com/emersion/go-msgauth/dkim"
	gomail "github.com/wneessen/go-mail"
)

// minRSA is the shortest RSA key that receivers accept, in bits. RFC 8301, 3.2
const minRSA = 1024

// signer adds DKIM signatures. RFC 6376; RFC 8463
type signer struct{ options dkim.SignOptions }

// signed are the header fields under the signature. From is named twice, so
// that a second one that somebody adds breaks it. RFC 6376, 5.4 and 8.15
var signed = []string{"From", "From", "To", "Subject", "Date", "Message-ID", "Reply-To", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"}

// signedIfThere are signed where a message has them: RFC 8058, 4, wants them
// covered, and lists that pass on what has none add their own.
var signedIfThere = []string{"List-Unsubscribe", "List-Unsubscribe-Post"}

// newSigner returns nil when no key is set.
func newSigner(t Transport) (*signer, error) {
	switch {
	case t.DKIMKey == "" && (t.DKIMDomain != "" || t.DKIMSelector != ""):
		return nil, errors.New("DKIM wants a private key, besides a domain and a selector")
	case t.DKIMKey == "":
		return nil, nil
	case t.DKIMDomain == "" || t.DKIMSelector == "":
		return nil, errors.New("DKIM wants a domain and a selector, besides a private key")
	}
	key, err := readKey(t.DKIMKey)
	if err != nil {
		return nil, fmt.Errorf("read the DKIM key: %w", err)
	}
	s := &signer{dkim.SignOptions{
		Domain: t.DKIMDomain, Selector: t.DKIMSelector, Signer: key,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
	}}
	if err := dkim.Sign(&bytes.Buffer{}, bytes.NewReader([]byte("From: a@example.com\r\n\r\n")), &s.options); err != nil {
		return nil, fmt.Errorf("sign with the DKIM key %s: %w", t.DKIMKey, err)
	}
	return s, nil
}

func readKey(file string) (crypto.Signer, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	key, err := gomail.PrivKeyFromPEM(text)
	if err != nil {
		return nil, fmt.Errorf("%s is no private key in PEM, RSA or Ed25519: %w", file, err)
	}
	if long, ok := key.(*rsa.PrivateKey); ok && long.N.BitLen() < minRSA {
		return nil, fmt.Errorf("%s has %d bits, which nobody accepts: make one of 2048", file, long.N.BitLen())
	}
	return key, nil
}

// sign returns a message with its signature on top. What fields there are is
// read from the message as it goes out: the mail library keeps some, the List-…
// ones among them, where it can be asked for none.
func (s *signer) sign(data []byte) ([]byte, error) {
	options := s.options
	options.HeaderKeys = append([]string(nil), signed...)
	header, _, _ := bytes.Cut(data, []byte("\r\n\r\n"))
	for _, field := range signedIfThere {
		if bytes.Contains(header, []byte("\r\n"+field+":")) {
			options.HeaderKeys = append(options.HeaderKeys, field)
		}
	}
	var b bytes.Buffer
	b.Grow(len(data) + 1024)
	err := dkim.Sign(&b, bytes.NewReader(data), &options)
	return b.Bytes(), err
}
