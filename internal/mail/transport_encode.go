package mail

import (
	"bytes"
	"context"
	"crypto"
	"errors"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/enlist"
	"enlist/internal/messages"

	"github.com/emersion/go-msgauth/dkim"
)

// This file makes the envelope of a composed message, and its DKIM signature. transport_mime.go
// encodes the message itself.

// envelope is a message in the form in which a mail server receives it. The domains of
// addresses are in ASCII.
type envelope struct {
	id   string   // Message-ID without the angle brackets
	from string   // envelope sender, in angle brackets
	to   string   // recipient, in angle brackets
	data [][]byte // header and body; messages share slices, so do not change their bytes

	// needsUTF8 means that a local part is not ASCII, so the server must offer SMTPUTF8.
	// likesUTF8 means that the header is not ASCII, so SMTPUTF8 is used if the server offers it.
	needsUTF8, likesUTF8 bool
}

type encoder struct {
	key      enlist.LinkKey
	fields   func(tag string) string // nil if a mail has no header field with its tag
	domains  Domains                 // nil if Accounts have no sending domains
	settings func() *accounts.Settings
}

func newEncoder(t Transport) *encoder {
	return &encoder{key: t.Key, fields: t.Fields, domains: t.Domains, settings: t.settings}
}

// serverSigner returns the signer with the key of the settings, or nil if there is none.
func (e *encoder) serverSigner() *signer {
	key := e.settings().DKIM
	if key == nil {
		return nil
	}
	return newKeySigner(key.Domain, key.Selector, key.Signer)
}

// encode returns the envelope of a message. If about is not nil, the envelope sender
// contains the tag of this delivery, and so do header fields for an email provider. decisions.md: 51, 112
func (e *encoder) encode(ctx context.Context, m *composed, about *enlist.DeliveryKey) (*envelope, error) {
	if e.fields != nil && about != nil {
		tagged := *m
		tagged.header = append([]byte(e.fields(e.key.Tag(*about))), m.header...)
		m = &tagged
	}
	v := &envelope{id: m.id, from: e.envelopeSender(m, about), to: m.to, data: m.encode()}
	v.needsUTF8 = !isASCII(v.from) || !isASCII(v.to)
	v.likesUTF8 = !isASCII(m.header)
	signer, err := e.signerOf(ctx, m)
	if err != nil {
		return nil, err
	}
	if signer != nil {
		v.data, err = signer.sign(v.data)
		if err != nil {
			return nil, unsendable("sign the message", err)
		}
	}
	return v, nil
}

// signerOf returns the signer of a message: that of the sending domain of its sender, or that of the server, which is
// nil if there is none. The sender of another Account's domain is refused, unless it is the default sender, which the
// operator has set: its mails are signed with the key of the server. An address in the sender's name is refused alike.
// decisions.md: 110
func (e *encoder) signerOf(ctx context.Context, m *composed) (*signer, error) {
	if e.domains == nil {
		return e.serverSigner(), nil
	}
	for _, shown := range m.shown {
		_, err := e.domains.SigningKey(ctx, m.account, address.Domain(shown))
		if errors.Is(err, accounts.ErrForeignDomain) {
			return nil, unsendable("send with "+shown+" in the name of the sender", err)
		}
	}
	key, err := e.domains.SigningKey(ctx, m.account, m.domain)
	switch {
	case errors.Is(err, accounts.ErrForeignDomain) && m.isDefault:
		return e.serverSigner(), nil
	case errors.Is(err, accounts.ErrForeignDomain):
		return nil, unsendable("send from "+m.domain, err)
	case err != nil:
		return nil, &messages.Undelivered{Detail: "read the key of the sender's domain", Err: err}
	case key == nil:
		return e.serverSigner(), nil
	}
	return newKeySigner(key.Domain, key.Selector, key.Signer), nil
}

// envelopeSender returns the address for bounces. If there is none, it returns the sender
// of the message.
func (e *encoder) envelopeSender(m *composed, about *enlist.DeliveryKey) string {
	to := e.settings().Bounces
	switch {
	case to.Domain == "":
		return m.from
	case about == nil:
		return "<" + to.Local + "@" + to.Domain + ">"
	}
	return "<" + to.Local + "+" + e.key.Tag(*about) + "@" + to.Domain + ">"
}

func isASCII[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] > 127 {
			return false
		}
	}
	return true
}

// unsendable returns the error for a message that cannot be sent in any attempt.
func unsendable(doing string, err error) error {
	return &messages.Undelivered{Permanent: true, Detail: doing, Err: err}
}

// signer adds DKIM signatures. RFC 6376; RFC 8463
type signer struct{ options dkim.SignOptions }

// signed has the header fields that the signature covers. From is in the list twice, so
// that the signature becomes invalid if another From is added. RFC 6376, 5.4 and 8.15
var signed = []string{"From", "From", "To", "Subject", "Date", "Message-ID", "Reply-To",
	"MIME-Version", "Content-Type", "Content-Transfer-Encoding"}

// signedIfPresent has the header fields that the signature covers only if the message has
// them, as RFC 8058, 4 and the readers of Feedback-ID require. If the message does not have them, a mailing list that
// forwards the message may add them.
var signedIfPresent = []string{"List-Unsubscribe", "List-Unsubscribe-Post", "Feedback-ID"}

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
