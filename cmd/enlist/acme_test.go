package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/config"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"golang.org/x/net/dns/dnsmessage"
)

// The service gets a certificate from Pebble, the ACME server for tests of Let's Encrypt, and uses it for HTTPS with
// HTTP/2. After a restart it uses the stored certificate.
//
// covers: decision 108
func TestTheServiceGetsItsCertificateWithACME(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "0")
	for _, challenge := range []string{"TLS-ALPN-01", "HTTP-01"} {
		t.Run(challenge, func(t *testing.T) {
			public, server := listen(t), new(atomic.Value) // the port 443 of the service, and its address
			go forward(public, server)
			settings := config.Serve{Database: config.Database{DB: filepath.Join(t.TempDir(), "enlist.db")}, ACME: []string{"lists.example.com"}}
			httpPort, tlsPort := 1, port(public)
			if challenge == "HTTP-01" {
				redirect := listen(t)
				settings.RedirectListen = redirect.Addr().String()
				redirect.Close()
				front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
					r.SetURL(&url.URL{Scheme: "http", Host: settings.RedirectListen})
					r.Out.Host = "lists.example.com" // as on port 80
				}})
				t.Cleanup(front.Close)
				httpPort, tlsPort = port(front.Listener), 1
			}
			authority := newPebble(t, httpPort, tlsPort, 0)
			settings.ACMEDirectory = authority.server.URL + wfe.DirectoryPath
			for _, start := range []string{"first", "second"} {
				t.Run("the "+start+" start", func(t *testing.T) {
					addr, key := startServerWith(t, settings)
					server.Store(addr)
					client := authority.client(addr)
					defer client.CloseIdleConnections()
					reply, err := client.Post("https://lists.example.com/rpc", "application/json",
						strings.NewReader(`{"id":1,"method":"countLists","params":["`+key+`"]}`))
					if err != nil {
						t.Fatal(err)
					}
					body, err := io.ReadAll(reply.Body)
					reply.Body.Close()
					if err != nil || string(body) != `{"id":1,"result":1,"error":null}` || reply.ProtoMajor != 2 {
						t.Errorf("the reply is %s over %s, error %v; want a result of 1 over HTTP/2.0", body, reply.Proto, err)
					}
					var out strings.Builder
					if status := run([]string{"health", "--listen", addr, "--acme", "lists.example.com"}, &console{stdout: &out, stderr: &out, getenv: os.Getenv}); status != 0 {
						t.Errorf("enlist health ends with %d: %s", status, &out)
					}
					if _, err := client.Get("https://other.example.com/"); err == nil {
						t.Error("a host that is not in --acme has a certificate")
					}
				})
			}
			if n := authority.finalized.Load(); n != 1 {
				t.Errorf("%d certificates were ordered, want 1 for both starts", n)
			}
			found := must(os.Stat(filepath.Join(settings.ACMEFolder(), "lists.example.com")))(t)
			if found.Mode() != 0o600 {
				t.Errorf("the file with the private key has the mode %s, want that only its owner can read it", found.Mode())
			}
		})
	}
}

// A certificate of 9 seconds has a third of its time left after 6. The running service then gets a new one, and still
// answers when the first one has expired.
//
// covers: decision 108
func TestTheServiceRenewsItsCertificateWhileItRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("this test waits until a certificate expires: run it with \"make check\"")
	}
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "0")
	public, server := listen(t), new(atomic.Value)
	go forward(public, server)
	authority := newPebble(t, 1, port(public), 9)
	addr, _ := startServerWith(t, config.Serve{Database: config.Database{DB: filepath.Join(t.TempDir(), "enlist.db")},
		ACME: []string{"lists.example.com"}, ACMEDirectory: authority.server.URL + wfe.DirectoryPath})
	server.Store(addr)
	certificate := func() *x509.Certificate { // of a new connection, checked for the present time
		client := authority.client(addr)
		defer client.CloseIdleConnections()
		reply := must(client.Get("https://lists.example.com/healthz"))(t)
		reply.Body.Close()
		return reply.TLS.PeerCertificates[0]
	}
	first := certificate()
	if left := time.Until(first.NotAfter); left > 9*time.Second {
		t.Fatalf("the certificate is valid for %v, want 9 s at most", left)
	}
	<-time.After(time.Until(first.NotAfter.Add(time.Second)))
	if second := certificate(); second.SerialNumber.Cmp(first.SerialNumber) == 0 || authority.finalized.Load() < 2 {
		t.Errorf("%d certificates were ordered; the service has that with the number %v", authority.finalized.Load(), second.SerialNumber)
	}
}

// pebble is an ACME server. All names have the address 127.0.0.1 for it.
type pebble struct {
	server    *httptest.Server
	roots     *x509.CertPool
	finalized atomic.Int64 // orders for which a certificate was issued
}

// newPebble starts an ACME server that sends its challenges to these ports. Its certificates are valid for a number of
// seconds; 0 means 90 days.
func newPebble(t *testing.T, httpPort, tlsPort int, seconds uint64) *pebble {
	t.Helper()
	names := listen(t)
	go answerNames(names)
	quiet, store := log.New(io.Discard, "", 0), db.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {Description: "default", ValidityPeriod: seconds}})
	checker := va.New(quiet, httpPort, tlsPort, false, names.Addr().String(), store)
	front := wfe.New(quiet, store, checker, issuer, []string{"pebble.example.org"}, false, false, 1, 1)
	p := &pebble{roots: x509.NewCertPool()}
	p.roots.AppendCertsFromPEM(issuer.GetRootCert(0).PEM())
	handler := front.Handler()
	p.server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/finalize-order/") {
			p.finalized.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(p.server.Close)
	transport := http.DefaultTransport.(*http.Transport) // the service trusts the roots of the system, and this one
	before := transport.TLSClientConfig
	t.Cleanup(func() { transport.TLSClientConfig = before })
	trusted := x509.NewCertPool()
	trusted.AddCert(p.server.Certificate())
	transport.TLSClientConfig = &tls.Config{RootCAs: trusted}
	return p
}

// client returns an HTTP client that trusts the certificates of p and connects to addr for each host.
func (p *pebble) client(addr string) *http.Client {
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{RootCAs: p.roots},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, addr)
		}}}
}

// listen returns a listener on a free port, which the end of the test closes.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	return l
}

func port(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// forward connects each client of a listener to the address in to.
func forward(l net.Listener, to *atomic.Value) {
	for {
		in, err := l.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", to.Load().(string))
		if err != nil {
			in.Close()
			continue
		}
		go func() { io.Copy(out, in); out.Close() }()
		go func() { io.Copy(in, out); in.Close() }()
	}
}

// answerNames is a DNS server over TCP that has the address 127.0.0.1 for each name.
func answerNames(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			var size [2]byte
			for {
				if _, err := io.ReadFull(conn, size[:]); err != nil {
					return
				}
				query := make([]byte, int(size[0])<<8|int(size[1]))
				if _, err := io.ReadFull(conn, query); err != nil {
					return
				}
				var m dnsmessage.Message
				if m.Unpack(query) != nil || len(m.Questions) != 1 {
					return
				}
				m.Header.Response = true
				m.Additionals = nil
				if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
					m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1},
						Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
				}
				answer, err := m.Pack()
				if err != nil {
					return
				}
				conn.Write(append([]byte{byte(len(answer) >> 8), byte(len(answer))}, answer...))
			}
		}()
	}
}
