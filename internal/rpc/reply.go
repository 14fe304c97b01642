package rpc

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"enlist/internal/enlist"
)

// This file builds the reply to an HTTP request in a buffer, and sends it. A short reply has a
// Content-Length. A long reply is streamed: the server sends a part of it as soon as it is ready.

// firstBytes is the size of each part of a streamed reply. If an error occurs before the first part
// is sent, the client gets an ordinary error. If it occurs later, the server closes the connection.
// decisions.md: 39
const firstBytes = 64 << 10

// reply is the reply to one HTTP request. It has an answer for each call, except notifications. The
// methods of the API append their results to buf.
type reply struct {
	buf    []byte
	start  int  // offset in buf of the answer to the current call; -1 after a part of the answer was sent
	result int  // offset in buf of the result of the current call
	silent bool // the current call is a notification, which has no answer

	xml      *xmlReply // translates the reply to XML; nil for JSON
	w        http.ResponseWriter
	options  *Options  // the limits of a search's reply
	sent     bool      // the status and a part of the body were sent
	deadline time.Time // after it no further part is sent
	err      error     // error of the first write that failed; after it nothing is sent
}

var (
	// jsonType is the header value of all replies. It is shared to save an allocation for each reply.
	jsonType = []string{"application/json"}

	// errSlowClient ends a streamed reply that would otherwise use its slot for too long.
	errSlowClient = errors.New("the client reads the streamed reply too slowly")
)

// open begins the answer to a call.
func (r *reply) open(e *envelope) {
	r.start = len(r.buf)
	r.silent = e.v2 && !e.hasID && e.fault == nil
	if r.xml == nil {
		r.buf = appendOpening(r.buf, e)
		r.buf = append(r.buf, `"result":`...)
	}
	r.result = len(r.buf)
}

// appendOpening appends the members of an answer that precede the result or the error.
func appendOpening(b []byte, e *envelope) []byte {
	b = append(b, '{')
	if e.v2 {
		b = append(b, `"jsonrpc":"2.0",`...)
	}
	b = append(append(b, `"id":`...), e.id...)
	return append(b, ',')
}

// close ends the answer to a call that succeeded. reference.md: reply.keys, reply2.form
func (r *reply) close(e *envelope) {
	if r.silent {
		r.drop()
		return
	}
	if r.xml != nil {
		return
	}
	if !e.v2 {
		r.buf = append(r.buf, `,"error":null`...)
	}
	r.buf = append(r.buf, '}')
}

// fail replaces the answer to a call with an error. If a part of the answer was already sent, fail
// closes the connection instead, so that the client detects an incomplete reply.
func (r *reply) fail(e *envelope, w wireError) {
	if r.start < 0 {
		panic(http.ErrAbortHandler)
	}
	r.drop()
	if r.silent {
		return
	}
	if r.xml != nil {
		r.xml.fault = true
		r.buf = appendFault(r.buf, w)
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

// appendData appends error.data if the error names a parameter or a Field. reference.md: reply.message
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

// errRestarted ends a search that must begin again but cannot, because the client already has a
// part of the reply.
var errRestarted = errors.New("search started over after a part of its reply was sent")

// begin begins a result of rows, and removes what an earlier attempt has written of it.
func (r *reply) begin(opening byte) error {
	if r.start < 0 {
		return errRestarted
	}
	r.buf = append(r.buf[:r.result], opening)
	return nil
}

// added ends a row. A stream sends its rows in parts. The rows of another reply stay in the buffer, up to most bytes.
func (r *reply) added(streaming bool, most int) error {
	switch {
	case r.silent:
		r.buf = r.buf[:r.result]
	case streaming && len(r.buf) >= firstBytes:
		return r.flush()
	case !streaming && len(r.buf)-r.start > most:
		return enlist.ErrReplyTooLong
	}
	return nil
}

// end ends a result of rows, unless the call failed.
func (r *reply) end(closing string, err error) error {
	if err == nil {
		r.buf = append(r.buf, closing...)
	}
	return err
}

// flush sends the buffer at once and empties it.
func (r *reply) flush() error {
	r.start = -1
	if !r.sent {
		r.sent = true
		r.w.Header()["Content-Type"] = r.contentType()
	}
	err := r.send()
	if err == nil {
		err = http.NewResponseController(r.w).Flush()
	}
	if errors.Is(err, http.ErrNotSupported) { // such as the ResponseRecorder of httptest
		err = nil
	}
	r.err = err
	r.buf = r.buf[:0]
	return err
}

// send writes the buffer to the connection in parts. Package httpserver limits the time for a part, and Options that for
// the complete reply.
func (r *reply) send() error {
	if r.err != nil {
		return r.err
	}
	for rest := r.buf; len(rest) > 0; {
		part := rest[:min(len(rest), firstBytes)]
		if r.xml == nil {
			rest = rest[len(part):]
		} else {
			part, rest = r.xml.translate(rest, firstBytes)
		}
		r.err = r.sendPart(part)
		if r.err != nil {
			return r.err
		}
	}
	return nil
}

// sendPart writes one part, unless the time for the complete reply has passed.
func (r *reply) sendPart(part []byte) error {
	now := time.Now() // not Options.Now, which tests replace
	if r.deadline.IsZero() {
		r.deadline = now.Add(r.options.StreamTimeout)
	}
	if now.After(r.deadline) {
		return errSlowClient
	}
	_, err := r.w.Write(part)
	return err
}

// finish sends the rest of a streamed reply, or a short reply with a Content-Length. net/http sends the last bytes when
// the handler returns.
func (r *reply) finish() {
	var err error
	switch {
	case r.xml != nil:
		err = r.finishXML()
	case r.sent:
		err = r.flush()
	default:
		h := r.w.Header()
		h["Content-Type"] = jsonType
		h["Content-Length"] = []string{strconv.Itoa(len(r.buf))}
		err = r.send()
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
}
