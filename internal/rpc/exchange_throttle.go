// This file slows an address down that tries one wrong key after another. Only
// the reply waits; a call with a good key is never delayed. decisions.md: 12

package rpc

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// Limits of the delay. decisions.md: 12
const (
	freeFailures  = 20 // in a failureWindow, answered at once
	failureWindow = time.Minute
	delayStep     = 100 * time.Millisecond // for each further failure
	maxDelay      = 2 * time.Second
	maxWaiting    = 1000   // replies that wait at the same time; further ones go out at once
	maxAddresses  = 10_000 // remembered at the same time
)

// throttle delays the reply to requests in which no key was good.
func (x *exchange) throttle() {
	if x.bad == 0 || x.good > 0 {
		return
	}
	x.handler.failures.hold(x.request.Context(), clientAddress(x.request.RemoteAddr), x.bad)
}

// clientAddress is the address by which failures are counted: the remote
// address, of IPv6 its /64 network. A connection without an IP address has the
// zero Addr, so all such connections count together.
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

// failures counts failed keys by address.
type failures struct {
	now     func() time.Time
	mu      sync.Mutex
	seen    map[netip.Addr]window
	waiting int
}

// window is a period of failureWindow in which an address failed.
type window struct {
	since time.Time
	count int
}

// hold counts failures of an address and waits for the delay that they cause.
func (f *failures) hold(ctx context.Context, from netip.Addr, failed int) {
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

// count adds failures and returns how long the reply waits. A result other than
// 0 has increased f.waiting.
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

// evict makes space for an address when maxAddresses are remembered: first it
// removes those whose window is over, then arbitrary ones. f.mu is held.
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
