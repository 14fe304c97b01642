package httpserver

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/net/idna"
)

// This file says how long the certificate of the service is valid. The log, the metric, enlist doctor and the first page
// ask it.

// Validity is the time of a certificate. The zero value stands for no certificate.
type Validity struct{ From, To time.Time }

// endsSoon is the time before the end of a certificate from which it should have been renewed: 14 days, or a quarter of
// its time if that is less. An ACME renews when a third is left, or 30 days.
const endsSoon = 14 * 24 * time.Hour

// Trouble says what is wrong with a certificate; "": nothing.
func (v Validity) Trouble(now time.Time) string {
	switch left := v.To.Sub(now); {
	case v == Validity{} || left > min(endsSoon, v.To.Sub(v.From)/4):
		return ""
	case left <= 0:
		return "the TLS certificate has expired at " + v.To.UTC().Format(time.DateTime) + " UTC: clients refuse the service"
	default:
		return fmt.Sprintf("the TLS certificate expires in %d days, at %s UTC: it should have been renewed",
			int(left.Hours()/24), v.To.UTC().Format(time.DateTime))
	}
}

// ValidityOf returns the time of a certificate.
func ValidityOf(c *x509.Certificate) Validity { return Validity{c.NotBefore, c.NotAfter} }

// ReadValidity returns the time of the first certificate in a PEM file.
func ReadValidity(file string) (Validity, error) {
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return Validity{}, err
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return Validity{}, fmt.Errorf("%s: %w", file, err)
		}
		return ValidityOf(c), nil
	}
	return Validity{}, fmt.Errorf("%s has no certificate in PEM format", file)
}

// ACMEValidity returns the time of the certificate that ends first, of those of an ACME in its folder. A host can have two,
// for new and old clients, of which the later one counts: old clients may come no more. A host without one is left out.
func ACMEValidity(dir string, hosts []string) (first Validity, err error) {
	for _, host := range hosts {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return first, err
		}
		var last Validity
		for _, name := range []string{ascii, ascii + "+rsa"} { // the names of autocert.DirCache
			v, err := ReadValidity(filepath.Join(dir, name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return first, err
			}
			if v.To.After(last.To) {
				last = v
			}
		}
		if last != (Validity{}) && (first == Validity{} || last.To.Before(first.To)) {
			first = last
		}
	}
	return first, nil
}
