package mail

import (
	"bytes"
	"crypto"
	"slices"

	"github.com/emersion/go-msgauth/dkim"
)

// This file signs messages with DKIM, so that receivers can check the domain of the
// sender. transport_encode.go signs the encoded message in the last step.

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
