// Package limiter limits what operations use at the same time: slots or bytes of memory.
// Searches, streamed replies, calls, webhooks, request bodies, mails in memory and
// connections to the mail server have separate Limiters.
package limiter

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// ErrBusy means that too few units became free within the longest wait of the Limiter.
var ErrBusy = errors.New("too many operations at once")

// Limiter is a weighted semaphore. Operations get units in the order of their requests. A
// Limiter of NewShared also limits the units of each owner, so that an owner with many
// operations does not stop the operations of other owners. A nil Limiter has no limit.
type Limiter struct {
	size  int64 // units of all owners together
	share int64 // units of one owner
	wait  time.Duration

	mu      sync.Mutex // guards the fields below
	used    int64
	of      map[int64]int64 // units in use by owner; nil if owners have no limit
	waiting []*request      // the oldest first
	freed   chan struct{}   // closed by the next Release; nil if no AcquireSpare waits
	waits   int64           // operations that had to wait
	refused int64           // operations that got ErrBusy
}

// request is an operation that waits for units.
type request struct {
	owner, n int64
	granted  chan struct{} // closed when the operation has its units
}

// New returns a Limiter for n operations at the same time. wait is the longest time that
// an operation waits for a slot. If wait is 0, only its context ends the wait.
func New(n int, wait time.Duration) *Limiter {
	return &Limiter{size: int64(n), share: int64(n), wait: wait}
}

// NewShared returns a Limiter of size units. One owner gets at most share of them. The owner 0
// has no such limit.
func NewShared(size, share int64, wait time.Duration) *Limiter {
	return &Limiter{size: size, share: share, wait: wait, of: make(map[int64]int64)}
}

// Half returns the share of an owner that may have half of the units, but at least one.
func Half(size int64) int64 { return (size + 1) / 2 }

// Acquire waits for a slot. The caller must call release to free the slot. Acquire
// returns ErrBusy if no slot became free within the longest wait. It returns the error
// of the context if the context ends first.
func (l *Limiter) Acquire(ctx context.Context) (release func(), err error) {
	return l.AcquireFor(ctx, 0, 1)
}

// AcquireFor is like Acquire, for n units and an owner. The owner must not ask for more
// than its share, because it would never get so many units.
func (l *Limiter) AcquireFor(ctx context.Context, owner, n int64) (release func(), err error) {
	if err := l.acquire(ctx, owner, n); err != nil {
		return nil, err
	}
	return func() { l.Release(owner, n) }, nil
}

// TryFor is like AcquireFor, for one unit, but does not wait. It returns false if the unit is not free.
func (l *Limiter) TryFor(owner int64) (release func(), ok bool) {
	if l != nil && !l.try(owner, 1) {
		return nil, false
	}
	return func() { l.Release(owner, 1) }, true
}

// Do waits for a slot, runs fn and frees the slot. If Do gets no slot, it does not run
// fn, and returns the same error as Acquire.
func (l *Limiter) Do(ctx context.Context, fn func() error) error { return l.DoFor(ctx, 0, fn) }

// DoFor is like Do, for an owner.
func (l *Limiter) DoFor(ctx context.Context, owner int64, fn func() error) error {
	if err := l.acquire(ctx, owner, 1); err != nil {
		return err
	}
	defer l.Release(owner, 1)
	return fn()
}

// Release frees units of an owner. Callers of AcquireFor may use it instead of the function
// release, to free a part of their units early.
func (l *Limiter) Release(owner, n int64) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used -= n
	if l.freed != nil {
		close(l.freed)
		l.freed = nil
	}
	if l.of != nil {
		l.of[owner] -= n
		if l.of[owner] == 0 {
			delete(l.of, owner)
		}
	}
	l.grant()
}

// acquire waits for units.
func (l *Limiter) acquire(ctx context.Context, owner, n int64) error {
	if l == nil || l.try(owner, n) {
		return nil
	}
	r := l.enqueue(owner, n)
	var expired <-chan time.Time // stays nil if the wait has no limit
	if l.wait > 0 {
		timer := time.NewTimer(l.wait)
		defer timer.Stop()
		expired = timer.C
	}
	var err error
	select {
	case <-r.granted:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-expired:
		err = ErrBusy
	}
	if !l.cancel(r, err) {
		l.Release(owner, n) // the units were granted at the same moment
	}
	return err
}

// try takes units if they are free and no older request waits.
func (l *Limiter) try(owner, n int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) > 0 || !l.fits(owner, n) {
		return false
	}
	l.take(owner, n)
	return true
}

// fits reports whether units are free for the owner. The caller holds l.mu.
func (l *Limiter) fits(owner, n int64) bool {
	return l.used+n <= l.size && !l.exceedsShare(owner, n)
}

// exceedsShare reports whether the owner would have more than its share. The caller holds l.mu.
func (l *Limiter) exceedsShare(owner, n int64) bool {
	return l.of != nil && owner != 0 && l.of[owner]+n > l.share
}

// take gives units to an owner. The caller holds l.mu.
func (l *Limiter) take(owner, n int64) {
	l.used += n
	if l.of != nil {
		l.of[owner] += n
	}
}

// enqueue adds a request at the end of the queue.
func (l *Limiter) enqueue(owner, n int64) *request {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &request{owner, n, make(chan struct{})}
	l.waiting = append(l.waiting, r)
	l.waits++
	l.grant() // units may have become free after try
	return r
}

// cancel removes a request from the queue because of an error. It returns false if the request was granted.
func (l *Limiter) cancel(r *request, why error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if why == ErrBusy {
		l.refused++
	}
	i := slices.Index(l.waiting, r)
	if i < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	l.grant() // the request may have been the first, and a later request may need fewer units
	return true
}

// grant gives units to the requests that wait, in their order. A request that does not fit
// delays the later requests of its owner. If its owner has its share, other owners do not
// wait for it. Otherwise it delays all later requests, so that a large request gets its
// units. The caller holds l.mu.
func (l *Limiter) grant() {
	if len(l.waiting) == 0 {
		return
	}
	var full map[int64]bool // owners whose requests wait for units of the same owner
	kept := l.waiting[:0]
	for i, r := range l.waiting {
		switch {
		case full[r.owner]:
			kept = append(kept, r)
		case l.fits(r.owner, r.n):
			l.take(r.owner, r.n)
			close(r.granted)
		case l.exceedsShare(r.owner, r.n):
			if full == nil {
				full = make(map[int64]bool)
			}
			full[r.owner] = true
			kept = append(kept, r)
		default:
			l.keep(append(kept, l.waiting[i:]...))
			return
		}
	}
	l.keep(kept)
}

// keep makes kept, which has the same array as l.waiting, the queue. The caller holds l.mu.
func (l *Limiter) keep(kept []*request) {
	clear(l.waiting[len(kept):]) // for the garbage collector
	l.waiting = kept
}

// Networks returns what counts as one visitor and as one network: 32 and 24 bits of an IPv4 address, or 64 and 48 bits of
// an IPv6 address, since one customer of a provider can have 48 bits. They are "" for a text that is no address.
func Networks(ip string) (visitor, network string) {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return "", ""
	}
	one, many := 64, 48
	if addr = addr.Unmap(); addr.Is4() {
		one, many = 32, 24
	}
	single, _ := addr.Prefix(one) // the numbers of bits fit
	group, _ := addr.Prefix(many)
	return single.String(), group.String()
}

// Stats are the numbers of a Limiter since its start.
type Stats struct {
	Used    int64 // units in use now
	Size    int64 // units of all owners together
	Waits   int64 // operations that had to wait
	Refused int64 // operations that got ErrBusy
}

// Stats returns the numbers of the Limiter.
func (l *Limiter) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{l.used, l.size, l.waits, l.refused}
}

// Hits returns the metric that counts the refused operations of the Limiter. name is the value of the label.
func (l *Limiter) Hits(name string) prometheus.Collector {
	return NewHits(name, func() int64 { return l.Stats().Refused })
}

// NewHits is Hits for a limit of another kind.
func NewHits(name string, count func() int64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "enlist_limit_hits_total", Help: "Operations that this process refused or ended because of one of its limits.",
		ConstLabels: prometheus.Labels{"limit": name},
	}, func() float64 { return float64(count()) })
}

// AcquireSpare waits until fewer than most units are in use and no other operation waits for
// units. Then it takes one. Only the context ends the wait.
func (l *Limiter) AcquireSpare(ctx context.Context, most int) (release func(), err error) {
	for {
		freed := l.trySpare(int64(most))
		if freed == nil {
			return func() { l.Release(0, 1) }, nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// trySpare takes a unit and returns nil. If no unit is spare, it returns a channel that the next
// Release closes.
func (l *Limiter) trySpare(most int64) (freed <-chan struct{}) {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 && l.used < most && l.fits(0, 1) {
		l.take(0, 1)
		return nil
	}
	if l.freed == nil {
		l.freed = make(chan struct{})
	}
	return l.freed
}
