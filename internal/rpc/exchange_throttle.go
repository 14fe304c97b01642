package rpc

import (
	"context"
	"math"
	"net/netip"
	"sync"
	"time"
)

// This file delays the replies to an IP address that sends many invalid keys, so that a client
// cannot guess keys quickly. The reply to a request with a valid key is never delayed.
// reference.md: auth.delay

// Limits of the delay. reference.md: auth.delay
const (
	freeFailures  = 20 // number of failures in a failureWindow that cause no delay
	failureWindow = time.Minute
	delayStep     = 100 * time.Millisecond // added to the delay for each further failure
	maxDelay      = 2 * time.Second
	maxWaiting    = 1000   // delayed replies at the same time; further replies are sent without delay
	maxAddresses  = 10_000 // addresses in memory at the same time

	evictionChoice = 16 // addresses of which one is removed: comparing all would take 100 us for each new one
)

// throttle delays the reply to a request that had invalid keys and no valid key.
func (x *exchange) throttle() {
	if x.badKeys == 0 || x.goodKeys > 0 {
		return
	}
	x.handler.failures.wait(x.request.Context(), clientAddress(x.request.RemoteAddr), x.badKeys)
}

// clientAddress returns the address for which failures are counted: an IPv4 address, or the /64
// network of an IPv6 address. One IPv6 client can use all addresses of its /64 network. It returns
// the zero Addr for a connection without an IP address, such as a Unix socket, so all such
// connections are counted together.
func clientAddress(remote string) netip.Addr {
	port, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	addr := port.Addr().Unmap().WithZone("")
	if addr.Is6() {
		if network, err := addr.Prefix(64); err == nil {
			return network.Addr()
		}
	}
	return addr
}

// failures counts the calls with an invalid or missing key, separately for each address. It does
// not count them if another call of the same request had a valid key.
type failures struct {
	now     func() time.Time
	mu      sync.Mutex // guards seen and waiting
	seen    map[netip.Addr]window
	waiting int // number of replies that are delayed now
}

// window counts the failures of one address in a period of failureWindow.
type window struct {
	since time.Time
	count int
}

// wait adds failures of an address and waits for the resulting delay, or until ctx ends.
func (f *failures) wait(ctx context.Context, from netip.Addr, failed int) {
	delay := f.count(from, failed)
	if delay == 0 {
		return
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	f.mu.Lock()
	f.waiting--
	f.mu.Unlock()
}

// count adds failures of an address and returns the delay of the reply. If the delay is not 0,
// count has incremented f.waiting, and the caller of count must decrement f.waiting later.
func (f *failures) count(from netip.Addr, failed int) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	w, ok := f.seen[from]
	if f.seen == nil {
		f.seen = make(map[netip.Addr]window)
	}
	if !ok {
		f.evict(now)
	}
	if !ok || now.Sub(w.since) >= failureWindow {
		w = window{since: now}
	}
	w.count += failed
	f.seen[from] = w
	if w.count <= freeFailures || f.waiting >= maxWaiting {
		return 0
	}
	f.waiting++
	return min(time.Duration(w.count-freeFailures)*delayStep, maxDelay)
}

// evict makes space for one more address, if maxAddresses addresses are stored. Of some of them, it removes one whose
// window is over, or else the one with the fewest failures: calls from many addresses must not make the server forget
// an address whose replies are delayed. The caller holds f.mu.
func (f *failures) evict(now time.Time) {
	if len(f.seen) < maxAddresses {
		return
	}
	var chosen netip.Addr
	fewest, compared := math.MaxInt, 0
	for addr, w := range f.seen { // begins at a random one
		if now.Sub(w.since) >= failureWindow {
			w.count = 0
		}
		if w.count < fewest {
			chosen, fewest = addr, w.count
		}
		if compared++; compared == evictionChoice {
			break
		}
	}
	delete(f.seen, chosen)
}
