package httpserver

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A changed certificate is used without a restart. Broken files change nothing, and the log says so.
//
// covers: decision 81
func TestAChangedCertificateIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
		writeCertificate(t, cert, key, "first")
		var log syncBuffer
		c, err := LoadCertificate(cert, key, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		reload := make(chan os.Signal)
		var watching sync.WaitGroup
		watching.Go(func() { c.Watch(ctx, 10*time.Second, reload) })
		defer watching.Wait()
		defer cancel()
		uses := func(want string) {
			t.Helper()
			synctest.Wait()
			got, err := c.Config().GetCertificate(nil)
			if err != nil || got.Leaf.Subject.CommonName != want {
				t.Errorf("the certificate is %s, error %v; want %s", got.Leaf.Subject.CommonName, err, want)
			}
		}
		later := func() { <-time.After(11 * time.Second) }
		uses("first")
		writeCertificate(t, cert, key, "the second")
		uses("first")
		later()
		uses("the second")
		if err := os.WriteFile(cert, []byte("half a cert"), 0o600); err != nil {
			t.Fatal(err)
		}
		later()
		uses("the second")
		later()
		if n := strings.Count(log.String(), "the old one stays in use"); n != 1 {
			t.Errorf("the log has %d lines about the broken file, want 1:\n%s", n, log.String())
		}
		writeCertificate(t, cert, key, "third one")
		reload <- os.Interrupt
		uses("third one")
	})
}

func TestAMissingCertificateIsAnError(t *testing.T) {
	if _, err := LoadCertificate("none.pem", "none.key", slog.Default()); err == nil || !strings.Contains(err.Error(), "none.pem") {
		t.Errorf("error %v, want one that names the file", err)
	}
}

// writeCertificate writes a certificate that is signed by itself.
func writeCertificate(t *testing.T, certFile, keyFile, name string) {
	t.Helper()
	writeCertificateUntil(t, certFile, keyFile, name, time.Now().Add(time.Hour))
}

func writeCertificateUntil(t *testing.T, certFile, keyFile, name string, end time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotAfter: end}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "EC PRIVATE KEY", Bytes: keyDER},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// syncBuffer is a bytes.Buffer that several goroutines may use.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
