package mail

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/audience"
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

// encoder writes envelopes.
type encoder struct {
	local, domain string // parts of the bounce address, the domain in ASCII; "" if there is no bounce address
	key           audience.LinkKey
	fields        func(tag string) string // nil if a mail has no header field with its tag
	domains       Domains                 // nil if Accounts have no sending domains
	signer        *signer                 // for the mails from other domains; nil if they are not signed
}

// maxBounceLocal is the greatest length of the local part of a bounce address, in bytes. Each
// mail server accepts 64 octets before the @ (RFC 5321, 4.5.3.1.1). The other octets are for the
// plus sign and the tag of a delivery. In the tag, the ID of the List can have five digits, and
// the ID of the Contact nine.
const maxBounceLocal = 12

func newEncoder(t Transport) (*encoder, error) {
	e := &encoder{key: t.Key, fields: t.Fields, domains: t.Domains}
	if t.BounceAddress != "" {
		spelling, key, ok := address.ParseEmail(t.BounceAddress)
		if !ok || spelling[0] == '"' {
			return nil, fmt.Errorf("bounce address %s is not an address such as bounces@example.com", t.BounceAddress)
		}
		at := strings.LastIndexByte(spelling, '@')
		if at > maxBounceLocal {
			return nil, fmt.Errorf("bounce address %s: use at most %d characters before the @, "+
				"because +TAG is added there, the name of the delivery", t.BounceAddress, maxBounceLocal)
		}
		e.local, e.domain = spelling[:at], key[strings.LastIndexByte(key, '@')+1:]
	}
	var err error
	e.signer, err = newSigner(t)
	return e, err
}

// encode returns the envelope of a message. If about is not nil, the envelope sender
// contains the tag of this delivery, and so do header fields for an email provider. decisions.md: 51, 112
func (e *encoder) encode(ctx context.Context, m *composed, about *audience.DeliveryKey) (*envelope, error) {
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
// operator has set: its mails are signed with the key of the server. decisions.md: 110
func (e *encoder) signerOf(ctx context.Context, m *composed) (*signer, error) {
	if e.domains == nil {
		return e.signer, nil
	}
	key, err := e.domains.SigningKey(ctx, m.account, m.domain)
	switch {
	case errors.Is(err, accounts.ErrForeignDomain) && m.isDefault:
		return e.signer, nil
	case errors.Is(err, accounts.ErrForeignDomain):
		return nil, unsendable("send from "+m.domain, err)
	case err != nil:
		return nil, &audience.Undelivered{Detail: "read the key of the sender's domain", Err: err}
	case key == nil:
		return e.signer, nil
	}
	return newKeySigner(key.Domain, key.Selector, key.Signer), nil
}

// envelopeSender returns the address for bounces. If there is none, it returns the sender
// of the message.
func (e *encoder) envelopeSender(m *composed, about *audience.DeliveryKey) string {
	switch {
	case e.domain == "":
		return m.from
	case about == nil:
		return "<" + e.local + "@" + e.domain + ">"
	}
	return "<" + e.local + "+" + e.key.Tag(*about) + "@" + e.domain + ">"
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
	return &audience.Undelivered{Permanent: true, Detail: doing, Err: err}
}
