package httpserver

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// This file limits the connections of the HTTP server. A connection waits while the server needs its client: to send a
// request or the rest of one, or to read the reply. If all slots are in use, a new connection gets the slot of one that
// waits. A connection of HTTP/2 needs a slot for each request that runs. decisions.md: 125

// Connections are the open connections of a server.
type Connections struct {
	most    int // of all addresses
	share   int // of one address
	proxies Proxies

	mu      sync.Mutex // guards the fields below, and those of connection and peer
	changed *sync.Cond // a connection was closed or began to wait, or the listener was closed
	open    int
	peers   map[netip.Addr]*peer
	closed  bool
}

// peer is an address with open connections. An IPv6 address stands for its network of 48 bits, which one customer of a
// provider can have.
type peer struct {
	open    int       // slots
	waiting list.List // of *connection, the one that waits longest first
}

// connection is an accepted connection.
type connection struct {
	net.Conn
	of       *Connections
	address  netip.Addr
	element  *list.Element // in peer.waiting; nil: it does not wait
	active   bool          // a request has arrived, and its reply is not complete
	requests int           // that handlers answer
	blocked  int           // of them, those that wait for the client
	further  int           // slots of the requests after the first
	closed   bool
}

// NewConnections returns a limit of most connections. One address has at most a quarter of them, but not a trusted proxy.
func NewConnections(most int, proxies Proxies) *Connections {
	c := &Connections{most: most, share: max(1, most/4), proxies: proxies, peers: make(map[netip.Addr]*peer)}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// Limit returns a listener whose connections count.
func (c *Connections) Limit(l net.Listener) net.Listener { return &limitedListener{l, c} }

type limitedListener struct {
	net.Listener
	of *Connections
}

// Accept returns the next connection. If all slots are in use and no connection waits, it returns when one does.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.of.admit(accepted); c != nil {
			return c, nil
		}
		accepted.Close() // its address has its share, or the listener is closed
	}
}

func (l *limitedListener) Close() error {
	l.of.mu.Lock()
	l.of.closed = true
	l.of.changed.Broadcast()
	l.of.mu.Unlock()
	return l.Listener.Close()
}

// admit gives a connection a slot. It returns nil if the address has its share and none of its connections waits.
func (c *Connections) admit(accepted net.Conn) *connection {
	address := addressOf(accepted.RemoteAddr())
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hasShare(address) {
		return nil
	}
	for !c.hasSlot(address) {
		if c.closed {
			return nil
		}
		c.changed.Wait()
	}
	p := c.peers[address]
	if p == nil {
		p = new(peer)
		c.peers[address] = p
	}
	p.open++
	c.open++
	added := &connection{Conn: accepted, of: c, address: address}
	added.element = p.waiting.PushBack(added)
	return added
}

// hasShare reports whether an address may have one more slot of its share. It closes one of its connections that waits
// if that is necessary. The caller holds c.mu.
func (c *Connections) hasShare(address netip.Addr) bool {
	p := c.peers[address]
	return p == nil || p.open < c.share || c.proxies.trusts(address) || c.evict(p)
}

// hasSlot reports whether a slot is free for an address. It closes a connection that waits if that is necessary. The
// caller holds c.mu.
func (c *Connections) hasSlot(address netip.Addr) bool {
	own := 0
	if p := c.peers[address]; p != nil {
		own = p.open
	}
	return c.open < c.most || c.evict(c.largest(own))
}

// largest returns the address with the largest number of slots, at least so many, of those with a connection that waits.
// So a flood takes no slot of an address with few. The caller holds c.mu.
func (c *Connections) largest(least int) (largest *peer) {
	for _, p := range c.peers {
		if p.waiting.Len() > 0 && p.open >= least && (largest == nil || p.open > largest.open) {
			largest = p
		}
	}
	return largest
}

// evict closes the connection of an address that has waited longest. It returns false if none waits. The caller holds
// c.mu.
func (c *Connections) evict(p *peer) bool {
	if p == nil || p.waiting.Len() == 0 {
		return false
	}
	victim := p.waiting.Front().Value.(*connection)
	victim.leave()
	victim.Conn.Close() // the server notices it when it reads, and closes the connection once more
	return true
}

// addressOf returns the address that stands for the other end of a connection.
func addressOf(remote net.Addr) netip.Addr {
	port, err := netip.ParseAddrPort(remote.String())
	if err != nil {
		return netip.Addr{}
	}
	address := plain(port.Addr())
	if address.Is6() {
		return netip.PrefixFrom(address, 48).Masked().Addr()
	}
	return address
}

// leave gives the slot back. The caller holds c.of.mu.
func (c *connection) leave() {
	if c.closed {
		return
	}
	c.closed = true
	p := c.of.peers[c.address]
	if c.element != nil {
		p.waiting.Remove(c.element)
		c.element = nil
	}
	p.open -= 1 + c.further
	if p.open == 0 {
		delete(c.of.peers, c.address)
	}
	c.of.open -= 1 + c.further
	c.of.changed.Broadcast()
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.of.mu.Lock()
	c.leave()
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// update applies a change to the connection, and notes whether it waits now.
func (c *connection) update(change func()) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	change()
	if c.closed {
		return
	}
	waiting := &c.of.peers[c.address].waiting
	switch waits := !c.active || c.blocked == c.requests; {
	case waits && c.element == nil:
		c.element = waiting.PushBack(c)
		c.of.changed.Signal()
	case !waits && c.element != nil:
		waiting.Remove(c.element)
		c.element = nil
	}
}

// State is the hook http.Server.ConnState.
func (c *Connections) State(conn net.Conn, state http.ConnState) {
	if counted := counted(conn); counted != nil && (state == http.StateActive || state == http.StateIdle) {
		counted.update(func() { counted.active = state == http.StateActive })
	}
}

// counted returns the connection below TLS, or nil if it is not of a Connections.
func counted(conn net.Conn) *connection {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	c, _ := conn.(*connection)
	return c
}

type connectionKey struct{}

// Context is the hook http.Server.ConnContext. With it, Deadlines knows the connection of a request.
func (c *Connections) Context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, counted(conn))
}

// connectionOf returns the connection of a request, or nil if it is not of a Connections. All methods that follow do
// nothing for nil.
func connectionOf(r *http.Request) *connection {
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	return c
}

// begin counts a request until end is called. It returns false if there is no slot for it.
func (c *connection) begin() (ok bool) {
	if c == nil {
		return true
	}
	c.update(func() {
		if ok = c.requests == 0 || c.takeSlot(); ok {
			c.requests++
		}
	})
	return ok
}

// takeSlot takes a slot for a further request, and returns false if there is none. The caller holds c.of.mu.
func (c *connection) takeSlot() bool {
	if c.closed || !c.of.hasShare(c.address) || !c.of.hasSlot(c.address) || c.closed { // it may have closed itself
		return false
	}
	c.further++
	c.of.open++
	c.of.peers[c.address].open++
	return true
}

func (c *connection) end() {
	if c == nil {
		return
	}
	c.update(func() {
		c.requests--
		if c.further > 0 && !c.closed {
			c.further--
			c.of.open--
			c.of.peers[c.address].open--
			c.of.changed.Signal()
		}
	})
}

// block notes that a request waits for the client until the returned function is called.
func (c *connection) block() (unblock func()) {
	if c == nil {
		return func() {}
	}
	c.update(func() { c.blocked++ })
	return func() { c.update(func() { c.blocked-- }) }
}
