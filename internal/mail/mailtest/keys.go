package mailtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"time"
)

// This file creates the certificate of a server with TLS.

// keys has the certificate of a server, and the root certificates for a client that trusts
// this server.
type keys struct {
	config *tls.Config
	roots  *x509.CertPool
}

// newKeys creates a self-signed certificate for localhost, which is valid for a day.
func newKeys() (*keys, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	certificate := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "mailtest"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, certificate, certificate, private.Public(), private)
	if err != nil {
		return nil, err
	}
	certificate, err = x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	k := &keys{roots: x509.NewCertPool()}
	k.roots.AddCert(certificate)
	k.config = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: private}}}
	return k, nil
}
