// This file delays the replies to an address that sends many invalid keys, so that keys
// cannot be guessed quickly. A call with a valid key is never delayed. decisions.md: 12

package rpc

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// Limits of the delay. decisions.md: 12
const (
	freeFailures  = 20 // failures in a failureWindow that cause no delay
	failureWindow = time.Minute
	delayStep     = 100 * time.Millisecond // for each further failure
	maxDelay      = 2 * time.Second
	maxWaiting    = 1000   // delayed replies at the same time; further replies are sent at once
	maxAddresses  = 10_000 // remembered at the same time
)

// throttle delays the reply to a request that had invalid keys and no valid key.
func (x *exchange) throttle() {
	if x.badKeys == 0 || x.goodKeys > 0 {
		return
	}
	x.handler.failures.wait(x.request.Context(), clientAddress(x.request.RemoteAddr), x.badKeys)
}

// clientAddress returns the address for which failures are counted: an IPv4 address or the
// /64 network of an IPv6 address, since one client has a whole /64. A connection without
// an IP address (a Unix socket) has the zero Addr; all of these are counted together.
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

// failures counts invalid and missing keys by address.
type failures struct {
	now     func() time.Time
	mu      sync.Mutex // guards seen and waiting
	seen    map[netip.Addr]window
	waiting int // replies that are delayed now
}

// window is a period of failureWindow in which an address failed.
type window struct {
	since time.Time
	count int
}

// wait counts failures of an address and waits for the resulting delay, or until ctx ends.
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

// count adds failures and returns the delay of the reply. If the delay is not 0, count has
// incremented f.waiting, and its caller must decrement it.
func (f *failures) count(from netip.Addr, failed int) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	w, ok := f.seen[from]
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

// evict makes space for one more address. If maxAddresses are stored, it removes the
// addresses whose window is over, and then arbitrary ones. The caller holds f.mu.
func (f *failures) evict(now time.Time) {
	if f.seen == nil {
		f.seen = make(map[netip.Addr]window)
	}
	if len(f.seen) < maxAddresses {
		return
	}
	for addr, w := range f.seen {
		if now.Sub(w.since) >= failureWindow {
			delete(f.seen, addr)
		}
	}
	for addr := range f.seen {
		if len(f.seen) < maxAddresses {
			return
		}
		delete(f.seen, addr)
	}
}
