package accounts

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"enlist/internal/enlist"
)

// The tests in this file read values of settings, and compare doc/settings.md with the table.

var updateDoc = flag.Bool("update", false, "write the table of settings into doc/settings.md")

func TestEverySettingReadsItsDefaultAndItsExample(t *testing.T) {
	for i := range SettingTable {
		row := &SettingTable[i]
		t.Run(row.Name, func(t *testing.T) {
			example := row.Example
			if row.IsFile {
				example = pemOf(t, "PRIVATE KEY", newEd25519(t))
			}
			for _, value := range []string{row.Default, example} {
				if value == "" {
					continue
				}
				if err := row.read(new(Settings), value); err != nil {
					t.Errorf("%s: %v", value, err)
				}
			}
		})
	}
}

func TestBadValuesOfSettingsAreRefusedWithAnExample(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"mail-from", "news", "not an address"},
		{"mail-from", "News <news>", "expected an address"},
		{"mail-rate", "-1", "0 or more"},
		{"mail-rate", "NaN", "0 or more"},
		{"bounce-address", "bounces", "not an address"},
		{"bounce-address", "@example.org", "not an address"},
		{"bounce-address", `"a b"@example.org`, "not an address"},
		{"bounce-address", "newsletter-bounces@example.org", "at most 12 characters"},
		{"bounce-address", "a@b@c", "not an address"},
		{"dkim-domain", "not a domain", "is not a domain"},
		{"dkim-selector", "a b", "letters, digits and hyphens"},
		{"batch-rate", "relay=20/week", "rates such as 20/second"},
		{"batch-calendar", "mon 8-18", "IANA time zone"},
		{"batch-warmup", "2027-01-31 500", "a factor above 1"},
		{"key-rate", "default", "expected a rate"},
		{"key-rate", "5/hour", "10/second"},
		{"max-file", "10MB", "is not a size"},
		{"max-files", "0", "at least 1"},
		{"max-import", "much", "is not a size"},
		{"search-indexes", "-1", "0 or more"},
		{"timezone", "Local", "is not known"},
		{"country-code", "999", "telephone country code"},
		{"country-code", "DE", "telephone country code"},
	} {
		t.Run(c.name+" "+c.value, func(t *testing.T) {
			_, err := newSettings([]StoredSetting{{0, c.name, c.value}})
			if enlist.KindOf(err) != enlist.InvalidParameters || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), "for example: "+c.name+"='") {
				t.Errorf("got %v, want %q and an example", err, c.want)
			}
		})
	}
}

// The error for a wrong key does not show the content of the file.
func TestWrongDKIMKeysAreRefused(t *testing.T) {
	t.Setenv("GODEBUG", "rsa1024min=0")
	weak, err := rsa.GenerateKey(rand.Reader, 768)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"a file without a key", "secret stuff", "not a private key in PEM"},
		{"another PEM file", "-----BEGIN CERTIFICATE-----\nc2VjcmV0\n-----END CERTIFICATE-----\n", "not a private key in PEM"},
		{"a short RSA key", string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(weak)})), "768 bits"},
		{"a key of another type", pemOf(t, "PRIVATE KEY", curve), "another type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newSettings([]StoredSetting{{0, "dkim-domain", "example.org"}, {0, "dkim-key", c.text}})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestSettingsThatDoNotFitTogetherAreRefused(t *testing.T) {
	key := pemOf(t, "PRIVATE KEY", newEd25519(t))
	for _, c := range []struct {
		want   string
		stored []StoredSetting
	}{
		{"dkim-domain needs dkim-key", []StoredSetting{{0, "dkim-domain", "example.org"}}},
		{"dkim-key needs dkim-domain", []StoredSetting{{0, "dkim-key", key}}},
		{"max-files must be at least max-file", []StoredSetting{{0, "max-file", "2GiB"}}},
		{"max-files must be at least max-file", []StoredSetting{{7, "max-files", "1MiB"}}},
	} {
		if _, err := newSettings(c.stored); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.stored, err, c.want)
		}
	}
	s, err := newSettings([]StoredSetting{{0, "dkim-key", key}, {0, "mail-from", "News <news@Example.com>"}})
	if err != nil || s.DKIM == nil || s.DKIM.Domain != "example.com" || s.DKIM.Selector != "enlist" {
		t.Errorf("got %+v, error %v; want the domain of mail-from and the default selector", s.DKIM, err)
	}
}

// A newer version of the program may have stored settings that this version does not know.
func TestUnknownStoredSettingsAreIgnored(t *testing.T) {
	s, err := newSettings([]StoredSetting{{0, "from-the-future", "1"}, {3, "mail-from", "a@example.com"}})
	if err != nil || s.From != "" || s.Of(3).From != "a@example.com" || s.Of(4).From != "" || s.Of(3).MaxFile != 10<<20 {
		t.Errorf("got %+v, error %v; want the sender of Account 3 and the defaults", s, err)
	}
}

// doc/settings.md has the table between two comments. "go test ./internal/accounts -run DocumentHasEverySetting -update"
// writes it.
func TestTheDocumentHasEverySetting(t *testing.T) {
	const file, begin, end = "../../doc/settings.md", "<!-- settings: made from internal/accounts/setting.go -->\n", "<!-- end of settings -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table of settings", file)
	}
	want := before + begin + settingsText() + end + after
	switch {
	case want == string(text):
	case *updateDoc:
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of settings in %s is out of date: run this test with -update", file)
	}
}

func newEd25519(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// pemOf returns a private key in PEM format.
func pemOf(t *testing.T, kind string, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// settingsText returns the settings as a table in Markdown.
func settingsText() string {
	var b strings.Builder
	b.WriteString("| Setting | Default | |\n|---|---|---|\n")
	for _, row := range SettingTable {
		says := row.Says
		if row.OfAccount {
			says += " An Account can have its own value."
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s Example: `%s` |\n", row.Name, cmp.Or(row.Default, "none"), says, row.Example)
	}
	return b.String()
}
