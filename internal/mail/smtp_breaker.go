package mail

import (
	"context"
	"sync"
	"time"
)

// This file stops sending while the mail server does not answer. smtp.go asks
// the circuit breaker before each message and records the result afterwards.

// After the first failure nothing is sent for firstPause. Each further failure
// doubles the pause, up to longestPause. decisions.md: 50
const (
	firstPause   = time.Second
	longestPause = 30 * time.Second
)

// circuitBreaker makes all senders wait while the mail server does not answer.
// When the pause is over, it lets one sender through, the probe. The others
// wait for the probe's result.
type circuitBreaker struct {
	mu       sync.Mutex
	failures int           // in a row; 0: the server answers
	retryAt  time.Time     // end of the pause
	probing  bool          // the probe is under way
	changed  chan struct{} // closed and replaced when a field above changes
}

func newCircuitBreaker() *circuitBreaker { return &circuitBreaker{changed: make(chan struct{})} }

// serverState is what a sender learned about the mail server.
type serverState int

const (
	serverUnknown serverState = iota // the attempt ended too early to tell
	serverUp
	serverDown
)

// allow waits until the caller may talk to the server. After allow without an
// error the caller must call record.
func (b *circuitBreaker) allow(ctx context.Context) (probe bool, err error) {
	for {
		b.mu.Lock()
		wait := time.Until(b.retryAt)
		switch {
		case ctx.Err() != nil:
			b.mu.Unlock()
			return false, ctx.Err()
		case b.failures == 0:
			b.mu.Unlock()
			return false, nil
		case wait <= 0 && !b.probing:
			b.probing = true
			b.mu.Unlock()
			return true, nil
		}
		changed, over := b.changed, (<-chan time.Time)(nil)
		if !b.probing { // while a probe is under way only its result counts
			timer := time.NewTimer(wait)
			defer timer.Stop()
			over = timer.C
		}
		b.mu.Unlock()
		select {
		case <-over:
		case <-changed:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// record stores the result of an attempt that allow has let through. It returns
// the length of the pause that begins with it, 0 when none begins.
func (b *circuitBreaker) record(probe bool, state serverState) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	var begun time.Duration
	switch {
	case state == serverUp && b.failures == 0,
		state == serverUnknown && !probe,
		state == serverDown && b.failures > 0 && !probe:
		return 0 // nothing new
	case state == serverUp:
		b.failures, b.retryAt = 0, time.Time{}
	case state == serverDown:
		begun = min(firstPause<<min(b.failures, 10), longestPause) // at most 10: a larger shift would overflow
		b.retryAt = time.Now().Add(begun)
		b.failures++
	}
	if probe {
		b.probing = false
	}
	close(b.changed)
	b.changed = make(chan struct{})
	return begun
}
