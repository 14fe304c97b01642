package rpc

import (
	"context"
	"errors"
	"time"

	"enlist/api"
	"enlist/internal/limiter"
)

// This file limits the memory of all requests of the process together. A request reserves memory for
// its body while the body arrives, and memory for the parameters of a call before it reads them.
// decisions.md: 43

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
