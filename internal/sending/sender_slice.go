package sending

import (
	"context"
	"slices"
	"sync"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file has the slices that this process has leased.

// instant is a time on both clocks of the machine: what it shows, which can be set, and the steady one, which on Linux
// does not count the time in which the machine sleeps.
type instant struct{ shown, steady time.Time }

// instant returns the time now.
func (b *BatchSender) instant() instant { return instant{shown: b.now().Round(0), steady: time.Now()} }

// since returns the time that has passed, by the clock that says more. A clock that was put back counts too: other
// processes may compare the end of a lease with it.
func (i instant) since(earlier instant) time.Duration {
	return max(i.shown.Sub(earlier.shown).Abs(), i.steady.Sub(earlier.steady))
}

// heldSlice is a leased slice. Several workers take recipients from it.
type heldSlice struct {
	leased *LeasedSlice

	mu      sync.Mutex
	left    []recipients.Recipient // not taken yet
	waiting []recipients.Recipient // without tokens; only the leasing goroutine adds some
	again   time.Time              // when the recipients of a released slice may get tokens; zero if it was not released for this

	granting bool                   // the leasing goroutine takes tokens for waiting
	tokens   time.Time              // when the first tokens were taken; zero: the mails need none
	unused   []recipients.Recipient // with tokens, and their mails were not handed over

	deferredUntil time.Time // when a slice with waiting recipients is released; only the leasing goroutine uses it
	running       int       // taken and not reported
	released      bool
	abandoned     bool
	noServer      bool    // the mail server does not answer
	renewed       instant // when the last renewal of the lease began
}

// take returns the next recipients, at most n. It returns none if all are taken.
func (s *heldSlice) take(n int) []recipients.Recipient {
	s.mu.Lock()
	defer s.mu.Unlock()
	part := s.left[:min(n, len(s.left))]
	s.left = s.left[len(part):]
	s.running += len(part)
	return part
}

// reported says that n taken recipients are stored.
func (s *heldSlice) reported(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running -= n
}

// abandon makes the workers take no further recipient, and hand no further mail over. It does not change a finished
// slice, which finishIfDone reads.
func (s *heldSlice) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released {
		return
	}
	s.unused = append(s.unused, s.left...)
	s.left, s.waiting, s.abandoned = nil, nil, true
}

// notTried says that the mails of taken recipients were not handed over.
func (s *heldSlice) notTried(some ...recipients.Recipient) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unused = append(s.unused, some...)
}

// waitForServer abandons the slice, so that it is sent after a pause.
func (s *heldSlice) waitForServer() {
	s.abandon()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noServer = true
}

func (s *heldSlice) hasMore() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.left) > 0
}

// finished reports once that no recipient is left or waiting, all that were taken are reported, and no tokens are being
// taken.
func (s *heldSlice) finished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released || len(s.left) > 0 || len(s.waiting) > 0 || s.running > 0 || s.granting {
		return false
	}
	s.released = true
	return true
}

func (s *heldSlice) isReleased() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.released
}

// maySend reports whether a mail of the slice may be handed over. After a long interruption of the
// process, another process may have the slice.
func (s *heldSlice) maySend(now instant) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.abandoned && now.since(s.renewed) < safeLease
}

// wasRenewed says that a transaction which began at a time has renewed the lease.
func (s *heldSlice) wasRenewed(at instant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at.steady.After(s.renewed.steady) {
		s.renewed = at
	}
}

// heldSlices are all slices that this process has leased.
type heldSlices struct {
	added chan struct{} // has a value after a slice was leased
	mu    sync.Mutex
	all   []*heldSlice
}

// add adds a slice that was leased by a transaction which began at a time.
func (h *heldSlices) add(leased *LeasedSlice, at instant) *heldSlice {
	s := &heldSlice{leased: leased, left: leased.Recipients, renewed: at}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, s)
	select {
	case h.added <- struct{}{}:
	default:
	}
	return s
}

func (h *heldSlices) remove(s *heldSlice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = slices.DeleteFunc(h.all, func(other *heldSlice) bool { return other == s })
}

func (h *heldSlices) copy() []*heldSlice {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.all)
}

func (h *heldSlices) empty() bool { return len(h.copy()) == 0 }

// abandonUnless abandons the slices of Batches that are not in sending.
func (h *heldSlices) abandonUnless(sending map[enlist.BatchID]enlist.AccountID) {
	for _, s := range h.copy() {
		if _, ok := sending[s.leased.Batch]; !ok {
			s.abandon()
		}
	}
}

// renew renews the leases that were not renewed for renewInterval.
func (h *heldSlices) renew(ctx context.Context, service *Service, now instant) error {
	var due []*heldSlice
	var leases []recipients.Slice
	for _, s := range h.copy() {
		s.mu.Lock()
		if now.since(s.renewed) >= renewInterval {
			due, leases = append(due, s), append(leases, s.leased.Slice)
		}
		s.mu.Unlock()
	}
	if len(due) == 0 {
		return nil
	}
	lost, err := service.RenewSlices(ctx, leases)
	if err != nil {
		return err
	}
	for i, s := range due {
		if slices.Contains(lost, leases[i]) {
			s.abandon()
			continue
		}
		s.wasRenewed(now)
	}
	return nil
}
