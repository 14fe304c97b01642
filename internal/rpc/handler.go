package rpc

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"enlist/api"
	"enlist/internal/app"
	"enlist/internal/limiter"
	"enlist/internal/rpc/xmlrpc"

	"github.com/prometheus/client_golang/prometheus"
)

// This file has the Handler, its options and the paths that it serves. It also answers the HTTP
// requests that are not calls. exchange.go executes the calls.

// Options configure a Handler. A zero value selects the default, which is at the end of each
// comment.
type Options struct {
	Version       string                // version that getKeyInfo and the page for browsers show; ""
	MaxBody       int64                 // largest body of a request in bytes; 32 MiB
	Memory        int64                 // bytes that the process may use; calls get a part of it; 512 MiB
	MaxCalls      int                   // largest number of concurrent calls of an Account; 256
	CallWait      time.Duration         // longest time that a call waits for a slot; 5 s
	MaxHeld       int                   // largest reply to a search in bytes that is not streamed; 4 MiB
	ReadTimeout   time.Duration         // longest time that a client may take to send its request, and that it waits for memory; 1 minute
	StreamTimeout time.Duration         // longest time that a client may take to read a complete reply; 10 minutes
	Now           func() time.Time      // the clock; time.Now
	Log           *slog.Logger          // log of internal errors; slog.Default
	NewRequestID  func() string         // returns an id for the log and the reply of an internal error; random digits
	Trace         StartSpan             // begins the span of a call; no spans
	Registerer    prometheus.Registerer // registers the metrics; no metrics
}

// StartSpan begins the span of a call. method is "other" for an unknown method. StartSpan returns the request with the
// span in its context, the ID of the trace for the log, and a function that ends the span; its code is 0 after success.
type StartSpan func(r *http.Request, method string) (traced *http.Request, id string, end func(code api.Code))

// Handler answers the API's calls over HTTP.
type Handler struct {
	service  *app.App
	options  Options
	methods  map[string]*method
	calls    *limiter.Limiter // slots for the calls of each Account
	rates    limiter.Rates    // calls of each key that has a rate
	memory   memory
	failures failures
	metrics  *metrics

	detailKeys map[string][]string // see detailKeys
	ignoredLog ignoredLog

	draining atomic.Bool // Drain was called
	idle     sync.Pool   // *exchange values for reuse
	openRPC  func() []byte
}

// New returns the Handler of a Service.
func New(service *app.App, o Options) *Handler {
	o = o.withDefaults()
	h := &Handler{
		service:  service,
		options:  o,
		methods:  methods(service),
		calls:    newCallLimiter(o.MaxCalls, o.CallWait),
		memory:   newMemory(o.Memory, o.ReadTimeout),
		failures: failures{now: o.Now},

		detailKeys: detailKeys(),
	}
	h.openRPC = sync.OnceValue(func() []byte {
		d := Describe(o.Version)
		return d.OpenRPC()
	})
	h.metrics = newMetrics(h.methods, o.Registerer)
	if o.Registerer != nil {
		o.Registerer.MustRegister(h.calls.Hits("calls"), h.memory.bodies.Hits("bodies"), h.memory.params.Hits("params"),
			limiter.NewHits("key_rate", h.rates.Refused))
	}
	return h
}

// withDefaults returns the options with the default in place of each zero value.
func (o Options) withDefaults() Options {
	o.MaxBody = cmp.Or(o.MaxBody, 32<<20)
	o.Memory = cmp.Or(o.Memory, 512<<20)
	o.MaxCalls = cmp.Or(o.MaxCalls, 256)
	o.CallWait = cmp.Or(o.CallWait, 5*time.Second)
	o.MaxHeld = cmp.Or(o.MaxHeld, 4<<20)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, time.Minute)
	o.StreamTimeout = cmp.Or(o.StreamTimeout, 10*time.Minute)
	o.Log = cmp.Or(o.Log, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewRequestID == nil {
		o.NewRequestID = newRequestID
	}
	return o
}

// Drain makes the endpoint answer every later request with 503. Calls that have started continue.
func (h *Handler) Drain() { h.draining.Store(true) }

// format is the format of calls and replies at a path.
type format int

const (
	notFound format = iota // the path is not a path of the API
	formatJSON
	formatXML
)

// endpoint returns the format of a path of the API: /api/jsonrpcserver, /rpc and / for JSON, and
// /api/xmlrpcserver for XML. .php may follow "server". It ignores letter case, doubled slashes and a
// slash at the end. reference.md: endpoint.path
func endpoint(path string) format {
	if path == "/rpc" || path == "/api/jsonrpcserver" { // fast path for nearly all requests
		return formatJSON
	}
	if len(path) > 200 || !strings.HasPrefix(path, "/") {
		return notFound
	}
	path = strings.ToLower(path)
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	switch strings.TrimSuffix(path, "/") {
	case "", "/rpc", "/api/jsonrpcserver", "/api/jsonrpcserver.php":
		return formatJSON
	case "/api/xmlrpcserver", "/api/xmlrpcserver.php":
		return formatXML
	}
	return notFound
}

// ServeHTTP answers a request. A reply that contains the result or the error of a call has status
// 200. A reply with another status contains neither. reference.md: endpoint.status
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	format := endpoint(r.URL.Path)
	switch {
	case format == notFound:
		http.NotFound(w, r)
	case h.draining.Load():
		w.Header().Set("Connection", "close")
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the server is shutting down; send the call again in a moment", http.StatusServiceUnavailable)
	case r.Method == http.MethodPost:
		h.serveCalls(w, r, format)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		servePage(w, h.options.Version)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		http.Error(w, "send calls with POST", http.StatusMethodNotAllowed)
	}
}

// serveCalls answers the call or the batch of calls in the body of a request.
func (h *Handler) serveCalls(w http.ResponseWriter, r *http.Request, format format) {
	if r.ContentLength > h.options.MaxBody {
		tooLarge(w)
		return
	}
	x := h.exchange(w, r)
	if format == formatXML {
		x.reply.xml = new(xmlReply)
	}
	defer h.release(x)
	if err := x.read(); err != nil {
		if refusal := refusedBody(err); refusal != nil {
			w.Header().Set("Connection", "close")
			x.refuseAll(refusal)
			return
		}
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			tooLarge(w)
			return
		}
		panic(http.ErrAbortHandler) // the client closed the connection or is too slow
	}
	x.answer(x.body.Bytes())
	x.releaseBody() // the delay and the rest of the reply may take minutes
	x.throttle()
	if len(x.reply.buf) == 0 && !x.reply.sent {
		w.WriteHeader(http.StatusNoContent)
	} else {
		x.reply.finish()
	}
}

// refusedBody returns the error for the reply if the service refuses the body for this error of
// reading it, and nil otherwise.
func refusedBody(err error) error {
	if err == errNoMemory {
		return err
	}
	if e, ok := errors.AsType[*xmlrpc.Error](err); ok {
		return refuseXML(e)
	}
	return nil
}

// tooLarge answers with status 413. It closes the connection, because the rest of the body was
// not read.
func tooLarge(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	http.Error(w, "the request is larger than this server accepts", http.StatusRequestEntityTooLarge)
}

// Largest capacities of buffers that a later request may reuse.
const (
	keptBody  = 2 * smallBody
	keptReply = 2 * firstBytes
)

// exchange returns an exchange for a request. It takes the exchange from the pool, or creates a
// new one if the pool is empty.
func (h *Handler) exchange(w http.ResponseWriter, r *http.Request) *exchange {
	x, ok := h.idle.Get().(*exchange)
	if !ok {
		x = &exchange{handler: h}
		x.reply.buf = make([]byte, 0, 1024)
	}
	x.request = r
	x.reply = reply{buf: x.reply.buf[:0], w: w, options: &h.options}
	x.goodKeys, x.badKeys, x.trace = 0, 0, ""
	return x
}

// release puts an exchange back into the pool, unless one of its buffers has become large.
func (h *Handler) release(x *exchange) {
	x.leave()
	x.releaseBody()
	if x.body.Cap() > keptBody || cap(x.reply.buf) > keptReply {
		return
	}
	x.body.Reset()
	x.source.reset()
	x.arena.reset()
	x.request, x.reply.w, x.call = nil, nil, call{}
	h.idle.Put(x)
}
