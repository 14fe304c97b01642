package sqlstore

// This file limits the number and the duration of concurrent reading transactions.

import (
	"context"
	"errors"
	"time"

	"enlist/internal/audience"
	"enlist/internal/limiter"
)

// Limiter limits how many transactions of a kind run at once, and how long each may take. Engines
// have one for each pool of connections that read. Its errors have Kind Busy, so the caller gets
// their text. The zero value has no limits.
type Limiter struct {
	slots *limiter.Limiter
	limit time.Duration // for one transaction; 0: none
}

// NewLimiter returns a Limiter for n transactions at once. A transaction waits for a slot up to
// wait, or until its context ends if wait is 0. It then may take up to limit.
func NewLimiter(n int, wait, limit time.Duration) Limiter {
	return Limiter{slots: limiter.New(n, wait), limit: limit}
}

// Do runs fn in a slot, with a context that ends at the time limit. The error has Kind Busy if no
// slot becomes free in time, or if fn fails after the time limit.
func (l Limiter) Do(ctx context.Context, fn func(ctx context.Context) error) error {
	err := l.slots.Do(ctx, func() error { return l.limited(ctx, fn) })
	if errors.Is(err, limiter.ErrBusy) {
		return audience.Refuse(audience.Busy, "too many searches at once; try again in a moment")
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
		err = &audience.Error{Kind: audience.Busy, Detail: "the search took too long; narrow it down", Err: err}
	}
	return err
}
