package rpc

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"enlist/internal/audience"
)

// paramsReader reads params in two steps, so that nothing is made of what a
// caller without a key sends. decisions.md: 13
type paramsReader struct {
	tree
	raw []byte
	key value
	err error // of reading the key
}

func newParamsReader(s *source, a *arena, raw []byte) *paramsReader {
	if raw == nil {
		raw = []byte("[]")
	}
	r := &paramsReader{tree: tree{arena: a, dec: s.strict(raw)}, raw: raw, key: value{kind: kNull}}
	r.dec.ReadToken() // the bracket: the envelope has seen it
	switch kind := r.dec.PeekKind(); kind {
	case ']':
	case kString:
		r.key.kind = kString
		quoted, err := r.dec.ReadValue()
		if err != nil {
			r.err = err
			return r
		}
		var text []byte
		text, r.err = unquote(quoted)
		r.key.text = string(text)
	default:
		r.key.kind = kind
	}
	return r
}

// rest reads the parameters, api_key first.
func (r *paramsReader) rest(names []string) ([]value, error) {
	r.text = string(r.raw)
	mark := len(r.open)
	r.open = append(r.open, r.key)
	for n := 1; r.dec.PeekKind() != ']'; n++ {
		v, err := r.read(3) // in params, in the request
		if err != nil {
			refused := *strictly(err)
			refused.code = shapeCode(names, n)
			refused.position = n + 1
			return nil, &refused
		}
		r.open = append(r.open, v)
	}
	return r.keep(mark), nil
}

var errNoKey = audience.Refuse(audience.MissingKey, "")

// authenticate finds the Caller of a key. decisions.md: 11
func (h *Handler) authenticate(ctx context.Context, r *paramsReader) (*audience.Caller, error) {
	switch {
	case r.key.kind != kString || r.err == nil && r.key.text == "":
		return nil, errNoKey
	case r.err != nil:
		return nil, audience.ErrInvalidKey
	}
	return h.service.Authenticate(ctx, r.key.text)
}

// holdBack delays the reply to an address that tries one key after another.
// A call with a good key is never delayed. decisions.md: 12
func (x *exchange) holdBack() {
	if x.bad == 0 || x.good > 0 {
		return
	}
	x.handler.failures.hold(x.request.Context(), address(x.request.RemoteAddr), x.bad)
}

// address is what failures are counted by: the remote address, of IPv6 the network.
func address(remote string) netip.Addr {
	port, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{} // not an IP connection: all such count together
	}
	addr := port.Addr().Unmap().WithZone("")
	if addr.Is6() {
		if network, err := addr.Prefix(64); err == nil {
			return network.Addr()
		}
	}
	return addr
}

// How failed keys are slowed down. decisions.md: 12
const (
	freeFailures  = 20 // in a minute
	failureWindow = time.Minute
	delayStep     = 100 * time.Millisecond // for each failure more
	maxDelay      = 2 * time.Second
	maxWaiting    = 1000   // held at once; others are answered at once
	maxAddresses  = 10_000 // remembered at once
)

// failures counts failed keys by address.
type failures struct {
	now     func() time.Time
	mu      sync.Mutex
	seen    map[netip.Addr]window
	waiting int
}

// window is a minute in which an address failed.
type window struct {
	since time.Time
	count int
}

// hold counts failures of an address and waits as long as it has deserved.
func (f *failures) hold(ctx context.Context, from netip.Addr, failed int) {
	delay := f.note(from, failed)
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

// note counts failures and returns how long their answer waits. When that is
// not 0, the caller counts as waiting.
func (f *failures) note(from netip.Addr, failed int) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	w, ok := f.seen[from]
	if !ok {
		f.makeRoom(now)
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

// makeRoom forgets addresses when there are many: those whose minute is over,
// else any one.
func (f *failures) makeRoom(now time.Time) {
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
