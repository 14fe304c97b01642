// This file limits the number of concurrent calls of an Account in this process, so that one
// Account cannot use all database connections.

package rpc

import (
	"context"
	"errors"
	"sync"
	"time"

	"enlist/internal/audience"
	"enlist/internal/limiter"
)

// callLimiter limits the number of concurrent calls of each Account in this process. Further
// calls wait in a queue. decisions.md: 43
type callLimiter struct {
	size int           // slots of each Account: the largest number of concurrent calls
	wait time.Duration // longest time that a call waits for a slot

	mu       sync.RWMutex // guards accounts
	accounts map[audience.AccountID]*limiter.Limiter
}

// errTooManyCalls becomes code 399. decisions.md: 43
var errTooManyCalls = audience.Refuse(audience.Busy, "")

// acquire waits for a slot of the Account. The caller must call release to free the slot. The
// error is errTooManyCalls if no slot becomes free in time.
func (l *callLimiter) acquire(ctx context.Context, id audience.AccountID) (release func(), err error) {
	release, err = l.of(id).Acquire(ctx)
	if errors.Is(err, limiter.ErrBusy) {
		err = errTooManyCalls
	}
	return release, err
}

// of returns the limiter of an Account. It creates the limiter at the first call of the Account.
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
