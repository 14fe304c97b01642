// This file bounds how many calls of an Account run at the same time in this
// process, so that one Account cannot take all database connections.

package rpc

import (
	"context"
	"sync"
	"time"

	"enlist/internal/audience"
)

// callLimiter lets size calls of each Account run. Further calls wait up to
// wait, then they are refused with 399. decisions.md: 43
type callLimiter struct {
	size int
	wait time.Duration

	mu       sync.RWMutex
	accounts map[audience.AccountID]chan struct{} // one element for each running call
}

var errTooManyCalls = audience.Refuse(audience.Busy, "")

// acquire waits until a call of the Account may run. The caller must call
// release when it is done.
func (l *callLimiter) acquire(ctx context.Context, id audience.AccountID) (release func(), err error) {
	running := l.of(id)
	release = func() { <-running }
	select {
	case running <- struct{}{}:
		return release, nil
	default:
	}
	timer := time.NewTimer(l.wait)
	defer timer.Stop()
	select {
	case running <- struct{}{}:
		return release, nil
	case <-timer.C:
		return nil, errTooManyCalls
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// of returns the semaphore of an Account.
func (l *callLimiter) of(id audience.AccountID) chan struct{} {
	l.mu.RLock()
	running := l.accounts[id]
	l.mu.RUnlock()
	if running != nil {
		return running
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.accounts == nil {
		l.accounts = make(map[audience.AccountID]chan struct{})
	}
	if l.accounts[id] == nil {
		l.accounts[id] = make(chan struct{}, l.size)
	}
	return l.accounts[id]
}
