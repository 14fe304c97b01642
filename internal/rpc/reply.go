// This file builds the reply to a request in one buffer, and sends it. A short
// reply is sent whole with a Content-Length. A long reply is streamed in parts.

package rpc

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// firstBytes is the size of each part of a stream. An error before the first part is sent
// is an ordinary error reply; a later error closes the connection. decisions.md: 39
const firstBytes = 64 << 10

// reply collects the answers to the calls of one HTTP request. Results are
// appended to buf.
type reply struct {
	buf    []byte
	start  int  // offset in buf of the answer to the current call; -1 after a part of it was sent
	result int  // offset in buf of its result
	silent bool // the call is a notification, which has no answer

	w        http.ResponseWriter
	options  *Options  // the limits of a search's reply
	sent     bool      // the status and a part of the body were sent
	deadline time.Time // when the client must have read all of it
	err      error     // the first failed write; the connection is no longer usable
}

var (
	// jsonType is shared by all replies, so that setting the header allocates nothing.
	jsonType = []string{"application/json"}

	// errSlowClient ends a stream whose client would hold its slot for too long.
	errSlowClient = errors.New("the client reads the streamed reply too slowly")
)

// open begins the answer to a call.
func (r *reply) open(e *envelope) {
	r.start = len(r.buf)
	r.silent = e.v2 && !e.hasID && e.fault == nil
	r.buf = appendOpening(r.buf, e)
	r.buf = append(r.buf, `"result":`...)
	r.result = len(r.buf)
}

// appendOpening appends the members before the result or error.
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

// fail replaces the answer to a call with an error. If a part of the answer was
// sent, it closes the connection instead, so that the client detects an incomplete reply.
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

// appendData appends error.data when the error names a parameter or Field.
// decisions.md: 5
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

// drop removes the answer to the current call from the buffer.
func (r *reply) drop() {
	if r.start >= 0 {
		r.buf = r.buf[:r.start]
	}
}

// restart removes the current result. It reports false if a part of it was already sent.
func (r *reply) restart() bool {
	if r.start < 0 {
		return false
	}
	r.buf = r.buf[:r.result]
	return true
}

// flush sends the buffer and empties it.
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

// send writes the buffer to the connection, with a deadline for each part and one for the
// whole reply.
func (r *reply) send() error {
	if r.err != nil {
		return r.err
	}
	control := http.NewResponseController(r.w)
	for part := range slices.Chunk(r.buf, firstBytes) {
		r.err = r.sendPart(control, part)
		if r.err != nil {
			return r.err
		}
	}
	r.err = supported(control.Flush())
	return r.err
}

// sendPart writes one part before its deadline.
func (r *reply) sendPart(control *http.ResponseController, part []byte) error {
	now := time.Now() // the real clock, which deadlines of connections use; tests replace Options.Now
	if r.deadline.IsZero() {
		r.deadline = now.Add(r.options.StreamTimeout)
	}
	if now.After(r.deadline) {
		return errSlowClient
	}
	until := now.Add(r.options.FlushTimeout)
	if r.deadline.Before(until) {
		until = r.deadline
	}
	if err := supported(control.SetWriteDeadline(until)); err != nil {
		return err
	}
	_, err := r.w.Write(part)
	return err
}

// supported ignores errors of a ResponseWriter without deadlines, such as that of httptest.
func supported(err error) error {
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// finish sends the rest of a stream, or a short reply with its length.
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
	// The deadline would otherwise apply to the next request of a keep-alive connection.
	http.NewResponseController(r.w).SetWriteDeadline(time.Time{}) // if unsupported, none was set
}
