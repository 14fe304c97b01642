package mail

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"
)

// The tests in this file sign messages with each kind of key, and verify the signatures.

// writeKey writes a private key in PEM format into a file.
func writeKey(t testing.TB, kind string, der []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func pkcs8(t *testing.T, key crypto.PrivateKey) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return der
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
	for _, c := range []struct{ name, file, record string }{
		{"RSA", writeKey(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(long)), rsaRecord},
		{"RSA, PKCS 8", writeKey(t, "PRIVATE KEY", pkcs8(t, long)), rsaRecord},
		{"Ed25519", writeKey(t, "PRIVATE KEY", pkcs8(t, short)), "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public)},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := newEncoder(Transport{DKIMKey: c.file, DKIMDomain: "example.org", DKIMSelector: "s1"})
			if err != nil {
				t.Fatal(err)
			}
			m := testMessage(t, 1, "ann@example.com")
			m.header = appendField(m.header, "List-Unsubscribe", "<https://example.org/u/1>")
			m.header = appendField(m.header, "List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
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
			if v.Err != nil || !slices.Contains(v.HeaderKeys, "List-Unsubscribe") || !slices.Contains(v.HeaderKeys, "List-Unsubscribe-Post") {
				t.Errorf("the verifier returned %v for the signed fields %v, want no error, and the two List fields signed:\n%s", v.Err, v.HeaderKeys, message)
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

// The error for a wrong key does not show the content of the file.
func TestWrongDKIMSettingsAreRefused(t *testing.T) {
	t.Setenv("GODEBUG", "rsa1024min=0")
	weak, err := rsa.GenerateKey(rand.Reader, 768)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	noPEM := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(noPEM, []byte("secret stuff"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, file, domain, selector, want string }{
		{"no key", "", "example.org", "s1", "needs a private key"},
		{"no domain", noPEM, "", "s1", "needs a domain and a selector"},
		{"no selector", noPEM, "example.org", "", "needs a domain and a selector"},
		{"a file without a key", noPEM, "example.org", "s1", "not a private key in PEM"},
		{"no such file", "nowhere.pem", "example.org", "s1", "no such file"},
		{"a short RSA key", writeKey(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(weak)), "example.org", "s1", "768 bits"},
		{"a key of another kind", writeKey(t, "PRIVATE KEY", pkcs8(t, curve)), "example.org", "s1", "not a private key in PEM"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newEncoder(Transport{DKIMKey: c.file, DKIMDomain: c.domain, DKIMSelector: c.selector})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
