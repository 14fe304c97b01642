package httpserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A certificate that has expired or should have been renewed is reported.
func TestCertificateThatEndsSoonIsReported(t *testing.T) {
	now := time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for _, c := range []struct {
		lifetime, left time.Duration
		want           string
	}{
		{90 * day, 15 * day, ""},
		{90 * day, 13*day + time.Hour, "expires in 13 days, at 2027-01-14 13:00:00 UTC: it should have been renewed"},
		{90 * day, time.Minute, "expires in 0 days"},
		{90 * day, 0, "has expired"},
		{90 * day, -time.Hour, "has expired at 2027-01-01 11:00:00 UTC"},
		{6 * day, 2 * day, ""},
		{6 * day, day, "expires in 1 days"},
	} {
		to := now.Add(c.left)
		got := Validity{to.Add(-c.lifetime), to}.Trouble(now)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("of %v, %v are left: %q, want %q", c.lifetime, c.left, got, c.want)
		}
	}
	if got := (Validity{}).Trouble(now); got != "" {
		t.Errorf("without a certificate: %q", got)
	}
}

// Of the certificates in the folder of an ACME, that of the host counts that ends first, and of the two of a host the later
// one.
func TestValidityOfACMECertificates(t *testing.T) {
	dir, key := t.TempDir(), filepath.Join(t.TempDir(), "key.pem")
	hosts := []string{"lists.example.com", "Bücher.example", "new.example.com"}
	if v, err := ACMEValidity(dir, hosts); v != (Validity{}) || err != nil {
		t.Errorf("an empty folder has the certificate %v, error %v", v, err)
	}
	now := time.Now().Truncate(time.Second)
	for name, days := range map[string]int{"lists.example.com": 60, "xn--bcher-kva.example": 20, "xn--bcher-kva.example+rsa": 3, "acme_account+key": 0} {
		writeCertificateUntil(t, filepath.Join(dir, name), key, name, now.AddDate(0, 0, days))
	}
	if v, err := ACMEValidity(dir, hosts); err != nil || !v.To.Equal(now.AddDate(0, 0, 20)) {
		t.Errorf("the first end is %v, error %v; want in 20 days", v.To, err)
	}
	a := NewACME(ACMEOptions{Hosts: hosts, Dir: dir})
	defer a.Close()
	if v, err := a.Validity(); err != nil || !v.To.Equal(now.AddDate(0, 0, 20)) {
		t.Errorf("the first end of the ACME is %v, error %v; want in 20 days", v.To, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "lists.example.com"), []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ACMEValidity(dir, hosts); err == nil || !strings.Contains(err.Error(), "has no certificate in PEM format") {
		t.Errorf("a file without a certificate: %v", err)
	}
}
