package httpserver

import (
	"cmp"
	"io"
	"net/http"
	"time"
)

// This file gives every request deadlines. net/http has them only for whole requests, which would end uploads and long
// replies too: it waits for ever for a body that a handler has not read, and for a client that does not read a reply.
// A handler may set shorter or longer deadlines with http.ResponseController. decisions.md: 125

// Limits are the times for which a client may keep a request waiting. A zero value selects the default, which is at the
// end of each comment.
type Limits struct {
	Read  time.Duration // for some bytes of the body; 1 minute
	Write time.Duration // for 64 KiB of the reply; 30 s
	Rest  time.Duration // for the rest of a body after the reply to it; 5 s
	Rate  int64         // bytes of the body each second, after the first minute of waiting; 1 KiB
}

func (l Limits) withDefaults() Limits {
	return Limits{cmp.Or(l.Read, time.Minute), cmp.Or(l.Write, 30*time.Second), cmp.Or(l.Rest, 5*time.Second),
		cmp.Or(l.Rate, 1<<10)}
}

// Deadlines calls next with the Limits.
func Deadlines(next http.Handler, l Limits) http.Handler {
	l = l.withDefaults()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &timed{ResponseWriter: w, body: r.Body, control: http.NewResponseController(w), limits: l,
			connection: connectionOf(r), multiplexed: r.ProtoMajor > 1, complete: r.Body == nil || r.Body == http.NoBody,
			asks: r.Header["Expect"] != nil}
		if !t.connection.begin() {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "this connection has too many requests at once: send the others later", http.StatusServiceUnavailable)
			return
		}
		defer t.connection.end()
		if !t.complete {
			r.Body = timedBody{t}
		}
		defer t.end()
		next.ServeHTTP(t, r)
	})
}

// timed is a ResponseWriter, and the body of its request. A connection of a test may have no deadlines, so their errors
// are ignored: the reads and writes below them fail too.
type timed struct {
	http.ResponseWriter
	body        io.ReadCloser
	control     *http.ResponseController
	limits      Limits
	connection  *connection
	multiplexed bool // HTTP/2, where a deadline that passes between two reads or writes ends the stream
	asks        bool // the client sends the body after net/http has asked for it: 100 Continue

	complete   bool          // the body was read to its end, or there is none
	got        int64         // bytes of the body
	waited     time.Duration // for them
	ownRead    time.Time     // deadlines of the handler; zero: it has set none
	ownWrite   time.Time
	hasReplied bool
	written    int // bytes of the reply
}

type timedBody struct{ *timed }

// Read implements io.Reader for the body. The time in which the handler does not read does not count.
func (b timedBody) Read(p []byte) (n int, err error) {
	t, from := b.timed, time.Now()
	defer t.connection.block()()
	if t.asks && t.waited == 0 {
		t.beforeWrite()
		defer t.afterWrite()
	}
	left := t.limits.Read + time.Duration(t.got/t.limits.Rate)*time.Second - t.waited
	_ = t.control.SetReadDeadline(earlier(from.Add(min(left, t.limits.Read)), t.ownRead))
	n, err = t.body.Read(p)
	t.got += int64(n)
	t.waited += time.Since(from)
	t.complete = t.complete || err == io.EOF
	if t.complete || t.multiplexed {
		_ = t.control.SetReadDeadline(time.Time{}) // else the server takes the client for gone
	}
	return n, err
}

// Close implements io.Closer for the body.
func (b timedBody) Close() error { return b.body.Close() }

// earlier returns the earlier one of two times. A zero own time is none.
func earlier(t, own time.Time) time.Time {
	if own.IsZero() || t.Before(own) {
		return t
	}
	return own
}

// writePart is how many bytes of a reply a client must read within Limits.Write.
const writePart = 64 << 10

// heldBytes is how many bytes of a reply net/http holds back until the handler ends or flushes.
const heldBytes = 2 << 10

// Write implements io.Writer for the reply. Bytes that net/http holds back need no time of the client.
func (t *timed) Write(p []byte) (n int, err error) {
	t.limitRest()
	t.written += len(p)
	if t.written <= heldBytes {
		return t.ResponseWriter.Write(p)
	}
	defer t.connection.block()()
	for err == nil {
		part := p[n:min(len(p), n+writePart)]
		t.beforeWrite()
		var sent int
		sent, err = t.ResponseWriter.Write(part)
		n += sent
		t.afterWrite()
		if n >= len(p) {
			break
		}
	}
	return n, err
}

// FlushError is called by http.ResponseController.
func (t *timed) FlushError() error {
	t.limitRest()
	defer t.connection.block()()
	t.beforeWrite()
	defer t.afterWrite()
	return t.control.Flush()
}

func (t *timed) beforeWrite() {
	_ = t.control.SetWriteDeadline(earlier(time.Now().Add(t.limits.Write), t.ownWrite))
}

// afterWrite ends the deadline of a write on HTTP/2. On HTTP/1.1, the next write sets another one.
func (t *timed) afterWrite() {
	if t.multiplexed {
		_ = t.control.SetWriteDeadline(t.ownWrite)
	}
}

// limitRest limits the time in which net/http reads what the handler has left of the body. It does this before the first
// bytes of the reply, and after the handler.
func (t *timed) limitRest() {
	if !t.complete && !t.hasReplied && !t.multiplexed {
		_ = t.control.SetReadDeadline(time.Now().Add(t.limits.Rest))
	}
	t.hasReplied = true
}

// end limits what net/http does after the handler: it reads the rest of the body and sends the rest of the reply.
func (t *timed) end() {
	t.hasReplied = false
	t.limitRest()
	_ = t.control.SetWriteDeadline(time.Now().Add(t.limits.Write))
}

// SetReadDeadline is called by http.ResponseController. The next Read uses the deadline. After the end of the body it has
// no effect: a server that reads then waits for the client to close the connection, and a deadline would end the call.
func (t *timed) SetReadDeadline(until time.Time) error {
	t.ownRead = until
	return nil
}

// SetWriteDeadline is called by http.ResponseController. The next Write uses the deadline.
func (t *timed) SetWriteDeadline(until time.Time) error {
	t.ownWrite = until
	return nil
}

// Unwrap is called by http.ResponseController.
func (t *timed) Unwrap() http.ResponseWriter { return t.ResponseWriter }
