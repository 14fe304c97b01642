// This file bounds how many calls of an Account run at the same time in this
// process, so that one Account cannot take all database connections.

package rpc

import (
	"context"
	"errors"
	"sync"
	"time"

	"enlist/internal/audience"
	"enlist/internal/limiter"
)

// callLimiter bounds how many calls of an Account run at once in this process.
// Further calls wait in a queue. decisions.md: 43
type callLimiter struct {
	size int           // concurrent calls of each Account
	wait time.Duration // longest wait for a slot

	mu       sync.RWMutex // guards accounts
	accounts map[audience.AccountID]*limiter.Limiter
}

// errTooManyCalls becomes code 399. decisions.md: 43
var errTooManyCalls = audience.Refuse(audience.Busy, "")

// acquire waits for a slot of the Account, which release frees again.
func (l *callLimiter) acquire(ctx context.Context, id audience.AccountID) (release func(), err error) {
	release, err = l.of(id).Acquire(ctx)
	if errors.Is(err, limiter.ErrBusy) {
		err = errTooManyCalls
	}
	return release, err
}

// of returns the Account's limiter, which is created for its first call.
func (l *callLimiter) of(id audience.AccountID) *limiter.Limiter {
	l.mu.RLock()
	found := l.accounts[id]
	l.mu.RUnlock()
	if found != nil {
		return found
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.accounts == nil {
		l.accounts = make(map[audience.AccountID]*limiter.Limiter)
	}
	if l.accounts[id] == nil {
		l.accounts[id] = limiter.New(l.size, l.wait)
	}
	return l.accounts[id]
}
