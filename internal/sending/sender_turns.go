package sending

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the goroutine that leases slices and hands them to the workers. Each Account has at most one ready
// slice, and the ready slices take turns: a large Batch does not delay the Batches of other Accounts by more than
// the mails that the workers have marked. decisions.md: 59

// readySlices are the slices that the workers take recipients from. Only the leasing goroutine uses them, except shared.
type readySlices struct {
	all    []*heldSlice
	turn   int                                 // of the slice that is handed to the next worker
	last   map[enlist.AccountID]enlist.BatchID // of the last lease
	shared atomic.Bool                         // several slices are ready: a worker takes one part of a slice
}

func (r *readySlices) add(s *heldSlice) {
	r.all = append(r.all, s)
	r.shared.Store(len(r.all) > 1)
}

// remove removes and returns the slices whose recipients are all taken.
func (r *readySlices) remove() (done []*heldSlice) {
	r.all = slices.DeleteFunc(r.all, func(s *heldSlice) bool {
		more := s.hasMore()
		if !more {
			done = append(done, s)
		}
		return !more
	})
	r.shared.Store(len(r.all) > 1)
	return done
}

// next returns the slice whose turn it is, or nil.
func (r *readySlices) next() *heldSlice {
	if len(r.all) == 0 {
		return nil
	}
	r.turn++
	return r.all[r.turn%len(r.all)]
}

func (r *readySlices) has(account enlist.AccountID) bool {
	return slices.ContainsFunc(r.all, func(s *heldSlice) bool { return s.leased.Of.AccountID == account })
}

// lease leases slices and hands them to the workers. It leases the next slice of an Account when the workers have
// taken all recipients of the last one that may be sent.
func (b *BatchSender) lease(ctx context.Context) {
	defer b.release()
	look := time.Now()
	for ctx.Err() == nil {
		for _, s := range b.ready.remove() {
			b.finishIfDone(s)
			look = time.Now()
		}
		if s := b.deferred.due(b.now()); s != nil {
			if wait := b.admit(ctx, s); wait > 0 {
				look = time.Now().Add(wait)
			}
			continue
		}
		if !time.Now().Before(look) {
			look = time.Now().Add(b.leaseNext(ctx))
			continue
		}
		if b.handOut(ctx, min(time.Until(look), b.deferred.wait(lookInterval, b.now()))) {
			look = time.Now()
		}
	}
}

// leaseNext leases a slice of an Account that has none ready. It returns how long to wait before the next try.
func (b *BatchSender) leaseNext(ctx context.Context) (wait time.Duration) {
	deferred, held, began := b.deferred.skip(b.now()), b.held.copy(), b.instant()
	if err := b.held.renew(ctx, b.service, began); err != nil { // if a clock has jumped, its own leases seem to have ended
		b.report(ctx, "renew the leases of Batches", err)
		return failedPause
	}
	slice, next, err := b.service.LeaseSlice(ctx, db.NewHolder(ctx, b.service.db), LeaseTurn{After: b.ready.last,
		Skip: func(account enlist.AccountID, id enlist.BatchID) bool {
			return slices.Contains(deferred, id) || b.ready.has(account)
		}})
	switch {
	case err != nil:
		b.report(ctx, "lease a slice of a Batch", err)
		return failedPause
	case slice == nil:
		return b.untilNext(next)
	}
	b.ready.last[slice.Of.AccountID] = slice.Batch
	if b.wasHeld(ctx, held, slice) {
		return failedPause
	}
	s := b.held.add(slice, began)
	if b.service.IsLimited(slice) {
		s.wait()
		return b.admit(ctx, s)
	}
	b.ready.add(s)
	return 0
}

// wasHeld reports whether a slice was leased that this process has under another name. This happens when the clock is
// set forward meanwhile, or the process has lost its lock: the lease has ended, and the mails are still being handed
// over. The slice goes back to its former name. held are the slices that this process had before.
func (b *BatchSender) wasHeld(ctx context.Context, held []*heldSlice, slice *LeasedSlice) bool {
	if slices.ContainsFunc(held, func(s *heldSlice) bool { return s.leased.Holder == slice.Former }) {
		if err := b.service.passSlice(ctx, slice); err != nil {
			b.report(ctx, "give a slice of a Batch back", err) // it is leased again when the lease ends
		}
		return true
	}
	i := slices.IndexFunc(held, func(s *heldSlice) bool {
		return s.leased.Batch == slice.Batch && s.leased.Number == slice.Number && !s.isReleased()
	})
	if i < 0 {
		return false
	}
	held[i].abandon() // another process has had it since
	b.advance(BatchProgress{Slice: slice, Release: true, Pause: int64(pausedWait / time.Second)})
	return true
}

// handOut hands the slice whose turn it is to a worker. It reports whether Wake was called or the time has passed.
func (b *BatchSender) handOut(ctx context.Context, wait time.Duration) (look bool) {
	var work chan<- *heldSlice // nil: no slice is ready
	s := b.ready.next()
	if s != nil {
		work = b.work
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	b.asleep.Store(s == nil)
	defer b.asleep.Store(false)
	select {
	case work <- s:
		return false
	case <-b.wake:
		return true
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// release releases the ready slices and the deferred ones, so that another process can lease them at once.
func (b *BatchSender) release() {
	for _, s := range b.ready.all {
		s.abandon()
		b.finishIfDone(s)
	}
	for _, p := range b.deferred.all {
		p.slice.abandon()
		b.finishIfDone(p.slice)
	}
}
