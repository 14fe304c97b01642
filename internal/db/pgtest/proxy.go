package pgtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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
	cutCommit        atomic.Pointer[func() Cut]
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

// Cut says what a Proxy does with a connection whose client has sent COMMIT.
type Cut int

// The values of Cut. After CutBefore the server has not received COMMIT, after CutAfter it has. In both cases the
// client gets no reply.
const (
	NoCut Cut = iota
	CutBefore
	CutAfter
)

// CutCommits makes the Proxy call choose for each COMMIT of a client, also at the same time, and when a client only
// prepares COMMIT.
func (p *Proxy) CutCommits(choose func() Cut) { p.cutCommit.Store(&choose) }

// commitName is the name under which pgx prepares the statement COMMIT, and so part of each message that executes it.
var commitName = func() []byte {
	digest := sha256.Sum256([]byte("COMMIT"))
	return []byte("stmtcache_" + hex.EncodeToString(digest[:24]))
}()

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
		p.carry(client, server, func([]byte) Cut {
			p.answered.Store(true)
			return NoCut
		})
	})
	defer end()
	p.carry(server, client, func(data []byte) Cut {
		if p.answered.CompareAndSwap(true, false) {
			p.roundTrips.Add(1)
		}
		if choose := p.cutCommit.Load(); choose != nil && bytes.Contains(data, commitName) {
			return (*choose)()
		}
		return NoCut
	})
}

// piece is the data of one read, and the earliest time to forward it.
type piece struct {
	data []byte
	due  time.Time
}

// carry forwards data in one direction until the connection ends. After each read it calls cuts. After CutAfter it
// forwards this data and closes the connection, after CutBefore it does not forward the data.
func (p *Proxy) carry(to, from net.Conn, cuts func([]byte) Cut) {
	pieces := make(chan piece, 64)
	p.wg.Go(func() {
		defer close(pieces)
		for {
			b := make([]byte, 16<<10)
			n, err := from.Read(b)
			if err != nil {
				return
			}
			cut := cuts(b[:n])
			if cut != NoCut {
				from.Close()
			}
			if cut != CutBefore {
				pieces <- piece{b[:n], time.Now().Add(time.Duration(p.delay.Load()))}
			}
			if cut != NoCut {
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
