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

// This file has a network proxy between a client and a server. A test can make its
// connections fail.

// Proxy forwards connections to a server. A test can cut them, delay their data, or
// stop all data.
type Proxy struct {
	dir              string // the folder of its socket
	network, address string // of the server
	cutAfterNext     atomic.Bool
	answered         atomic.Bool  // the last data came from the server
	roundTrips       atomic.Int64 // see RoundTrips
	delay            atomic.Int64 // nanoseconds, in each direction
	wg               sync.WaitGroup

	mu      sync.Mutex
	talking chan struct{} // a closed channel while data is forwarded; an open channel between FallSilent and Talk
}

// NewProxy starts a Proxy to the server at a URL. The Proxy stops at the end of the
// test. The test must close its clients before that.
func NewProxy(t testing.TB, to string) *Proxy {
	t.Helper()
	config, err := pgx.ParseConfig(to)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{talking: make(chan struct{})}
	close(p.talking)
	p.network, p.address = pgconn.NetworkAddress(config.Host, config.Port)
	// The path of t.TempDir can be too long for a Unix socket, which allows about 100 bytes.
	p.dir, err = os.MkdirTemp("", "proxy-")
	if err != nil {
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

// URL takes the URL of a database on the server. It returns a URL with which a client
// connects to the same database through the Proxy.
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

// CutAfterNext makes the Proxy forward the next data of a client, and then close the
// connection of this client before the server can answer.
func (p *Proxy) CutAfterNext() { p.cutAfterNext.Store(true) }

// RoundTrips returns how often a client has sent data after data of the server. If several connections
// are in use at the same time, the number is too small.
func (p *Proxy) RoundTrips() int64 { return p.roundTrips.Load() }

// Delay makes the Proxy forward all later data after the time d, in each direction.
func (p *Proxy) Delay(d time.Duration) { p.delay.Store(int64(d)) }

// FallSilent keeps connections open and accepts new ones, but forwards nothing until
// Talk is called.
func (p *Proxy) FallSilent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.talking:
		p.talking = make(chan struct{})
	default:
	}
}

// Talk ends the effect of FallSilent. The Proxy then forwards the data that waited.
func (p *Proxy) Talk() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.talking:
	default:
		close(p.talking)
	}
}

// pass connects a client with the server until one of them closes.
func (p *Proxy) pass(client net.Conn) {
	server, err := net.Dial(p.network, p.address)
	if err != nil {
		client.Close()
		return
	}
	end := func() { client.Close(); server.Close() }
	p.wg.Go(func() {
		defer end()
		p.carry(client, server, func() bool {
			p.answered.Store(true)
			return false
		})
	})
	defer end()
	p.carry(server, client, func() bool {
		if p.answered.CompareAndSwap(true, false) {
			p.roundTrips.Add(1)
		}
		return p.cutAfterNext.CompareAndSwap(true, false)
	})
}

// piece is the data of one read, and the earliest time to forward it.
type piece struct {
	data []byte
	due  time.Time
}

// carry forwards data in one direction until the connection ends. After each read it calls
// cuts. If cuts returns true, carry forwards this data and closes the connection.
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
		if _, err := to.Write(piece.data); err != nil {
			from.Close() // the rest cannot be forwarded
		}
	}
}

// hold waits until the time due. After FallSilent it also waits for Talk.
func (p *Proxy) hold(due time.Time) {
	if wait := time.Until(due); wait > 0 {
		<-time.After(wait)
	}
	p.mu.Lock()
	talking := p.talking
	p.mu.Unlock()
	<-talking
}
