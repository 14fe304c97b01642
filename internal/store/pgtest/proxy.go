package pgtest

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Proxy stands between a client and a server, and is a bad line on demand.
type Proxy struct {
	dir              string // of its socket
	network, address string // of the server
	cutAfterNext     atomic.Bool
	delay            atomic.Int64
	wg               sync.WaitGroup

	mu      sync.Mutex
	talking chan struct{} // closed while it passes on what comes
}

// NewProxy makes a Proxy to the server at a URL. It ends with the test, before
// which its clients have to be closed.
func NewProxy(t testing.TB, to string) *Proxy {
	t.Helper()
	config, err := pgx.ParseConfig(to)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{talking: make(chan struct{})}
	close(p.talking)
	p.network, p.address = pgconn.NetworkAddress(config.Host, config.Port)
	if p.dir, err = os.MkdirTemp("", "proxy-"); err != nil { // a socket's path is short
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(p.dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	p.wg.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.wg.Go(func() { p.pass(client) })
		}
	})
	t.Cleanup(func() {
		p.Talk()
		listener.Close()
		p.wg.Wait()
		os.RemoveAll(p.dir)
	})
	return p
}

// URL is that of a database, given by its URL on the server, by way of the Proxy.
func (p *Proxy) URL(of string) string {
	u, err := url.Parse(of)
	if err != nil {
		return of
	}
	u.Host = ""
	q := u.Query()
	q.Set("host", p.dir)
	q.Set("port", "5432")
	u.RawQuery = q.Encode()
	return u.String()
}

// CutAfterNext passes on what a client says next, and cuts its line before the
// answer can come.
func (p *Proxy) CutAfterNext() { p.cutAfterNext.Store(true) }

// Delay holds up what is said from now on, each way.
func (p *Proxy) Delay(d time.Duration) { p.delay.Store(int64(d)) }

// FallSilent keeps lines open and takes new ones, but nothing comes through
// until Talk.
func (p *Proxy) FallSilent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.talking:
		p.talking = make(chan struct{})
	default:
	}
}

// Talk ends a silence: what was held back comes through.
func (p *Proxy) Talk() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.talking:
	default:
		close(p.talking)
	}
}

func (p *Proxy) pass(client net.Conn) {
	server, err := net.Dial(p.network, p.address)
	if err != nil {
		client.Close()
		return
	}
	end := func() { client.Close(); server.Close() }
	p.wg.Go(func() {
		defer end()
		p.carry(client, server, func() bool { return false })
	})
	defer end()
	p.carry(server, client, func() bool { return p.cutAfterNext.CompareAndSwap(true, false) })
}

// piece is what was said at once, and when it may arrive.
type piece struct {
	said []byte
	due  time.Time
}

// carry passes on until the line breaks, or until it is to be cut.
func (p *Proxy) carry(to, from net.Conn, cuts func() bool) {
	pieces := make(chan piece, 64)
	p.wg.Go(func() {
		defer close(pieces)
		for {
			b := make([]byte, 16<<10)
			n, err := from.Read(b)
			if err != nil {
				return
			}
			cut := cuts()
			if cut {
				from.Close()
			}
			pieces <- piece{b[:n], time.Now().Add(time.Duration(p.delay.Load()))}
			if cut {
				return
			}
		}
	})
	for piece := range pieces {
		p.hold(piece.due)
		if _, err := to.Write(piece.said); err != nil {
			from.Close() // what is left has nowhere to go
		}
	}
}

// hold waits for a time, and for the end of a silence.
func (p *Proxy) hold(due time.Time) {
	if wait := time.Until(due); wait > 0 {
		<-time.After(wait)
	}
	p.mu.Lock()
	talking := p.talking
	p.mu.Unlock()
	<-talking
}
