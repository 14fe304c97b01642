package httpserver

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// Certificate is the TLS certificate in two PEM files. It is read again when a file changes. decisions.md: 81
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	current           atomic.Pointer[tls.Certificate]
	seen              [2]stamp // state of the files when they were read
}

// stamp tells two versions of a file apart.
type stamp struct {
	modified time.Time
	size     int64
}

// LoadCertificate reads the files.
func LoadCertificate(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log}
	c.seen = c.stamps()
	return c, c.load()
}

// Config returns the configuration of a TLS server with the certificate, for HTTP/2 and HTTP/1.1.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.current.Load(), nil
		},
	}
}

// Validity returns the time of the certificate that is in use.
func (c *Certificate) Validity() Validity { return ValidityOf(c.current.Load().Leaf) }

// Watch reads the files again when one of them changes, and when reload receives a value. It looks every
// interval, and returns when ctx ends. If the new files are invalid, the service keeps the old certificate.
func (c *Certificate) Watch(ctx context.Context, interval time.Duration, reload <-chan os.Signal) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		asked := false
		select {
		case <-ctx.Done():
			return
		case <-reload:
			asked = true
		case <-ticker.C:
		}
		now := c.stamps()
		if !asked && now == c.seen {
			continue
		}
		c.seen = now
		if err := c.load(); err != nil {
			c.log.Error("the new TLS certificate is not used; the old one stays in use", "error", err)
			continue
		}
		c.log.Info("read the TLS certificate", "file", c.certFile, "valid_until", c.current.Load().Leaf.NotAfter)
	}
}

// load reads the files and uses the certificate if it is valid.
func (c *Certificate) load() error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("read the TLS certificate %s and its key %s: %w", c.certFile, c.keyFile, err)
	}
	c.current.Store(&pair)
	return nil
}

// stamps returns the state of the files now. A file that does not exist has a zero stamp.
func (c *Certificate) stamps() (found [2]stamp) {
	for i, name := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(name); err == nil {
			found[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return found
}
