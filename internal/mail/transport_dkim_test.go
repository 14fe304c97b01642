package mail

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"slices"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/enlist"

	"github.com/emersion/go-msgauth/dkim"
)

// The tests in this file sign messages with each kind of key, and verify the signatures.

// signingWith returns a Transport whose mails are signed with a key.
func signingWith(key crypto.Signer) Transport {
	return Transport{settings: fixedSettings(accounts.Settings{
		DKIM: &enlist.SigningKey{Domain: "example.org", Selector: "s1", Signer: key}})}
}

// The signature of a message is valid. It becomes invalid if a second From is added, or if the text
// is changed.
//
// covers: decision 50
func TestSignatureBreaksWhenTheMessageChanges(t *testing.T) {
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, short, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&long.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	rsaRecord := "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(der)
	for _, c := range []struct {
		name   string
		key    crypto.Signer
		record string
	}{
		{"RSA", long, rsaRecord},
		{"Ed25519", short, "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public)},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newEncoder(signingWith(c.key))
			m := testMessage(t, 1, "ann@example.com")
			m.header = appendField(m.header, "List-Unsubscribe", "<https://example.org/u/1>")
			m.header = appendField(m.header, "List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
			m.header = appendField(m.header, "Feedback-ID", "b1:l1:a1:x")
			p, err := f.encode(t.Context(), m, nil)
			if err != nil {
				t.Fatal(err)
			}
			lookup := func(domain string) ([]string, error) {
				if domain != "s1._domainkey.example.org" {
					t.Errorf("the verifier asked for the DNS record %s, want s1._domainkey.example.org", domain)
				}
				return []string{c.record}, nil
			}
			verify := func(message []byte) *dkim.Verification {
				t.Helper()
				found, err := dkim.VerifyWithOptions(bytes.NewReader(message), &dkim.VerifyOptions{LookupTXT: lookup})
				if err != nil || len(found) != 1 {
					t.Fatalf("the verifier found the signatures %v, %v, want one", found, err)
				}
				return found[0]
			}
			message := bytes.Join(p.data, nil)
			v := verify(message)
			signedToo := []string{"List-Unsubscribe", "List-Unsubscribe-Post", "Feedback-ID"}
			if v.Err != nil || slices.ContainsFunc(signedToo, func(field string) bool { return !slices.Contains(v.HeaderKeys, field) }) {
				t.Errorf("the verifier returned %v for the signed fields %v, want no error, and the three fields of newsletters signed:\n%s", v.Err, v.HeaderKeys, message)
			}
			if verify(append([]byte("From: x@example.org\r\n"), message...)).Err == nil {
				t.Error("the signature is valid with a second From, want an error")
			}
			if verify(bytes.Replace(message, []byte("still here"), []byte("gone"), 1)).Err == nil {
				t.Error("the signature is valid with another text, want an error")
			}
		})
	}
}
