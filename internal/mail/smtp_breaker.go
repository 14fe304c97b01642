package mail

import (
	"context"
	"sync"
	"time"
)

// This file pauses sending while the mail server does not reply. Before each message,
// smtp.go asks the circuit breaker. After the message, it records the result.

// The first failure begins a pause of the length firstPause, in which no mail is sent. Each
// failed probe begins another pause of twice the length, up to longestPause. Other failures
// after the first do not change the pause.
const (
	firstPause   = time.Second
	longestPause = 30 * time.Second
)

// circuitBreaker makes all calls of send wait while the mail server does not reply. After a
// pause, it allows one call to try: the probe. The other calls wait for the result of the
// probe.
type circuitBreaker struct {
	mu       sync.Mutex
	failures int           // 0 if the mail server replies; otherwise the first failure and all failed probes since then
	retryAt  time.Time     // end of the pause
	probing  bool          // a probe is running
	changed  chan struct{} // record closes and replaces it when a result changes a field above
}

func newCircuitBreaker() *circuitBreaker { return &circuitBreaker{changed: make(chan struct{})} }

// serverState says whether the mail server replied in an attempt.
type serverState int

const (
	serverUnknown serverState = iota // the attempt does not show whether the mail server works
	serverUp
	serverDown
)

// allow waits until the caller may connect to the mail server. probe is true if the caller
// is the probe. If allow returns no error, the caller must call record later.
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
		if !b.probing { // while a probe is running, wait only for its result
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

// record stores the result of an attempt after allow returned no error. It returns the
// length of the pause that begins because of the result, or 0 if no pause begins.
func (b *circuitBreaker) record(probe bool, state serverState) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	var begun time.Duration
	switch {
	case state == serverUp && b.failures == 0,
		state == serverUnknown && !probe,
		state == serverDown && b.failures > 0 && !probe:
		return 0 // the result changes nothing
	case state == serverUp:
		b.failures, b.retryAt = 0, time.Time{}
	case state == serverDown:
		begun = min(firstPause<<min(b.failures, 10), longestPause) // a shift by more than 10 is not needed and could overflow
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
