package sqlstore

// This file limits the number and the duration of concurrent reading transactions.

import (
	"context"
	"errors"
	"time"

	"enlist/internal/audience"
	"enlist/internal/limiter"
)

// Limiter bounds how many transactions of a kind run at once, and how long each may
// take. Engines have one for each pool of connections that read. Its errors are for
// the caller: they are of kind Busy. The zero value bounds nothing.
type Limiter struct {
	slots *limiter.Limiter
	limit time.Duration // for one transaction; 0: none
}

// NewLimiter returns a Limiter for n transactions at once. A transaction waits for a
// slot up to wait, or for 0 as long as its context allows, and then has up to limit.
func NewLimiter(n int, wait, limit time.Duration) Limiter {
	return Limiter{slots: limiter.New(n, wait), limit: limit}
}

// Do runs fn in a slot, with the context that it may run for. Without a slot in time,
// and if fn is interrupted at the limit, the error is of kind Busy.
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
