package rpc

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"enlist/api"
	"enlist/internal/enlist"
	"enlist/internal/limiter"
)

// This file limits what calls use in this process: how many calls of an Account run at the same time, so that it cannot
// use all database connections, the rate of the calls of a key (decisions.md: 107), and the memory of all requests
// together. A request reserves memory for its body while the body arrives, and memory for the parameters of a call
// before it reads them. decisions.md: 43

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

// Sizes in bytes that need no reservation. Most calls are smaller.
const (
	smallBody = 16 << 10
	smallTree = 16 << 10 // of the parameters of a call
)

// memory limits the bytes of bodies and of parameters. Each has its own limit, because a request
// keeps its body while it waits for the memory of its parameters. So a request that has this memory
// never waits for other requests, and they cannot wait for each other.
//
// The owner of memory is the Account of the first key in a body. Requests without a valid key have a
// common owner, noKey. One owner gets at most half of the memory.
type memory struct {
	bodies, params *limiter.Limiter
	largest        int64 // largest number of bytes for the parameters of one call
}

// noKey is the owner of the memory for bodies without a valid key.
const noKey = -1

// newMemory returns a memory of size bytes in all. The rest of the process uses a part of them: the
// replies, the database, and garbage. A request waits at most the duration wait.
func newMemory(size int64, wait time.Duration) memory {
	bodies, params := size/16*3, size/16*5
	return memory{
		bodies:  limiter.NewShared(bodies, limiter.Half(bodies), wait),
		params:  limiter.NewShared(params, limiter.Half(params), wait),
		largest: limiter.Half(params),
	}
}

// Bodies returns the limit of the bytes of bodies, in which the forms of pages count too.
func (h *Handler) Bodies() *limiter.Limiter { return h.memory.bodies }

// errNoMemory has code 399, which is also the code for too many calls. In both cases the caller can
// send the call again later.
var errNoMemory = errTooManyCalls

// errLargeCall refuses a call that would wait forever.
var errLargeCall = refuse(api.CodeInvalidParameters,
	"the parameters need more memory than the server allows for one call; send fewer values in one call")

// forParams reserves the bytes for the parameters of a call. The caller must call release.
func (m *memory) forParams(ctx context.Context, owner, bytes int64) (release func(), err error) {
	if bytes <= smallTree {
		return func() {}, nil
	}
	if bytes > m.largest {
		return nil, errLargeCall
	}
	release, err = m.params.AcquireFor(ctx, owner, bytes)
	if errors.Is(err, limiter.ErrBusy) {
		err = errNoMemory
	}
	return release, err
}

// LimitRate counts a call of a key. Over the rate of the key it returns an error with code 399 and sets the header
// Retry-After. If the key has a rate, it sets the headers RateLimit and RateLimit-Policy of the Internet-Draft
// draft-ietf-httpapi-ratelimit-headers-11. A key without a rate costs nothing.
func (h *Handler) LimitRate(header http.Header, key *enlist.Key) error {
	rate, policy := key.Rate, `"key"`
	if rate == (enlist.CallRate{}) {
		rate, policy = h.service.Accounts.Settings().Of(key.AccountID).KeyRate, `"default"`
	}
	if rate.Calls <= 0 {
		return nil
	}
	left, next, ok := h.rates.Take(int64(key.ID), limiter.Rate{Interval: rate.Interval(), Burst: rate.Burst},
		h.options.Now())
	header.Set("RateLimit-Policy", policy+";q="+strconv.FormatInt(rate.Burst, 10)+
		";w="+seconds(time.Duration(rate.Burst)*rate.Interval()))
	header.Set("RateLimit", policy+";r="+strconv.FormatInt(left, 10)+";t="+seconds(next))
	if ok {
		return nil
	}
	header.Set("Retry-After", seconds(next))
	return enlist.Refuse(enlist.Busy, "the rate of this key is %s; send the call again in %s s", rate, seconds(next))
}

// seconds returns a duration in whole seconds, rounded up.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
