package db

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/limiter"
)

// This file limits the number of transactions that read at the same time, and the duration of each
// of them.

// Limiter limits the number of transactions that run at the same time, and the duration of each of
// them. An engine has one Limiter for each pool of connections that only read. The errors of a Limiter
// have Kind Busy, so the API returns their text to the caller.
//
// One Account has at most half of the slots, so that its transactions do not stop those of other
// Accounts. The service itself may have all of them. decisions.md: 43
type Limiter struct {
	slots *limiter.Limiter
	limit time.Duration // longest duration of a transaction; 0: no limit
	ended *atomic.Int64 // transactions that reached the limit
}

// NewLimiter returns a Limiter for n transactions at the same time. A transaction waits for a slot for
// at most the duration wait. If wait is 0, it waits until its context ends. Then the transaction runs
// for at most the duration limit, or without a limit if limit is 0.
func NewLimiter(n int, wait, limit time.Duration) Limiter {
	size := int64(n)
	return Limiter{slots: limiter.NewShared(size, limiter.Half(size), wait), limit: limit, ended: new(atomic.Int64)}
}

// Do waits for a slot and runs fn with a context that ends at the time limit. It returns an error with
// Kind Busy if no slot becomes free in time, or if fn fails after the time limit.
func (l Limiter) Do(ctx context.Context, fn func(ctx context.Context) error) error {
	err := l.slots.DoFor(ctx, int64(enlist.AccountOf(ctx)), func() error { return l.limited(ctx, fn) })
	if errors.Is(err, limiter.ErrBusy) {
		return enlist.Refuse(enlist.Busy, "too many searches at once; try again in a moment")
	}
	return err
}

func (l Limiter) limited(ctx context.Context, fn func(ctx context.Context) error) error {
	if l.limit == 0 {
		return fn(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, l.limit)
	defer cancel()
	err := fn(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		l.ended.Add(1)
		err = &enlist.Error{Kind: enlist.Busy, Detail: "the search took too long; narrow it down", Err: err}
	}
	return err
}
