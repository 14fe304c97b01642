package rpc

import (
	"context"
	"sync"
	"time"

	"enlist/internal/audience"
)

// gate bounds how many calls of an Account run at once in this process.
// Further ones wait in line. decisions.md: 43
type gate struct {
	places int
	wait   time.Duration

	mu       sync.RWMutex
	accounts map[audience.AccountID]chan struct{} // a running call has put one in
}

var errCrowded = audience.Refuse(audience.Busy, "")

// enter waits for a place, which the returned function gives back.
func (g *gate) enter(ctx context.Context, id audience.AccountID) (leave func(), err error) {
	running := g.of(id)
	leave = func() { <-running }
	select {
	case running <- struct{}{}:
		return leave, nil
	default:
	}
	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	select {
	case running <- struct{}{}:
		return leave, nil
	case <-timer.C:
		return nil, errCrowded
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (g *gate) of(id audience.AccountID) chan struct{} {
	g.mu.RLock()
	running := g.accounts[id]
	g.mu.RUnlock()
	if running != nil {
		return running
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.accounts == nil {
		g.accounts = make(map[audience.AccountID]chan struct{})
	}
	if g.accounts[id] == nil {
		g.accounts[id] = make(chan struct{}, g.places)
	}
	return g.accounts[id]
}
