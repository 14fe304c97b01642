package httpserver

import (
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"enlist/internal/durable"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
	"golang.org/x/net/idna"
)

// letsEncrypt is the directory of the certificate authority Let's Encrypt.
const letsEncrypt = autocert.DefaultACMEDirectory

// ACME gets certificates from a certificate authority with the protocol ACME (RFC 8555), and renews them. It proves
// with TLS-ALPN-01, on the port of HTTPS, that the hosts belong to this service. decisions.md: 108
type ACME struct {
	manager *autocert.Manager
	client  *http.Client
	dir     string
	hosts   []string // a client that names none gets the certificate of the first one
}

// ACMEOptions configure an ACME.
type ACMEOptions struct {
	Hosts     []string // names of the service, at least one
	Email     string   // to which the authority writes; empty: none
	Directory string   // URL of the authority; empty: LetsEncrypt
	Dir       string   // folder for the certificates, their private keys and the key of the account; only its owner can read it
}

// NewACME returns an ACME. It calls the authority when the first client connects, and before a certificate expires.
func NewACME(o ACMEOptions) *ACME {
	client := &http.Client{Timeout: time.Minute, Transport: http.DefaultTransport.(*http.Transport).Clone()}
	return &ACME{
		manager: &autocert.Manager{Prompt: autocert.AcceptTOS, Cache: cache{autocert.DirCache(o.Dir), o.Dir}, Email: o.Email,
			HostPolicy: autocert.HostWhitelist(o.Hosts...),
			Client: &acme.Client{DirectoryURL: cmp.Or(o.Directory, letsEncrypt), HTTPClient: client,
				UserAgent: "enlist"}},
		client: client,
		dir:    o.Dir,
		hosts:  o.Hosts,
	}
}

// cache is a folder. After a power cut a DirCache alone could have an empty key of the account, with which the server gets
// no certificate.
type cache struct {
	autocert.DirCache
	dir string
}

// Put implements autocert.Cache.
func (c cache) Put(_ context.Context, name string, data []byte) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	return durable.Write(filepath.Join(c.dir, filepath.Base(name)), func(file io.Writer) error {
		_, err := file.Write(data)
		return err
	})
}

// Config returns the configuration of a TLS server with the certificates, for HTTP/2 and HTTP/1.1. A client that names
// no host, such as a health check, gets the certificate of the first one.
func (a *ACME) Config() *tls.Config {
	c := a.manager.TLSConfig()
	c.MinVersion = tls.VersionTLS12
	c.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if hello.ServerName == "" {
			hello.ServerName = a.hosts[0]
		}
		return a.manager.GetCertificate(hello)
	}
	return c
}

// HTTPHandler answers challenges of the kind HTTP-01, which the authority sends to port 80, and calls next for all
// other requests. After its call, the ACME uses this kind if TLS-ALPN-01 fails.
func (a *ACME) HTTPHandler(next http.Handler) http.Handler { return a.manager.HTTPHandler(next) }

// Validity returns the time of the certificate that ends first.
func (a *ACME) Validity() (Validity, error) { return ACMEValidity(a.dir, a.hosts) }

// Close closes the connections to the authority.
func (a *ACME) Close() { a.client.CloseIdleConnections() }

// ValidHost reports whether a certificate authority can check a host: it is a name with a dot, without a port, a path,
// an asterisk, and a dot at its end, which clients do not send.
func ValidHost(host string) bool {
	_, err := idna.Lookup.ToASCII(host)
	return err == nil && net.ParseIP(host) == nil && strings.Contains(strings.TrimPrefix(host, "."),
		".") && !strings.HasSuffix(host, ".")
}
