package mail

import (
	"bytes"
	"fmt"
	"strings"

	"enlist/internal/address"
	"enlist/internal/audience"

	gomail "github.com/wneessen/go-mail"
)

// This file encodes a composed message: the SMTP envelope, the bytes of the
// message, and its DKIM signature.

// envelope is a message in the form that a mail server receives. Domains of
// addresses are in ASCII.
type envelope struct {
	id   string // Message-ID without the angle brackets
	from string // envelope sender, in angle brackets
	to   []string
	data []byte // header and body

	// needsUTF8: a local part is not ASCII, so the server must offer SMTPUTF8.
	// likesUTF8: the header is not ASCII, so SMTPUTF8 is used if the server offers it.
	needsUTF8, likesUTF8 bool
}

// encoder makes envelopes.
type encoder struct {
	local, domain string // of the bounce address, the domain in ASCII; "": there is none
	key           audience.LinkKey
	signer        *signer // nil: messages are not signed
}

// maxBounceLocal is the longest local part of a bounce address. Any mail server
// accepts 64 octets before the @ (RFC 5321, 4.5.3.1.1). The rest is for the name
// of a delivery: five digits for the List and nine for the Contact.
const maxBounceLocal = 12

func newEncoder(t Transport) (*encoder, error) {
	e := &encoder{key: t.Key}
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

// encode makes the envelope of a message. A message about a delivery has the
// delivery's name in the address for bounces. decisions.md: 51
func (e *encoder) encode(m *gomail.Msg, about *audience.DeliveryKey) (*envelope, error) {
	v := &envelope{id: strings.Trim(m.GetMessageID(), "<>")}
	var err error
	v.from, err = e.envelopeSender(m, about)
	if err != nil {
		return nil, unsendable("find the sender", err)
	}
	v.to, err = m.GetRecipients()
	if err != nil {
		return nil, unsendable("find the recipient", err)
	}
	v.needsUTF8 = !isASCII(v.from)
	for _, to := range v.to {
		v.needsUTF8 = v.needsUTF8 || !isASCII(to)
	}
	var written bytes.Buffer
	if _, err := m.WriteTo(&written); err != nil {
		return nil, unsendable("write the message", err)
	}
	v.data = written.Bytes()
	header, _, _ := bytes.Cut(v.data, []byte("\r\n\r\n"))
	v.likesUTF8 = !isASCII(header)
	if e.signer != nil {
		v.data, err = e.signer.sign(v.data)
		if err != nil {
			return nil, unsendable("sign the message", err)
		}
	}
	return v, nil
}

// envelopeSender returns the address for bounces, else that of the message.
func (e *encoder) envelopeSender(m *gomail.Msg, about *audience.DeliveryKey) (string, error) {
	switch {
	case e.domain == "":
		return m.GetSender(false)
	case about == nil:
		return "<" + e.local + "@" + e.domain + ">", nil
	}
	return "<" + e.local + "+" + e.key.Tag(*about) + "@" + e.domain + ">", nil
}

func isASCII[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] > 127 {
			return false
		}
	}
	return true
}

// unsendable is the error for a message that no later attempt can send.
func unsendable(doing string, err error) error {
	return &audience.Undelivered{Permanent: true, Detail: doing, Err: err}
}
