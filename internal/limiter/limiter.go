// Package limiter bounds how many operations of a kind run at once. Searches, calls
// of an Account, mails being composed and connections to a mail server each have a
// Limiter of their own.
package limiter

import (
	"context"
	"errors"
	"time"
)

// ErrBusy means that no slot became free within the Limiter's wait.
var ErrBusy = errors.New("too many operations at once")

// Limiter is a counting semaphore. Operations get its slots in the order in which
// they asked. A nil Limiter admits everything.
type Limiter struct {
	wait  time.Duration
	slots chan struct{} // holds one element for each operation that runs
}

// New returns a Limiter for n operations at once. An operation waits for a slot up to
// wait, or for 0 as long as its context allows.
func New(n int, wait time.Duration) *Limiter {
	return &Limiter{wait: wait, slots: make(chan struct{}, n)}
}

// Acquire waits for a slot, which release frees again. It returns ErrBusy when the
// wait is over, and the context's error when that ends first.
func (l *Limiter) Acquire(ctx context.Context) (release func(), err error) {
	if err := l.acquire(ctx); err != nil {
		return nil, err
	}
	return l.release, nil
}

// Do runs fn in a slot. Without a slot it returns the error of Acquire, and fn does
// not run.
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
	var expired <-chan time.Time // never, without a wait
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
