// This file has the Handler: its options, the paths that it serves, and the replies to
// HTTP requests that are not calls. exchange.go executes the calls.

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

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"

	"enlist/internal/audience"
)

// Options configure a Handler. A zero value selects the default, which is the last part
// of each comment.
type Options struct {
	Version       string                // shown by getSessionInfo and the page for browsers
	MaxBody       int64                 // bytes of a request; 32 MiB
	MaxCalls      int                   // concurrent calls of an Account; 256
	CallWait      time.Duration         // longest wait of a further call for its turn; 5 s
	MaxHeld       int                   // bytes of a search's reply that are buffered before it is streamed; 4 MiB
	ReadTimeout   time.Duration         // longest time for a client to send its request; 1 minute
	FlushTimeout  time.Duration         // longest time a client may stall while it reads a streamed reply; 30 s
	StreamTimeout time.Duration         // longest time a client may take to read a whole streamed reply; 10 minutes
	Now           func() time.Time      // time.Now
	Log           *slog.Logger          // slog.Default
	NewRequestID  func() string         // returns the id of a failure for the log and the reply; random
	Registerer    prometheus.Registerer // nil: no metrics
}

// Handler answers the API's calls over HTTP.
type Handler struct {
	service  *audience.Service
	options  Options
	methods  map[string]*method
	limiter  callLimiter
	failures failures
	bodies   *semaphore.Weighted // bytes that large bodies may take together
	metrics  *metrics
	draining atomic.Bool // Drain was called
	idle     sync.Pool   // of *exchange
}

// New returns the Handler of a Service.
func New(service *audience.Service, o Options) *Handler {
	o = o.withDefaults()
	h := &Handler{
		service:  service,
		options:  o,
		methods:  methods(),
		limiter:  callLimiter{size: o.MaxCalls, wait: o.CallWait},
		failures: failures{now: o.Now},
		bodies:   semaphore.NewWeighted(bodiesAtOnce * o.MaxBody),
	}
	h.metrics = newMetrics(h.methods, service, o.Registerer)
	return h
}

// withDefaults replaces zero values.
func (o Options) withDefaults() Options {
	o.MaxBody = cmp.Or(o.MaxBody, 32<<20)
	o.MaxCalls = cmp.Or(o.MaxCalls, 256)
	o.CallWait = cmp.Or(o.CallWait, 5*time.Second)
	o.MaxHeld = cmp.Or(o.MaxHeld, 4<<20)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, time.Minute)
	o.FlushTimeout = cmp.Or(o.FlushTimeout, 30*time.Second)
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

// Drain answers every later request with 503. Calls that have started continue.
func (h *Handler) Drain() { h.draining.Store(true) }

// isEndpoint reports whether a path is the API's: /api/jsonrpcserver with or
// without .php, /rpc, or /. Letter case, doubled slashes and one slash at the end
// do not matter. decisions.md: 1
func isEndpoint(path string) bool {
	if path == "/rpc" || path == "/api/jsonrpcserver" { // nearly all requests
		return true
	}
	if len(path) > 200 || !strings.HasPrefix(path, "/") {
		return false
	}
	path = strings.ToLower(path)
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	switch strings.TrimSuffix(path, "/") {
	case "", "/rpc", "/api/jsonrpcserver", "/api/jsonrpcserver.php":
		return true
	}
	return false
}

// ServeHTTP answers a request. A call has status 200 even if it is refused. Other
// statuses are for requests that are not calls. decisions.md: 2
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !isEndpoint(r.URL.Path):
		http.NotFound(w, r)
	case h.draining.Load():
		w.Header().Set("Connection", "close")
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the server is shutting down; send the call again in a moment", http.StatusServiceUnavailable)
	case r.Method == http.MethodPost:
		h.serveCalls(w, r)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		servePage(w, h.options.Version)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		http.Error(w, "calls are made with POST", http.StatusMethodNotAllowed)
	}
}

// serveCalls answers the call, or batch of calls, in a request's body.
func (h *Handler) serveCalls(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength > h.options.MaxBody {
		tooLarge(w)
		return
	}
	x := h.exchange(w, r)
	defer h.release(x)
	if err := x.read(); err != nil {
		if err == errNoMemory {
			w.Header().Set("Connection", "close")
			x.refuseAll(errTooManyCalls)
			return
		}
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			tooLarge(w)
			return
		}
		panic(http.ErrAbortHandler) // the client closed the connection, or is too slow
	}
	x.answer(x.body.Bytes())
	x.releaseBody() // before the delay and the reply, which may take minutes
	x.throttle()
	if len(x.reply.buf) == 0 && !x.reply.sent {
		w.WriteHeader(http.StatusNoContent)
	} else {
		x.reply.finish()
	}
}

// tooLarge answers 413. It closes the connection, because the rest of the body was not read.
func tooLarge(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	http.Error(w, "the request is larger than this server takes", http.StatusRequestEntityTooLarge)
}

// keptBytes is the largest capacity of a buffer that is kept for a later request.
const keptBytes = 2 * firstBytes

// exchange returns an exchange for a request, from the pool if it has one.
func (h *Handler) exchange(w http.ResponseWriter, r *http.Request) *exchange {
	x, ok := h.idle.Get().(*exchange)
	if !ok {
		x = &exchange{handler: h}
		x.reply.buf = make([]byte, 0, 1024)
	}
	x.request = r
	x.reply = reply{buf: x.reply.buf[:0], w: w, options: &h.options}
	x.goodKeys, x.badKeys = 0, 0
	return x
}

// release returns an exchange to the pool, unless its buffers have become large.
func (h *Handler) release(x *exchange) {
	x.releaseBody()
	if x.body.Cap() > keptBytes || cap(x.reply.buf) > keptBytes {
		return
	}
	x.body.Reset()
	x.source.reset()
	x.arena.reset()
	x.request, x.reply.w, x.call = nil, nil, call{}
	h.idle.Put(x)
}
