package rpc

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// firstBytes is how much of a stream is encoded before any of it is sent, and
// how much goes out at a time. decisions.md: 39
const firstBytes = 64 << 10

// reply collects what answers one HTTP request, which in a batch is more than
// one call. Results are appended to buf.
type reply struct {
	buf    []byte
	start  int // where the answer to the current call begins in buf; -1 when a part of it was sent
	result int // where its result begins
	silent bool

	w        http.ResponseWriter
	limits   *limits
	sent     bool      // the status and a part of the body are out
	deadline time.Time // when the client must have taken all
	err      error     // of a write: the client is gone
}

var (
	jsonType = []string{"application/json"}

	errSlowClient = errors.New("client took longer than it may")
)

// open begins the answer to a call.
func (r *reply) open(e *envelope) {
	r.start = len(r.buf)
	r.silent = e.v2 && !e.hasID && e.fault == nil
	r.buf = appendOpening(r.buf, e)
	r.buf = append(r.buf, `"result":`...)
	r.result = len(r.buf)
}

func appendOpening(b []byte, e *envelope) []byte {
	b = append(b, '{')
	if e.v2 {
		b = append(b, `"jsonrpc":"2.0",`...)
	}
	b = append(append(b, `"id":`...), e.id...)
	return append(b, ',')
}

// close ends the answer to a call that succeeded. decisions.md: 3, 4
func (r *reply) close(e *envelope) {
	if r.silent {
		r.drop()
		return
	}
	if !e.v2 {
		r.buf = append(r.buf, `,"error":null`...)
	}
	r.buf = append(r.buf, '}')
}

// fail replaces the answer to a call with an error. When a part of it has been
// sent the connection is broken off, so that nobody takes it for whole.
func (r *reply) fail(e *envelope, w wireError) {
	if r.start < 0 {
		panic(http.ErrAbortHandler)
	}
	r.drop()
	if r.silent {
		return
	}
	b := appendOpening(r.buf, e)
	if !e.v2 {
		b = append(b, `"result":null,`...)
	}
	b = append(b, `"error":{"code":`...)
	b = strconv.AppendInt(b, int64(w.code), 10)
	b = appendString(append(b, `,"message":`...), w.message)
	if e.v2 {
		b = appendData(b, w)
	}
	r.buf = append(b, '}', '}')
}

// appendData appends error.data where there is something to say. decisions.md: 5
func appendData(b []byte, w wireError) []byte {
	switch {
	case w.parameter != "":
		b = appendString(append(b, `,"data":{"parameter":`...), w.parameter)
		b = strconv.AppendInt(append(b, `,"position":`...), int64(w.position), 10)
	case w.field != "":
		b = appendString(append(b, `,"data":{"field":`...), w.field)
	default:
		return b
	}
	return append(b, '}')
}

// drop takes back the answer to the current call.
func (r *reply) drop() {
	if r.start >= 0 {
		r.buf = r.buf[:r.start]
	}
}

// restart takes back the current result, false when it cannot be.
func (r *reply) restart() bool {
	if r.start < 0 {
		return false
	}
	r.buf = r.buf[:r.result]
	return true
}

// flush sends what there is and makes room for more.
func (r *reply) flush() error {
	r.start = -1
	if !r.sent {
		r.sent = true
		r.w.Header()["Content-Type"] = jsonType
	}
	err := r.send()
	r.buf = r.buf[:0]
	return err
}

// send writes buf through to the connection. The client has a time for each
// part of it and a time for the whole reply.
func (r *reply) send() error {
	if r.err != nil {
		return r.err
	}
	control := http.NewResponseController(r.w)
	for part := range slices.Chunk(r.buf, firstBytes) {
		if r.err = r.sendPart(control, part); r.err != nil {
			return r.err
		}
	}
	r.err = supported(control.Flush())
	return r.err
}

func (r *reply) sendPart(control *http.ResponseController, part []byte) error {
	now := time.Now() // the connection's clock, not the service's
	if r.deadline.IsZero() {
		r.deadline = now.Add(r.limits.stream)
	}
	if now.After(r.deadline) {
		return errSlowClient
	}
	until := now.Add(r.limits.flush)
	if r.deadline.Before(until) {
		until = r.deadline
	}
	if err := supported(control.SetWriteDeadline(until)); err != nil {
		return err
	}
	_, err := r.w.Write(part)
	return err
}

// supported leaves out that a ResponseWriter is not a server's own.
func supported(err error) error {
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// finish sends the rest, or all of it with its length.
func (r *reply) finish() {
	var err error
	if r.sent {
		err = r.flush()
	} else {
		h := r.w.Header()
		h["Content-Type"] = jsonType
		h["Content-Length"] = []string{strconv.Itoa(len(r.buf))}
		err = r.send()
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	// A connection that is kept alive is free of deadlines again.
	http.NewResponseController(r.w).SetWriteDeadline(time.Time{}) // not supported: none was set
}
