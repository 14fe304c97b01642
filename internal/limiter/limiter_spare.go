package limiter

import "context"

// This file has the slots for operations that let all other operations go first.

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
