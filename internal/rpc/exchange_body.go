// This file reads the body of an HTTP request. A body of 1 MiB or more first reserves
// memory from a limit for the whole process: the server must read the body to find the
// key, so callers without a valid key could otherwise exhaust the memory.

package rpc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// smallBody is the size in bytes from which a body needs a reservation.
const smallBody = 1 << 20

// bodiesAtOnce is the number of bodies of the largest size that fit into the limit.
const bodiesAtOnce = 8

// errNoMemory is answered like too many calls: the caller should send the call again later.
var errNoMemory = errors.New("no memory left for a large body")

// read reads the body within the time that a client has to send it.
func (x *exchange) read() error {
	o := &x.handler.options
	control := http.NewResponseController(x.reply.w)
	control.SetReadDeadline(time.Now().Add(o.ReadTimeout)) // an error here also fails the reads below
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

// reserve waits up to CallWait for memory for a large body. expected is its length in
// bytes, -1 if unknown.
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
	x.body.Grow(int(expected)) // allocate once: doubling would copy and briefly need up to twice the memory
	return nil
}

// releaseBody ends the reservation of a large body.
func (x *exchange) releaseBody() {
	x.handler.bodies.Release(x.reserved)
	x.reserved = 0
}
