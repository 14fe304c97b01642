package mail

import (
	"context"
	"sync"
	"time"
)

// A mail server that does not answer is left alone for firstPause, then twice
// as long each time, up to longestPause. decisions.md: 50
const (
	firstPause   = time.Second
	longestPause = 30 * time.Second
)

// pause holds everybody up while the mail server does not answer. When its time
// is over, one goes first to try, the probe.
type pause struct {
	mu      sync.Mutex
	tries   int // that found the server away, in a row; 0: it answers
	until   time.Time
	probing bool
	changed chan struct{} // closed when any of that has changed
}

func newPause() *pause { return &pause{changed: make(chan struct{})} }

// outlook is what one who tried has to say about the server.
type outlook int

const (
	unclear outlook = iota // the try ended before it could tell
	up
	down
)

// enter waits until the server may be tried. Who entered says with leave what
// came of it.
func (p *pause) enter(ctx context.Context) (probe bool, err error) {
	for {
		p.mu.Lock()
		wait := time.Until(p.until)
		switch {
		case ctx.Err() != nil:
			p.mu.Unlock()
			return false, ctx.Err()
		case p.tries == 0:
			p.mu.Unlock()
			return false, nil
		case wait <= 0 && !p.probing:
			p.probing = true
			p.mu.Unlock()
			return true, nil
		}
		changed, over := p.changed, (<-chan time.Time)(nil)
		if !p.probing {
			timer := time.NewTimer(wait)
			defer timer.Stop()
			over = timer.C
		}
		p.mu.Unlock()
		select {
		case <-over:
		case <-changed:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// leave takes note of what a try found. It returns how long the pause is that
// begins with it, 0 when none does.
func (p *pause) leave(probe bool, o outlook) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	var begun time.Duration
	switch {
	case o == up && p.tries == 0, o == unclear && !probe, o == down && p.tries > 0 && !probe:
		return 0 // nothing new
	case o == up:
		p.tries, p.until = 0, time.Time{}
	case o == down:
		begun = min(firstPause<<min(p.tries, 10), longestPause)
		p.until = time.Now().Add(begun)
		p.tries++
	}
	if probe {
		p.probing = false
	}
	close(p.changed)
	p.changed = make(chan struct{})
	return begun
}
