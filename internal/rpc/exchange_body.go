// This file reads the body of an HTTP request. The server must read the body before it knows the
// key, so callers without a valid key could exhaust its memory. Therefore a body of 1 MiB or more
// needs a reservation, and all reservations of the process together have a limit.

package rpc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// smallBody is a size in bytes. A smaller body needs no reservation.
const smallBody = 1 << 20

// bodiesAtOnce limits the reservations. All reservations together have at most the size of
// bodiesAtOnce bodies of MaxBody bytes.
const bodiesAtOnce = 8

// The reply for errNoMemory has code 399, which is also the code for too many calls. In both cases
// the caller can send the call again later.
var errNoMemory = errors.New("no memory left for a large body")

// read reads the body. It fails if the client needs longer than ReadTimeout to send the body.
func (x *exchange) read() error {
	o := &x.handler.options
	control := http.NewResponseController(x.reply.w)
	control.SetReadDeadline(time.Now().Add(o.ReadTimeout)) // if this fails, the reads below also return an error
	body := http.MaxBytesReader(x.reply.w, x.request.Body, o.MaxBody)
	expected := x.request.ContentLength
	if expected >= 0 && expected < smallBody {
		x.body.Grow(int(expected) + bytes.MinRead)
	} else if _, err := io.CopyN(&x.body, body, smallBody); err == io.EOF {
		expected = 0 // no length was announced, and the body is small
	} else if err != nil {
		return err
	}
	if expected < 0 || expected >= smallBody {
		if err := x.reserve(expected); err != nil {
			return err
		}
	}
	if _, err := x.body.ReadFrom(body); err != nil {
		return err
	}
	control.SetReadDeadline(time.Time{})
	return nil
}

// reserve reserves memory for a large body. It waits up to CallWait and then returns errNoMemory.
// expected is the length of the body in bytes, or -1 if the length is unknown.
func (x *exchange) reserve(expected int64) error {
	h := x.handler
	if expected < 0 {
		expected = h.options.MaxBody
	}
	ctx, cancel := context.WithTimeout(x.request.Context(), h.options.CallWait)
	defer cancel()
	if h.bodies.Acquire(ctx, expected) != nil {
		return errNoMemory
	}
	x.reserved = expected
	x.body.Grow(int(expected)) // in one step: while a buffer grows, its old and its new array both use memory
	return nil
}

// releaseBody ends the reservation of a large body.
func (x *exchange) releaseBody() {
	x.handler.bodies.Release(x.reserved)
	x.reserved = 0
}
