// Package httpserver is the outermost part of the service's HTTP server: it finds the address of the client behind
// trusted proxies, gives each request an ID, keeps the TLS certificate up to date, and redirects HTTP to HTTPS. It
// does not know calls or Accounts.
//
// httpserver.go wraps the handler of the service, proxy.go has the addresses, certificate.go the certificate files,
// validity.go the time of a certificate, and acme.go certificates that the service gets itself. connections.go limits
// the connections, and deadlines.go the time of requests. mux.go chooses the handler of a path.
package httpserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"
)

// requestID is the header with the ID of a request. The log has the same ID for a call that failed. reference.md:
// header.request-id
const requestID = "X-Request-Id"

// Options configure a Handler.
type Options struct {
	Proxies Proxies       // proxies whose headers are believed
	HSTS    time.Duration // how long browsers must use only HTTPS for the host; 0: no such header
	Limits  Limits        // for which a client may keep a request waiting

	// Untrusted is called at the first request that has X-Forwarded-For and comes from an address that is no trusted
	// proxy, with this address; nil: nothing is called. decisions.md: 80
	Untrusted func(ctx context.Context, peer netip.Addr)
}

// Handler calls next with the client's address in Request.RemoteAddr. The reply has the ID of the request.
func Handler(next http.Handler, o Options) http.Handler {
	hsts := ""
	if o.HSTS > 0 {
		hsts = "max-age=" + strconv.FormatInt(int64(o.HSTS/time.Second), 10)
	}
	var once sync.Once
	return Deadlines(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := ""
		forwarded := r.Header.Values("X-Forwarded-For")
		switch peer, err := netip.ParseAddrPort(r.RemoteAddr); {
		case err != nil:
		case o.Proxies.trusts(peer.Addr()):
			client := o.Proxies.client(peer.Addr(), forwarded)
			r.RemoteAddr = netip.AddrPortFrom(client, peer.Port()).String()
			id = plainID(r.Header.Get(requestID))
		case len(forwarded) > 0 && o.Untrusted != nil:
			once.Do(func() { o.Untrusted(r.Context(), plain(peer.Addr())) })
		}
		if id == "" {
			id = newID()
		}
		w.Header().Set(requestID, id)
		if hsts != "" && r.TLS != nil {
			w.Header().Set("Strict-Transport-Security", hsts)
		}
		next.ServeHTTP(w, r)
	}), o.Limits)
}

// plainID returns an ID that a proxy sent, or "" if it is not plain: 1 to 64 letters, digits, dots, hyphens and
// underscores.
func plainID(id string) string {
	plain := func(r rune) bool {
		return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || strings.ContainsRune("._-", r)
	}
	if len(id) > 64 || strings.ContainsFunc(id, func(r rune) bool { return !plain(r) }) {
		return ""
	}
	return id
}

// newID returns 12 random hexadecimal digits.
func newID() string {
	var b [6]byte
	rand.Read(b[:]) // crypto/rand never fails
	return hex.EncodeToString(b[:])
}

// Redirect returns a handler that redirects pages to HTTPS at the same host. port is the port of HTTPS that clients
// use. A call is refused, because it has sent its key without encryption already, and its client would not notice that.
func Redirect(port string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Connection", "close")
			http.Error(w, "this service answers only over https: send calls there, and replace the key that was sent without "+
				"encryption", http.StatusForbidden)
			return
		}
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		host = strings.Trim(host, "[]")
		if port != "443" {
			host = net.JoinHostPort(host, port)
		} else if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		http.Redirect(w, r, "https://"+host+r.URL.RequestURI(), http.StatusPermanentRedirect)
	})
}
