package rpc

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"enlist/internal/limiter"
)

// This file reads the body of an HTTP request. The server must read the body before it executes a
// call, so callers without a valid key could exhaust its memory. Therefore a body of more than
// smallBody bytes reserves its memory. decisions.md: 43

// reservation is the memory that the body of one request has reserved.
type reservation struct {
	from  *limiter.Limiter
	owner int64 // ID of the Account whose key is in the body, or noKey
	bytes int64
}

// drainTime is how long the server still reads a body for which it has no memory. If it closed the
// connection while the client sends, the client could not read the reply.
const drainTime = 2 * time.Second

// read reads the body, and translates XML into JSON. It fails if the client needs longer than ReadTimeout to send the
// body. It returns errNoMemory if no memory is free for the body in time.
func (x *exchange) read() (err error) {
	o := &x.handler.options
	control := http.NewResponseController(x.reply.w)
	control.SetReadDeadline(time.Now().Add(o.ReadTimeout)) // if this fails, the reads below also return an error
	sent, expected, exact := x.request.Body, x.request.ContentLength, x.request.ContentLength >= 0
	if !exact { // else net/http reads no more, and serveCalls has compared it with MaxBody
		sent = http.MaxBytesReader(x.reply.w, sent, o.MaxBody)
	}
	body := sent
	if x.reply.xml != nil {
		body, expected, exact = x.xmlBody(sent), x.expectedXML(), false
	}
	if expected >= 0 && expected <= smallBody {
		x.body.Grow(int(expected) + bytes.MinRead)
		_, err = x.body.ReadFrom(body)
	} else {
		err = x.readLarge(control, body, expected, exact)
	}
	if err == nil {
		control.SetReadDeadline(time.Time{})
		return nil
	}
	if refusedBody(err) != nil {
		control.SetReadDeadline(time.Now().Add(drainTime))
		io.Copy(io.Discard, sent) // the reply is the same, even if the client sends no more
	}
	return err
}

// readLarge reads a body that is probably larger than smallBody. A client with a valid key gets the
// memory for all of its body at once: two clients that have a part of their bodies cannot wait for
// each other. A client without a valid key gets memory only for the bytes that it sends. expected is
// the size of the body, or -1 if it is not known. If it is not exact, it is an upper bound.
func (x *exchange) readLarge(control *http.ResponseController, body io.Reader, expected int64, exact bool) error {
	if _, err := io.CopyN(&x.body, body, smallBody); err != nil {
		return ignoreEOF(err)
	}
	defer x.trim()
	o := &x.handler.options
	if expected < 0 {
		expected = o.MaxBody
	}
	x.reserved = reservation{from: x.handler.memory.bodies, owner: x.sender()}
	known := x.reserved.owner != noKey
	if known {
		if err := x.reserve(expected); err != nil {
			return err
		}
		control.SetReadDeadline(time.Now().Add(o.ReadTimeout)) // the client could not send while it waited
	}
	for {
		step := int64(x.body.Len()) // the buffer doubles, so that its content is rarely copied
		if rest := expected - step; exact && (known || rest < step) {
			step = max(rest, 0)
		}
		if !known {
			if err := x.reserve(step); err != nil {
				return err
			}
		}
		x.body.Grow(int(step) + bytes.MinRead)
		if _, err := io.CopyN(&x.body, body, step+1); err != nil {
			return ignoreEOF(err)
		}
	}
}

// ignoreEOF returns nil for the end of a body.
func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// sender returns the ID of the Account whose key is at the start of the body, or noKey.
func (x *exchange) sender() int64 {
	key, ok := x.source.peekKey(x.body.Bytes())
	if !ok {
		return noKey
	}
	caller, err := x.handler.service.Accounts.Authenticate(x.request.Context(), key)
	if err != nil {
		return noKey // the call itself returns the error
	}
	return int64(caller.Account.ID)
}

// reserve reserves memory for more bytes of the body.
func (x *exchange) reserve(n int64) error {
	r := &x.reserved
	if _, err := r.from.AcquireFor(x.request.Context(), r.owner, n); err != nil {
		return errNoMemory
	}
	r.bytes += n
	return nil
}

// trim frees the part of the reservation that the buffer of the body does not need. The reservation
// is too large if the client sent no Content-Length.
func (x *exchange) trim() {
	r := &x.reserved
	if spare := r.bytes - int64(x.body.Cap()); spare > 0 {
		r.bytes -= spare
		r.from.Release(r.owner, spare)
	}
}

// releaseBody ends the reservation of a large body and removes the references to its memory.
func (x *exchange) releaseBody() {
	r := &x.reserved
	if r.bytes == 0 {
		return
	}
	x.body = bytes.Buffer{}
	x.source.reset()
	r.from.Release(r.owner, r.bytes)
	*r = reservation{}
}
