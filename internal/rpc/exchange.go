package rpc

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"enlist/api"
	"enlist/internal/audience"
)

// maxBatch is how many calls a batch may hold. decisions.md: 4
const maxBatch = 100

// exchange is one HTTP request being answered.
type exchange struct {
	handler   *Handler
	request   *http.Request
	body      bytes.Buffer
	source    source
	arena     arena
	reply     reply
	call      call
	reserved  int64 // of the room for large bodies
	good, bad int   // calls whose key was, and was not, accepted
}

// call is one call whose key and level have been found good.
type call struct {
	params
	ctx     context.Context
	service *audience.Service
	caller  *audience.Caller
	reply   *reply
	version string
}

// read reads the body, within the time that a client has for that.
func (x *exchange) read() error {
	o := &x.handler.options
	control := http.NewResponseController(x.reply.w)
	control.SetReadDeadline(time.Now().Add(o.ReadTimeout)) // an error here comes again below
	body := http.MaxBytesReader(x.reply.w, x.request.Body, o.MaxBody)
	expected := x.request.ContentLength
	if expected >= 0 && expected < smallBody {
		x.body.Grow(int(expected) + bytes.MinRead)
	} else if _, err := io.CopyN(&x.body, body, smallBody); err == io.EOF {
		expected = 0 // it was small all the same
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

// smallBody is how much of a body is read without asking whether there is room.
const smallBody = 1 << 20

// bodiesAtOnce is how many bodies of the largest size are held in memory at
// once. Anybody can send them: whose key it is, is only known from the body.
const bodiesAtOnce = 8

var errNoRoom = errors.New("no room for a large body")

// reserve takes room for a large body of an expected length, -1 when unknown.
func (x *exchange) reserve(expected int64) error {
	h := x.handler
	if expected < 0 {
		expected = h.options.MaxBody
	}
	ctx, cancel := context.WithTimeout(x.request.Context(), h.options.CallWait)
	defer cancel()
	if h.bodies.Acquire(ctx, expected) != nil {
		return errNoRoom
	}
	x.reserved = expected
	x.body.Grow(int(expected)) // at once: growing by doubling would take as much again
	return nil
}

// giveBack gives the room of a large body back.
func (x *exchange) giveBack() {
	x.handler.bodies.Release(x.reserved)
	x.reserved = 0
}

// answer answers a body: one request, or a batch.
func (x *exchange) answer(body []byte) {
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '[' {
		x.one(body, -1)
		return
	}
	parts, err := x.source.readBatch(body, maxBatch)
	switch {
	case err != nil:
	case len(parts) == 0:
		err = refuse(api.CodeInvalidParameters, "the batch is empty")
	case len(parts) > maxBatch:
		err = refuse(api.CodeInvalidParameters, "a batch holds %d requests at most", maxBatch)
	}
	if err != nil {
		x.refuseBatch(err)
		return
	}
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
		if len(x.reply.buf) >= firstBytes && x.reply.flush() != nil { // what is answered is answered
			panic(http.ErrAbortHandler)
		}
	}
	if separator == ',' {
		x.reply.buf = append(x.reply.buf, ']')
	}
}

// refuseBatch answers an array as a whole, in the 2.0 form: arrays are of that form only.
func (x *exchange) refuseBatch(err error) {
	e := envelope{v2: true, hasID: true, id: null, fault: err}
	x.reply.open(&e)
	w, _ := expose(err, nil)
	x.reply.fail(&e, w)
	x.handler.metrics.count(nil, w.code, 0)
}

// refuseAll answers a body that was not read.
func (x *exchange) refuseAll(err error) {
	e := envelope{id: null, fault: err}
	x.reply.open(&e)
	w, _ := expose(err, nil)
	x.reply.fail(&e, w)
	x.reply.finish()
	x.handler.metrics.count(nil, w.code, 0)
}

// one answers one request; index is its place in a batch, -1 outside.
func (x *exchange) one(raw []byte, index int) {
	started := time.Now()
	e := x.source.readEnvelope(raw)
	m := x.handler.methods[string(e.method)]
	x.reply.open(&e)
	err := x.run(&e, m, index)
	var code api.Code
	if err == nil {
		x.reply.close(&e)
	} else {
		w := x.explain(err, m)
		code = w.code
		x.reply.fail(&e, w)
	}
	x.handler.metrics.count(m, code, time.Since(started))
}

// run carries a call out. The order of its checks is law. decisions.md: 13
func (x *exchange) run(e *envelope, m *method, index int) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	if e.fault != nil {
		return e.fault
	}
	h, ctx := x.handler, x.request.Context()
	reader := newParamsReader(&x.source, &x.arena, e.params)
	caller, err := h.authenticate(ctx, reader)
	switch kind := audience.KindOf(err); {
	case err == nil:
		x.good++
	case kind == audience.InvalidKey || kind == audience.MissingKey:
		x.bad++
		return err
	default:
		return err // the key may well be good
	}
	if err = x.perform(e, m, index, reader, caller); err != nil {
		if _, foreseen := expose(err, m); !foreseen {
			return err // the database may be away: to ask it again would take as long again
		}
		// A key that was known may have been revoked since; that comes first.
		if stale := h.service.Recheck(ctx, caller); audience.KindOf(stale) == audience.InvalidKey {
			return stale
		}
	}
	return err
}

// perform carries out a call whose key is known.
func (x *exchange) perform(e *envelope, m *method, index int, reader *paramsReader, caller *audience.Caller) error {
	if m == nil {
		return refuse(api.CodeMethodNotFound, "%q", e.method)
	}
	if caller.Key.Level < m.level {
		return audience.Refuse(audience.Denied, "%s needs the access level %s; this key has %s", m.name, m.level, caller.Key.Level)
	}
	h, ctx := x.handler, x.request.Context()
	leave, err := h.gate.enter(ctx, caller.Account.ID)
	if err != nil {
		return err
	}
	defer leave()
	values, err := reader.rest(m.params)
	if err != nil {
		return err
	}
	if m.writes {
		if caller, err = x.retry(caller, m, values, index); err != nil {
			return err
		}
	}
	x.call = call{params{m.params, values, &x.arena, nil}, ctx, h.service, caller, &x.reply, h.options.Version}
	return m.run(&x.call)
}

// explain turns an error into what the caller sees. What nobody foresaw goes to
// the log under a request id. decisions.md: 13
func (x *exchange) explain(err error, m *method) wireError {
	w, foreseen := expose(err, m)
	if foreseen {
		return w
	}
	name := ""
	if m != nil {
		name = m.name
	}
	code, sentence := api.FailureName(name)
	id := x.handler.options.NewRequestID()
	log := x.handler.options.Log
	if x.request.Context().Err() != nil || x.reply.err != nil {
		log.Debug("client went away", "request", id, "method", name, "error", err)
	} else {
		log.Error("call failed", "request", id, "method", name, "error", err)
	}
	return wireError{code: code, message: sentence + " (request " + id + ")"}
}

func newRequestID() string {
	var b [6]byte
	rand.Read(b[:]) // never fails: crypto/rand
	return hex.EncodeToString(b[:])
}

var errRetryHeader = refuse(api.CodeInvalidParameters, "Idempotency-Key is 1 to 255 visible ASCII characters")

// retry adds to the caller how a repeat of this call is recognised. The calls
// of a batch count apart. decisions.md: 30
func (x *exchange) retry(caller *audience.Caller, m *method, values []value, index int) (*audience.Caller, error) {
	headers := x.request.Header["Idempotency-Key"]
	if len(headers) == 0 {
		return caller, nil
	}
	header := headers[0]
	if len(headers) > 1 || header == "" || len(header) > 255 {
		return nil, errRetryHeader
	}
	for _, c := range []byte(header) {
		if c <= ' ' || c >= 0x7f {
			return nil, errRetryHeader
		}
	}
	if index >= 0 {
		header += " " + strconv.Itoa(index) // no header has a space in it
	}
	again := *caller
	again.Retry = &audience.Retry{Header: header, Fingerprint: fingerprint(m.name, values)}
	return &again, nil
}

// fingerprint is a SHA-256 over a method and its parameters but the key. White
// space and the way in which strings are escaped do not count; the order of an
// object's members and the spelling of numbers do.
func fingerprint(method string, values []value) (sum [32]byte) {
	b := appendCanonical(nil, &value{kind: kString, text: method})
	for i := 1; i < len(values); i++ {
		b = appendCanonical(b, &values[i])
	}
	return sha256.Sum256(b)
}

func appendCanonical(b []byte, v *value) []byte {
	b = append(b, byte(v.kind))
	b = binary.AppendUvarint(b, uint64(len(v.text)))
	b = append(b, v.text...)
	b = binary.AppendUvarint(b, uint64(len(v.items)))
	for i := range v.items {
		b = binary.AppendUvarint(b, uint64(len(v.items[i].name)))
		b = append(b, v.items[i].name...)
		b = appendCanonical(b, &v.items[i])
	}
	return b
}
