package httpserver

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// limitedServer serves at most most connections. Each request with the path /wait is answered after free is closed.
func limitedServer(t *testing.T, most int, proxies Proxies, free <-chan struct{}, waiting *sync.WaitGroup) string {
	t.Helper()
	limit := NewConnections(most, proxies)
	s := httptest.NewUnstartedServer(Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			waiting.Done()
			<-free
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			fmt.Fprintf(w, "read %d", len(body))
		}
	}), Options{}))
	s.Listener = limit.Limit(s.Listener)
	s.Config.ConnState, s.Config.ConnContext = limit.State, limit.Context
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// dial opens a connection and sends a text.
func dial(t *testing.T, address, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err == nil {
		t.Cleanup(func() { conn.Close() })
		_, err = io.WriteString(conn, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// reply reads the status and the body of a reply.
func reply(t *testing.T, conn net.Conn) string {
	t.Helper()
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(r.StatusCode, " ", string(body))
}

// The server has no time limits here, so a connection without an end keeps its slot for ever unless it gives way.
//
// covers: decision 125
func TestConnectionsThatWaitGiveWay(t *testing.T) {
	t.Parallel()
	proxies, err := ParseProxies([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	for rule, sent := range map[string]string{
		"nothing sent":         "",
		"a part of a header":   "POST / HTTP/1.1\r\nHost: a\r\nContent-",
		"a part of a body":     "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{",
		"one request, no more": "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			t.Run("of one address", func(t *testing.T) { givesWay(t, nil, sent) })
			t.Run("behind a proxy", func(t *testing.T) { givesWay(t, proxies, sent) })
		})
	}
}

// givesWay opens more connections than the server has slots. Each of them sends a text.
func givesWay(t *testing.T, proxies Proxies, sent string) {
	t.Helper()
	free, waiting := make(chan struct{}), new(sync.WaitGroup)
	waiting.Add(1)
	address := limitedServer(t, 8, proxies, free, waiting)
	running := dial(t, address, "POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody")
	waiting.Wait()
	for range 50 {
		dial(t, address, sent)
	}
	good := dial(t, address, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
	if got := reply(t, good); got != "200 read 3" {
		t.Errorf("a good request: %s", got)
	}
	close(free)
	if got := reply(t, running); got != "200 read 4" {
		t.Errorf("a request that was being answered: %s", got)
	}
}

// An address with a quarter of the slots gets no more, unless it is a trusted proxy.
//
// covers: decision 125
func TestAddressHasAQuarterOfTheConnections(t *testing.T) {
	t.Parallel()
	proxies, err := ParseProxies([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	for trusted, want := range map[bool]int{false: 2, true: 8} {
		free, waiting := make(chan struct{}), new(sync.WaitGroup)
		var p Proxies
		if trusted {
			p = proxies
		}
		address := limitedServer(t, 8, p, free, waiting)
		for range want {
			waiting.Add(1)
			dial(t, address, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
			waiting.Wait()
		}
		if !trusted {
			_, err := dial(t, address, "").Read(make([]byte, 1))
			if err == nil || strings.Contains(err.Error(), "timeout") {
				t.Errorf("connection %d of an address: error %v, want that the server closes it", want+1, err)
			}
		}
		close(free)
	}
}

// If all slots are in use, an address with many takes none of an address with few.
//
// covers: decision 125
func TestFloodTakesNoPlaceOfAnAddressWithFew(t *testing.T) {
	c := NewConnections(8, nil)
	admit := func(ip string) *connection {
		return c.admit(&fakeConn{remote: &net.TCPAddr{IP: net.ParseIP(ip), Port: 1}})
	}
	busy := func(ip string) *connection {
		added := admit(ip)
		added.update(func() { added.active, added.requests = true, 1 })
		return added
	}
	first := busy("192.0.2.1")
	for _, last := range []string{"1", "2", "2", "3", "3", "4"} {
		busy("192.0.2." + last)
	}
	few := admit("198.51.100.1")
	first.update(func() { first.requests-- }) // its handler is done
	busy("192.0.2.4")
	if few.closed || !first.closed {
		t.Errorf("closed: the connection of the address with one slot: %v, that of the one with two: %v; want the latter",
			few.closed, first.closed)
	}
	if admitted := busy("192.0.2.1"); admitted == nil || !few.closed {
		t.Error("an address with as few slots got none")
	}
}

type fakeConn struct {
	net.Conn
	remote net.Addr
}

func (f *fakeConn) RemoteAddr() net.Addr { return f.remote }

func (f *fakeConn) Close() error { return nil }
