package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/internal/config"

	"golang.org/x/net/http2"
)

// With certificate files, the service answers calls and pages over HTTPS with HTTP/2, and each reply has a request ID. A
// second listener redirects pages.
//
// covers: spec header.request-id, decision 81
func TestTheServiceAnswersOverHTTPS(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	roots := selfSigned(t, cert, key)
	addr, apiKey := startServerWith(t, config.Serve{TLSCert: cert, TLSKey: key, HSTS: time.Hour})
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	reply, err := client.Post("https://"+addr+"/rpc", "application/json",
		strings.NewReader(`{"id":1,"method":"countLists","params":["`+apiKey+`"]}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(reply.Body)
	reply.Body.Close()
	if err != nil || string(body) != `{"id":1,"result":1,"error":null}` {
		t.Errorf("the reply is %s, error %v; want a result of 1", body, err)
	}
	h := reply.Header
	if reply.ProtoMajor != 2 || h.Get("Strict-Transport-Security") != "max-age=3600" || len(h.Get("X-Request-Id")) != 12 {
		t.Errorf("the reply is %s with the headers %v, want HTTP/2.0, Strict-Transport-Security and X-Request-Id", reply.Proto, h)
	}
	var out strings.Builder
	if status := run([]string{"health", "--listen", addr, "--tls-cert", cert}, &console{stdout: &out, stderr: &out, getenv: os.Getenv}); status != 0 {
		t.Errorf("enlist health ends with %d: %s", status, &out)
	}
}

// A client of HTTP/2 may send little of its bodies before a handler reads them, as with HTTP/1.1. Go's limits are 250
// requests and 1 MiB for each connection.
func TestUnreadBodiesOfHTTP2AreSmall(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	roots := selfSigned(t, cert, key)
	addr, _ := startServerWith(t, config.Serve{TLSCert: cert, TLSKey: key})
	conn := must(tls.Dial("tcp", addr, &tls.Config{RootCAs: roots, NextProtos: []string{"h2"}}))(t)
	defer conn.Close()
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	f := http2.NewFramer(conn, conn)
	if err := errors.Join(f.WriteSettings(), f.WritePing(false, [8]byte{})); err != nil {
		t.Fatal(err)
	}
	ofConnection, ofRequest, requests := uint32(65_535), uint32(65_535), uint32(0)
	for answered := false; !answered; {
		switch frame := must(f.ReadFrame())(t).(type) {
		case *http2.SettingsFrame:
			if n, ok := frame.Value(http2.SettingInitialWindowSize); ok {
				ofRequest = n
			}
			if n, ok := frame.Value(http2.SettingMaxConcurrentStreams); ok {
				requests = n
			}
		case *http2.WindowUpdateFrame:
			ofConnection += frame.Increment
		case *http2.PingFrame:
			answered = true
		}
	}
	if ofConnection > 64<<10 || ofRequest > 64<<10 || requests != 100 {
		t.Errorf("a connection may send %d bytes, a request %d, with %d requests; want 64 KiB and 100", ofConnection, ofRequest, requests)
	}
}

// selfSigned writes a certificate for 127.0.0.1 and its key into files.
func selfSigned(t *testing.T, certFile, keyFile string) *x509.CertPool {
	t.Helper()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der := must(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	keyDER := must(x509.MarshalECPrivateKey(key))(t)
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for file, text := range map[string][]byte{
		certFile: certPEM, keyFile: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}),
	} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certPEM)
	return roots
}
