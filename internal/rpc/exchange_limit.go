package rpc

import (
	"context"
	"errors"
	"math"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/limiter"
)

// This file limits the number of concurrent calls of an Account in this process, so that one
// Account cannot use all database connections.

// errTooManyCalls becomes code 399. decisions.md: 43
var errTooManyCalls = enlist.Refuse(enlist.Busy, "")

// newCallLimiter returns a Limiter of the concurrent calls of each Account. Further calls wait in a
// queue, at most the duration wait. decisions.md: 43
func newCallLimiter(calls int, wait time.Duration) *limiter.Limiter {
	return limiter.NewShared(math.MaxInt64, int64(calls), wait)
}

// enter waits for a slot of the Account. The exchange keeps the slot until its next call or the end
// of its reply. So replies that wait for slow clients are at most as many as the slots of the
// Account.
func (x *exchange) enter(ctx context.Context, id enlist.AccountID) error {
	x.leave()
	var err error
	x.slot, err = x.handler.calls.AcquireFor(ctx, int64(id), 1)
	if errors.Is(err, limiter.ErrBusy) {
		return errTooManyCalls
	}
	return err
}

// leave frees the slot, if the exchange has one.
func (x *exchange) leave() {
	if x.slot != nil {
		x.slot()
		x.slot = nil
	}
}
