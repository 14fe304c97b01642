// Package limiter limits how many operations run at the same time. Searches, streamed
// replies, the calls of each Account, mails in memory and connections to the mail server
// have separate Limiters.
package limiter

import (
	"context"
	"errors"
	"time"
)

// ErrBusy means that no slot became free within the longest wait of the Limiter.
var ErrBusy = errors.New("too many operations at once")

// Limiter is a counting semaphore. Operations get slots in the order of their calls of
// Acquire or Do. A nil Limiter has no limit.
type Limiter struct {
	wait  time.Duration
	slots chan struct{} // has one element for each operation that runs
}

// New returns a Limiter for n operations at the same time. wait is the longest time that
// an operation waits for a slot. If wait is 0, only its context ends the wait.
func New(n int, wait time.Duration) *Limiter {
	return &Limiter{wait: wait, slots: make(chan struct{}, n)}
}

// Acquire waits for a slot. The caller must call release to free the slot. Acquire
// returns ErrBusy if no slot became free within the longest wait. It returns the error
// of the context if the context ends first.
func (l *Limiter) Acquire(ctx context.Context) (release func(), err error) {
	if err := l.acquire(ctx); err != nil {
		return nil, err
	}
	return l.release, nil
}

// Do waits for a slot, runs fn and frees the slot. If Do gets no slot, it does not run
// fn, and returns the same error as Acquire.
func (l *Limiter) Do(ctx context.Context, fn func() error) error {
	if err := l.acquire(ctx); err != nil {
		return err
	}
	defer l.release()
	return fn()
}

func (l *Limiter) release() {
	if l != nil {
		<-l.slots
	}
}

func (l *Limiter) acquire(ctx context.Context) error {
	if l == nil {
		return nil
	}
	select { // a free slot needs no timer
	case l.slots <- struct{}{}:
		return nil
	default:
	}
	var expired <-chan time.Time // stays nil if the wait has no limit
	if l.wait > 0 {
		timer := time.NewTimer(l.wait)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case l.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-expired:
		return ErrBusy
	}
}
