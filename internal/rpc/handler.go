package rpc

import (
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

// Options are what New may be told. Zero values stand for the defaults.
type Options struct {
	Version       string                // shown by getSessionInfo and the page for people
	MaxBody       int64                 // bytes of a request; 32 MiB
	MaxCalls      int                   // at once per Account; 256
	CallWait      time.Duration         // in line for one of these; 5 s
	MaxHeld       int                   // bytes of a search's reply in memory before it becomes a stream; 4 MiB
	ReadTimeout   time.Duration         // for a client to send its request; 1 minute
	FlushTimeout  time.Duration         // for a client to take a part of a long reply; 30 s
	StreamTimeout time.Duration         // for a client to take all of it; 10 minutes
	Now           func() time.Time      // time.Now
	Log           *slog.Logger          // slog.Default
	NewRequestID  func() string         // names a failure in log and reply; random
	Registerer    prometheus.Registerer // nil: no metrics
}

// limits are the settings that a reply needs.
type limits struct {
	hold          int
	flush, stream time.Duration
}

// Handler answers the API's calls over HTTP.
type Handler struct {
	service  *audience.Service
	options  Options
	limits   limits
	methods  map[string]*method
	limiter  callLimiter
	failures failures
	bodies   *semaphore.Weighted // bytes of large bodies
	metrics  *metrics
	draining atomic.Bool
	idle     sync.Pool // of *exchange
}

// New makes the Handler of a Service.
func New(service *audience.Service, o Options) *Handler {
	o = o.withDefaults()
	h := &Handler{
		service:  service,
		options:  o,
		limits:   limits{hold: o.MaxHeld, flush: o.FlushTimeout, stream: o.StreamTimeout},
		methods:  methods(),
		limiter:  callLimiter{size: o.MaxCalls, wait: o.CallWait},
		failures: failures{now: o.Now},
		bodies:   semaphore.NewWeighted(bodiesAtOnce * o.MaxBody),
	}
	h.metrics = newMetrics(h.methods, service, o.Registerer)
	return h
}

func (o Options) withDefaults() Options {
	o.MaxBody = orElse(o.MaxBody, 32<<20)
	o.MaxCalls = orElse(o.MaxCalls, 256)
	o.CallWait = orElse(o.CallWait, 5*time.Second)
	o.MaxHeld = orElse(o.MaxHeld, 4<<20)
	o.ReadTimeout = orElse(o.ReadTimeout, time.Minute)
	o.FlushTimeout = orElse(o.FlushTimeout, 30*time.Second)
	o.StreamTimeout = orElse(o.StreamTimeout, 10*time.Minute)
	o.Log = orElse(o.Log, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewRequestID == nil {
		o.NewRequestID = newRequestID
	}
	return o
}

func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Drain makes every later request be answered with 503. Calls that have begun go on.
func (h *Handler) Drain() { h.draining.Store(true) }

// isEndpoint reports whether a path is the API's: /api/jsonrpcserver, with or
// without .php, /rpc and /, in any letter case, with doubled slashes and one
// trailing slash forgiven. decisions.md: 1
func isEndpoint(path string) bool {
	if path == "/rpc" || path == "/api/jsonrpcserver" { // as nearly all are
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

// ServeHTTP answers a request. Every call is answered with status 200, errors
// too; other statuses are for what is no call. decisions.md: 2
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !isEndpoint(r.URL.Path):
		http.NotFound(w, r)
	case h.draining.Load():
		w.Header().Set("Connection", "close")
		w.Header().Set("Retry-After", "1")
		http.Error(w, "shutting down; try again in a moment", http.StatusServiceUnavailable)
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
		panic(http.ErrAbortHandler) // the client went away, or takes too long
	}
	x.answer(x.body.Bytes())
	x.releaseBody() // what comes now may take as long as the client likes
	x.throttle()
	if len(x.reply.buf) == 0 && !x.reply.sent {
		w.WriteHeader(http.StatusNoContent)
	} else {
		x.reply.finish()
	}
}

func tooLarge(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	http.Error(w, "the request is larger than this server takes", http.StatusRequestEntityTooLarge)
}

// keptBytes is how large a buffer may be to be kept for the next request.
const keptBytes = 2 * firstBytes

// exchange gives a request what it needs to be answered.
func (h *Handler) exchange(w http.ResponseWriter, r *http.Request) *exchange {
	x, ok := h.idle.Get().(*exchange)
	if !ok {
		x = &exchange{handler: h}
		x.reply.buf = make([]byte, 0, 1024)
	}
	x.request = r
	x.reply = reply{buf: x.reply.buf[:0], w: w, limits: &h.limits}
	x.good, x.bad = 0, 0
	return x
}

// release keeps an exchange for another request, unless it has grown large.
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
