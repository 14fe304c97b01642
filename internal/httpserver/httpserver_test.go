package httpserver

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// covers: decision 80
func TestTheClientIsTheLastAddressThatIsNoTrustedProxy(t *testing.T) {
	proxies, err := ParseProxies([]string{"10.0.0.0/8", "192.0.2.1", "2001:db8:1::/48"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"no header", "10.0.0.1", nil, "10.0.0.1"},
		{"one proxy", "10.0.0.1", []string{"198.51.100.7"}, "198.51.100.7"},
		{"an untrusted peer", "198.51.100.9", []string{"198.51.100.7"}, "198.51.100.9"},
		{"what the client sent is ignored", "10.0.0.1", []string{"203.0.113.1, 127.0.0.1,198.51.100.7"}, "198.51.100.7"},
		{"a chain of proxies", "10.0.0.1", []string{"203.0.113.1, 198.51.100.7, 192.0.2.1 , 10.9.9.9"}, "198.51.100.7"},
		{"several headers", "10.0.0.1", []string{"203.0.113.1", "198.51.100.7, 10.1.1.1", "10.2.2.2"}, "198.51.100.7"},
		{"only proxies", "10.0.0.1", []string{"10.3.3.3, 10.2.2.2"}, "10.3.3.3"},
		{"a port", "10.0.0.1", []string{"198.51.100.7:4711"}, "198.51.100.7"},
		{"IPv6", "2001:db8:1::1", []string{"2001:db8:2::7"}, "2001:db8:2::7"},
		{"IPv6 in brackets", "2001:db8:1::1", []string{"[2001:db8:2::7]"}, "2001:db8:2::7"},
		{"IPv6 and a port", "2001:db8:1::1", []string{"[2001:db8:2::7]:443"}, "2001:db8:2::7"},
		{"IPv4 in IPv6", "::ffff:10.0.0.1", []string{"::ffff:198.51.100.7"}, "198.51.100.7"},
		{"a zone", "10.0.0.1", []string{"fe80::1%eth0"}, "fe80::1"},
		{"garbage", "10.0.0.1", []string{"198.51.100.7, unknown"}, "10.0.0.1"},
		{"garbage behind a proxy", "10.0.0.1", []string{"198.51.100.7, x, 10.2.2.2"}, "10.2.2.2"},
		{"an empty item", "10.0.0.1", []string{"198.51.100.7, "}, "10.0.0.1"},
		{"an empty header", "10.0.0.1", []string{""}, "10.0.0.1"},
	} {
		if got := proxies.client(netip.MustParseAddr(c.peer), c.forwarded); got.String() != c.want {
			t.Errorf("%s: the client is %s, want %s", c.name, got, c.want)
		}
	}
}

func TestInvalidProxiesAreRefused(t *testing.T) {
	for _, text := range []string{"", "10.0.0.0/33", "proxy.example.com", "fe80::1%eth0", "::ffff:10.0.0.0/104", "10.0.0.1:80"} {
		if _, err := ParseProxies([]string{text}); err == nil {
			t.Errorf("%q is accepted, want an error", text)
		}
	}
}

// FuzzClient sends any header through a proxy. Items that a client sends to the left change nothing.
//
// covers: decision 80
func FuzzClient(f *testing.F) {
	f.Add("203.0.113.1, 198.51.100.7, 10.0.0.2")
	f.Add("[2001:db8::1]:80,,unknown")
	proxies, err := ParseProxies([]string{"10.0.0.0/8"})
	if err != nil {
		f.Fatal(err)
	}
	peer := netip.MustParseAddr("10.0.0.1")
	f.Fuzz(func(t *testing.T, header string) {
		got := proxies.client(peer, []string{header})
		if !got.IsValid() || got.Zone() != "" || got.Is4In6() {
			t.Fatalf("the client is %v", got)
		}
		if again := proxies.client(peer, strings.Split(header, ",")); again != got {
			t.Errorf("in one header the client is %v, in several %v", got, again)
		}
		if forged := proxies.client(peer, []string{"192.0.2.99," + header}); got != forged && proxies.trusts(got) != true {
			t.Errorf("an item on the left changes the client from %v to %v", got, forged)
		}
	})
}

// Only the first request through a proxy that is not trusted is reported.
//
// covers: decision 80
func TestTheFirstRequestOfAnUntrustedProxyIsReported(t *testing.T) {
	proxies, err := ParseProxies([]string{"10.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	var reported []string
	h := Handler(http.NotFoundHandler(), Options{Proxies: proxies,
		Untrusted: func(_ context.Context, peer netip.Addr) { reported = append(reported, peer.String()) }})
	for _, request := range [][2]string{{"10.0.0.1:5", "198.51.100.7"}, {"192.168.0.1:5", ""}, {"[::ffff:192.168.0.2]:5", "198.51.100.7"},
		{"192.168.0.3:5", "198.51.100.7"}} {
		r := httptest.NewRequest("GET", "http://x/", nil)
		r.RemoteAddr = request[0]
		if request[1] != "" {
			r.Header.Set("X-Forwarded-For", request[1])
		}
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	if len(reported) != 1 || reported[0] != "192.168.0.2" {
		t.Errorf("%q were reported, want only 192.168.0.2", reported)
	}
}

// covers: spec header.request-id, decision 80
func TestHeadersOfTrustedProxiesOnlyAreUsed(t *testing.T) {
	proxies, err := ParseProxies([]string{"10.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	var remote string
	h := Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { remote = r.RemoteAddr }),
		Options{Proxies: proxies, HSTS: time.Hour})
	for _, c := range []struct{ peer, sentID, wantRemote, wantID string }{
		{"10.0.0.1:5", "abc-1_2.Z", "198.51.100.7:5", "abc-1_2.Z"},
		{"10.0.0.1:5", "a b", "198.51.100.7:5", ""},
		{"10.0.0.1:5", strings.Repeat("x", 65), "198.51.100.7:5", ""},
		{"192.0.2.9:5", "abc", "192.0.2.9:5", ""},
		{"@", "abc", "@", ""}, // a Unix socket
	} {
		r := httptest.NewRequest("GET", "http://x/", nil)
		r.RemoteAddr = c.peer
		r.Header.Set("X-Forwarded-For", "198.51.100.7")
		r.Header.Set(requestID, c.sentID)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		id := w.Header().Get(requestID)
		if remote != c.wantRemote || c.wantID != "" && id != c.wantID || c.wantID == "" && (len(id) != 12 || id == c.sentID) {
			t.Errorf("from %s with the ID %.20q: the address is %s, the ID %q; want %s and %q", c.peer, c.sentID, remote, id,
				c.wantRemote, c.wantID)
		}
		if w.Header().Get("Strict-Transport-Security") != "" {
			t.Error("a reply without TLS has Strict-Transport-Security")
		}
	}
}

// covers: decision 81
func TestPagesAreRedirectedToHTTPSAndCallsAreRefused(t *testing.T) {
	for _, c := range []struct {
		method, url, port, want string
		status                  int
	}{
		{"GET", "http://x.example/u/1?a=b", "443", "https://x.example/u/1?a=b", 308},
		{"HEAD", "http://x.example:8080/", "443", "https://x.example/", 308},
		{"GET", "http://x.example:8080/", "8443", "https://x.example:8443/", 308},
		{"GET", "http://[::1]:8080/", "443", "https://[::1]/", 308},
		{"GET", "http://[::1]/", "8443", "https://[::1]:8443/", 308},
		{"POST", "http://x.example/rpc", "443", "", 403},
	} {
		w := httptest.NewRecorder()
		Redirect(c.port).ServeHTTP(w, httptest.NewRequest(c.method, c.url, nil))
		if w.Code != c.status || w.Header().Get("Location") != c.want {
			t.Errorf("%s %s: status %d to %q, want %d to %q", c.method, c.url, w.Code, w.Header().Get("Location"), c.status, c.want)
		}
	}
}
