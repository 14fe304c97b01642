package rpc

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"enlist/api"
	"enlist/internal/app"
	"enlist/internal/enlist"
)

// This file answers one HTTP request, which has one call or a batch of calls. It checks each call
// in a fixed order (reference.md: errors.order) and then executes it. Most checks are in the files
// exchange_*.go.

// maxBatch is the largest number of calls in a batch. reference.md: reply2.form
const maxBatch = 100

// outsideBatch is the index of a call that is not part of a batch.
const outsideBatch = -1

// exchange is one HTTP request and its reply. Handler reuses an exchange and its buffers for
// later requests. Only one goroutine uses it at a time.
type exchange struct {
	handler  *Handler
	request  *http.Request
	body     bytes.Buffer
	source   source
	arena    arena
	reply    reply
	call     call
	reserved reservation // memory of a large body
	trace    string      // ID of the trace of the current call; "" if it has none
	slot     func()      // frees the slot of the last call; nil if there is none
	goodKeys int         // calls whose key was accepted
	badKeys  int         // calls whose key was missing or invalid
}

// call is one call whose key is valid and has the access level that the method needs. Each method
// of the API is a function that has a call as its parameter.
type call struct {
	params
	ctx      context.Context
	service  *app.App
	caller   *enlist.Caller
	reply    *reply
	version  string
	urlQuery string // query of the URL; it may name a version of the published interface
}

// answer executes the calls of a body, which is one request or a batch.
func (x *exchange) answer(body []byte) {
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '[' {
		x.one(body, outsideBatch)
		return
	}
	parts, err := x.source.readBatch(body, maxBatch)
	switch {
	case err != nil:
	case len(parts) == 0:
		err = refuse(api.CodeInvalidParameters, "the batch is empty")
	case len(parts) > maxBatch:
		err = refuse(api.CodeInvalidParameters, "a batch may have at most %d requests", maxBatch)
	}
	if err != nil {
		x.refuseBatch(err)
		return
	}
	x.batch(parts)
}

// batch answers the requests of a batch in their order. A notification, which is a JSON-RPC 2.0
// request without an id, gets no reply. If all requests are notifications, the reply is empty.
func (x *exchange) batch(parts [][]byte) {
	separator := byte('[')
	for i, part := range parts {
		before := len(x.reply.buf)
		x.reply.buf = append(x.reply.buf, separator)
		x.one(part, i)
		if len(x.reply.buf) == before+1 && x.reply.start >= 0 {
			x.reply.buf = x.reply.buf[:before] // a notification
			continue
		}
		separator = ','
		// Send the answers so far. If a later call fails while its answer is streamed, the server
		// closes the connection. The client then still has the earlier answers.
		if len(x.reply.buf) >= firstBytes && x.reply.flush() != nil {
			panic(http.ErrAbortHandler)
		}
	}
	if separator == ',' {
		x.reply.buf = append(x.reply.buf, ']')
	}
}

// refuseBatch answers an invalid batch with one error. The reply is in the format of JSON-RPC
// 2.0, because JSON-RPC 1.0 has no batches.
func (x *exchange) refuseBatch(err error) {
	x.refuseEnvelope(envelope{v2: true, hasID: true, id: null, fault: err})
}

// refuseAll answers a request with err. It is used for a request whose body was not read.
func (x *exchange) refuseAll(err error) {
	x.refuseEnvelope(envelope{id: null, fault: err})
	x.reply.finish()
}

// refuseEnvelope answers with the fault of the envelope and executes no call.
func (x *exchange) refuseEnvelope(e envelope) {
	x.reply.open(&e)
	w, _ := expose(e.fault, nil)
	x.reply.fail(&e, w)
	x.handler.metrics.count(nil, w.code, 0)
}

// one executes one call and appends its reply. index is the position of the call in a batch, or
// outsideBatch.
func (x *exchange) one(raw []byte, index int) {
	started := time.Now()
	e := x.source.readEnvelope(raw)
	m := x.handler.methods[string(e.method)]
	x.reply.open(&e)
	var code api.Code
	if start := x.handler.options.Trace; start != nil {
		defer x.startSpan(start, m)(&code)
	}
	err := x.run(&e, m, index)
	if err == nil {
		x.reply.close(&e)
	} else {
		w := x.explain(err, m)
		code = w.code
		x.reply.fail(&e, w)
	}
	x.handler.metrics.count(m, code, time.Since(started))
}

// startSpan begins the span of a call. The function that it returns ends the span.
func (x *exchange) startSpan(start StartSpan, m *method) func(*api.Code) {
	name := "other"
	if m != nil {
		name = m.name
	}
	untraced := x.request
	var end func(api.Code)
	x.request, x.trace, end = start(untraced, name)
	return func(code *api.Code) {
		x.request, x.trace = untraced, ""
		end(*code)
	}
}

// run executes a call. The order of its checks must not change. reference.md: errors.order
func (x *exchange) run(e *envelope, m *method, index int) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	if e.fault != nil {
		return e.fault
	}
	if string(e.method) == discover {
		return x.discover(index)
	}
	h, ctx := x.handler, x.request.Context()
	reader := newParamsReader(&x.source, &x.arena, e.params)
	reader.keepsText = x.reserved.bytes > 0 && len(e.params) > 0 // releaseBody drops the buffer of a large body
	caller, err := h.authenticate(ctx, reader)
	switch kind := enlist.KindOf(err); {
	case err == nil:
		x.goodKeys++
	case kind == enlist.InvalidKey || kind == enlist.MissingKey:
		x.badKeys++
		return err
	default:
		return err // the database could not be read, so the key is possibly valid
	}
	// A refusal for the rate does not read the database, even for a key that was revoked and is still cached.
	if err := h.LimitRate(x.reply.w.Header(), caller.Key); err != nil {
		return err
	}
	err = x.perform(e, m, index, reader, caller)
	if err == nil {
		return nil
	}
	if _, published := expose(err, m); !published {
		return err // possibly the database is down, and Recheck would wait for it again
	}
	// Authenticate may have used a cached key. If the key was revoked later, the call returns
	// CodeInvalidKey instead of its own error.
	if stale := h.service.Accounts.Recheck(ctx, caller); enlist.KindOf(stale) == enlist.InvalidKey {
		return stale
	}
	return err
}

// perform executes a call with a valid key. It checks the method, the access level, the number of
// concurrent calls, the memory and the parameters, in this order.
func (x *exchange) perform(e *envelope, m *method, index int, reader *paramsReader, caller *enlist.Caller) error {
	if m == nil {
		return x.handler.noMethod(string(e.method))
	}
	if caller.Key.Level < m.level {
		return enlist.Refuse(enlist.Denied,
			"%s needs the access level %s; this key has %s", m.name, m.level, caller.Key.Level)
	}
	caller.Actor = enlist.Actor{Method: m.name, Address: x.request.RemoteAddr}
	h, ctx := x.handler, x.request.Context()
	if err := x.enter(ctx, caller.Account.ID); err != nil {
		return err
	}
	size, err := reader.measure(m.params, x.readable(m))
	if err != nil {
		return err
	}
	release, err := h.memory.forParams(ctx, int64(caller.Account.ID), size)
	if err != nil {
		return err
	}
	defer func() {
		x.call = call{}
		x.arena.reset()
		release()
	}()
	values, err := reader.rest(m.params)
	if err != nil {
		return err
	}
	if m.writes {
		caller, err = x.retry(caller, m, values, index)
		if err != nil {
			return err
		}
	}
	x.call = call{params{names: m.params, values: values, arena: &x.arena},
		ctx, h.service, caller, &x.reply, h.options.Version, x.request.URL.RawQuery}
	extra := reader.end < len(reader.raw) || len(values) > len(m.params)
	if err := x.findIgnored(m, e, extra); err != nil {
		return err
	}
	err = m.run(&x.call)
	if x.call.err != nil {
		return x.call.shapeError()
	}
	return err
}

// noMethod returns the refusal of a name that no method has. It suggests the nearest name.
func (h *Handler) noMethod(name string) error {
	near := enlist.DidYouMean(name, slices.Sorted(maps.Keys(h.methods)))
	return refuse(api.CodeMethodNotFound, "%q%s", name, near)
}

// shapeError returns the error of a call with a parameter of the wrong shape. If the call's List or
// Contact cannot be loaded, this is the error, because the service checks them first.
// reference.md: errors.order
func (c *call) shapeError() error {
	if c.listID == 0 {
		return c.err
	}
	if err := c.service.Contacts.CheckAccess(c.ctx, c.caller, c.listID, c.contactID); err != nil {
		return err
	}
	return c.err
}

// readable returns how many parameters of a call to read. Further parameters are ignored, but the
// fingerprint of a call with an Idempotency-Key covers all that were sent. reference.md: value.placeholder, idempotency
func (x *exchange) readable(m *method) int {
	if m.writes && len(x.request.Header["Idempotency-Key"]) > 0 {
		return everyParameter
	}
	return len(m.params)
}

// explain returns the error for the reply. If an error has no published code, explain logs the
// error with a request id, and the reply has only this id and a general message.
// reference.md: errors.order
func (x *exchange) explain(err error, m *method) wireError {
	w, published := expose(err, m)
	if published {
		return w
	}
	name := ""
	if m != nil {
		name = m.name
	}
	code, sentence := api.FailureName(name)
	id := x.reply.w.Header().Get("X-Request-Id") // reference.md: header.request-id
	if id == "" {
		id = x.handler.options.NewRequestID()
	}
	log := x.handler.options.Log
	if x.trace != "" {
		log = log.With("trace", x.trace)
	}
	if x.request.Context().Err() != nil || x.reply.err != nil {
		log.Debug("client closed the connection before the reply", "request", id, "method", name, "error", err)
	} else {
		log.Error("call failed", "request", id, "method", name, "error", err)
	}
	return wireError{code: code, message: sentence + " (request " + id + ")"}
}

// newRequestID returns 12 random hexadecimal digits.
func newRequestID() string {
	var b [6]byte
	rand.Read(b[:]) // crypto/rand never fails
	return hex.EncodeToString(b[:])
}
