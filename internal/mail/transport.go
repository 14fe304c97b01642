package mail

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"enlist/internal/audience"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"
)

// Transport says how finished messages leave.
type Transport struct {
	SMTP          string  // smtp[s]://user:password@host:port; "": into Dir
	Dir           string  // folder for .eml files
	Connections   int     // to the mail server at once; 0: 8
	Rate          float64 // messages a second; 0: no limit
	BounceAddress string  // where bounces are to go: local@host becomes local+TAG@host; "": to the sender
	DKIMKey       string  // file with a private key in PEM; "": messages are not signed
	DKIMDomain    string
	DKIMSelector  string
	Key           audience.LinkKey
	Log           *slog.Logger // nil: nothing is logged
}

func newSender(t Transport) (sender, error) {
	if t.Log == nil {
		t.Log = slog.New(slog.DiscardHandler)
	}
	form, err := newForm(t)
	if err != nil {
		return nil, err
	}
	switch {
	case t.SMTP != "":
		at, err := parseServer(t.SMTP)
		if err != nil {
			return nil, err
		}
		return newSMTPSender(at, t, form), nil
	case t.Dir != "":
		return newDirSender(t.Dir, form)
	}
	return nil, errors.New("mail has nowhere to go: neither a mail server nor a folder is set")
}

// parcel is a message as it leaves.
type parcel struct {
	id   string // its Message-ID, without the angle brackets
	from string // addresses of the envelope, in angle brackets
	to   []string
	data []byte

	// needsUTF8 says that only a server with SMTPUTF8 can take the addresses,
	// likesUTF8 that the header has characters that the extension is for.
	needsUTF8, likesUTF8 bool
}

// form makes parcels.
type form struct {
	local, domain string // of the address for bounces; "": there is none
	key           audience.LinkKey
	signer        *signer // nil: messages are not signed
}

// maxBounceLocal leaves room for the name of a delivery in the 64 octets before
// the @ that any mail server takes: five digits for the List, nine for the Contact.
const maxBounceLocal = 12

func newForm(t Transport) (*form, error) {
	f := &form{key: t.Key}
	if t.BounceAddress != "" {
		spelling, _, ok := audience.ParseEmail(t.BounceAddress)
		if !ok || spelling[0] == '"' {
			return nil, fmt.Errorf("bounce address %s is no address such as bounces@example.com", t.BounceAddress)
		}
		at := strings.LastIndexByte(spelling, '@')
		if at > maxBounceLocal {
			return nil, fmt.Errorf("bounce address %s: before the @ it has at most %d characters, as the name of a mail is added", t.BounceAddress, maxBounceLocal)
		}
		f.local, f.domain = spelling[:at], spelling[at+1:]
	}
	var err error
	f.signer, err = newSigner(t)
	return f, err
}

// parcel makes a parcel of a message. What is about a delivery has the
// delivery's name in the address that bounces go to. decisions.md: 51
func (f *form) parcel(m *gomail.Msg, about *audience.DeliveryKey) (*parcel, error) {
	p := &parcel{id: strings.Trim(m.GetMessageID(), "<>")}
	var err error
	if p.from, err = f.sender(m, about); err != nil {
		return nil, unsendable("find the sender", err)
	}
	if p.to, err = m.GetRecipients(); err != nil {
		return nil, unsendable("find the recipient", err)
	}
	for i := range p.to {
		p.to[i] = plainDomain(p.to[i])
		p.needsUTF8 = p.needsUTF8 || !ascii(p.to[i])
	}
	p.needsUTF8 = p.needsUTF8 || !ascii(p.from)
	var written bytes.Buffer
	if _, err := m.WriteTo(&written); err != nil {
		return nil, unsendable("write the message", err)
	}
	p.data = written.Bytes()
	header, _, _ := bytes.Cut(p.data, []byte("\r\n\r\n"))
	p.likesUTF8 = !ascii(header)
	if f.signer != nil {
		if p.data, err = f.signer.sign(p.data); err != nil {
			return nil, unsendable("sign the message", err)
		}
	}
	return p, nil
}

func (f *form) sender(m *gomail.Msg, about *audience.DeliveryKey) (string, error) {
	switch {
	case f.domain == "":
		from, err := m.GetSender(false)
		return plainDomain(from), err
	case about == nil:
		return plainDomain("<" + f.local + "@" + f.domain + ">"), nil
	}
	return plainDomain("<" + f.local + "+" + f.key.Tag(*about) + "@" + f.domain + ">"), nil
}

// plainDomain writes the domain of an address so that any mail server can take
// it. What cannot be written so stays.
func plainDomain(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 || ascii(address[at:]) {
		return address
	}
	domain, bracket := strings.CutSuffix(address[at+1:], ">")
	plain, err := idna.Lookup.ToASCII(domain)
	if err != nil || !bracket {
		return address
	}
	return address[:at+1] + plain + ">"
}

func ascii[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] > 127 {
			return false
		}
	}
	return true
}

func unsendable(doing string, err error) error {
	return &audience.Undelivered{Permanent: true, Detail: doing, Err: err}
}
