package accounts

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"enlist/internal/enlist"
)

// This file makes DKIM keys and the records of the DNS in which they are published. RFC 6376, 3.6.1; RFC 8463

// DKIMKeyType is the algorithm of a DKIM key.
type DKIMKeyType string

// The types of keys. Every receiver can check RSA; some cannot check Ed25519.
const (
	DKIMRSA     DKIMKeyType = "rsa"
	DKIMEd25519 DKIMKeyType = "ed25519"
)

// rsaBits is the length of new RSA keys. RFC 8301, 3.2
const rsaBits = 2048

// selectorForm is the form of a selector: one label of a host name.
var selectorForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// newDKIMKey makes a key. Errors: InvalidParameters.
func (s *Service) newDKIMKey(n NewSendingDomain) (*DKIMKey, error) {
	k := &DKIMKey{Selector: n.Selector}
	if k.Selector == "" {
		k.Selector = "enlist" + s.db.Now().UTC().Format("20060102")
	}
	if !selectorForm.MatchString(k.Selector) {
		return nil, enlist.Refuse(enlist.InvalidParameters,
			"the selector %q must have 1 to 63 lower-case letters, digits and hyphens",
			n.Selector)
	}
	var private crypto.PrivateKey
	var err error
	switch n.Type {
	case "", DKIMRSA:
		private, err = rsa.GenerateKey(rand.Reader, rsaBits)
	case DKIMEd25519:
		_, private, err = ed25519.GenerateKey(rand.Reader)
	default:
		return nil, enlist.Refuse(enlist.InvalidParameters, "the type of a key is rsa or ed25519, not %q", n.Type)
	}
	if err != nil {
		return nil, fmt.Errorf("make a DKIM key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, fmt.Errorf("encode a DKIM key: %w", err)
	}
	k.Private = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	return k, nil
}

// signer returns the parsed private key. Parsing takes up to a millisecond, so keep the result.
func (k *DKIMKey) signer() (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(k.Private))
	if block == nil {
		return nil, errors.New("the stored DKIM key is not in PEM format")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the stored DKIM key cannot be read") // the cause could show a part of the key
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("the stored DKIM key cannot sign")
	}
	return signer, nil
}

// DNSRecord is a record to publish in the DNS.
type DNSRecord struct {
	Name  string // without a dot at its end
	Type  string // such as TXT
	Value string // a TXT as one text, of any length
}

// maxTXT is the largest length of one string of a TXT record, in bytes. RFC 1035, 3.3.14
const maxTXT = 255

// ZoneLine returns the record as a line of a zone file. A long TXT has several strings, which receivers join.
// Characters that have a meaning in such a file, or that are not printable ASCII, are escaped. RFC 1035, 5.1
func (r DNSRecord) ZoneLine() string {
	value := r.Value
	if r.Type == "TXT" {
		var parts []string
		for rest := value; len(parts) == 0 || rest != ""; {
			n := min(len(rest), maxTXT)
			parts = append(parts, `"`+zoneText(rest[:n])+`"`)
			rest = rest[n:]
		}
		value = strings.Join(parts, " ")
	}
	return r.Name + ". " + r.Type + " " + value
}

// zoneText escapes a string of a zone file.
func zoneText(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03d`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Record returns the record in which the key of a domain is published. Errors: the stored key cannot be read.
func (k *DKIMKey) Record(domain string) (DNSRecord, error) {
	signer, err := k.signer()
	if err != nil {
		return DNSRecord{}, err
	}
	return DKIMRecord(domain, k.Selector, signer.Public())
}

// DKIMRecord returns the record in which the public key of a selector and domain is published. An RSA key is a
// SubjectPublicKeyInfo, an Ed25519 key the 32 bytes of the key.
func DKIMRecord(domain, selector string, public crypto.PublicKey) (DNSRecord, error) {
	record := DNSRecord{Name: selector + "._domainkey." + domain, Type: "TXT"}
	encode := base64.StdEncoding.EncodeToString
	if short, ok := public.(ed25519.PublicKey); ok {
		record.Value = "v=DKIM1; k=ed25519; p=" + encode(short)
		return record, nil
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	record.Value = "v=DKIM1; k=rsa; p=" + encode(der)
	return record, err
}

// OldRecordIsNeeded reports whether receivers may still look up the record of the key before the last switch: for mails
// that are under way, or that are checked late.
func (d *SendingDomain) OldRecordIsNeeded(now time.Time) bool {
	const underWay = 7 * 24 * time.Hour
	return d.OldSelector != "" && now.Sub(time.Unix(d.SwitchTime, 0)) < underWay
}
