// Package httpapi answers the HTTP requests about files of Contacts: exports and imports. Packages exports and imports
// have their rules.
//
//	handler.go          authentication, and the replies to requests that are refused
//	exports.go          GET /api/exports
//	imports.go          /api/imports: uploads, and requests about imports
package httpapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"enlist/api"
	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/limiter"
	"enlist/internal/rpc"

	"github.com/prometheus/client_golang/prometheus"
)

// Options configure a Handler. A zero value selects the default, which is at the end of each comment.
type Options struct {
	FileTimeout time.Duration         // longest time that a client may take to read a file; 10 minutes
	Delay       func(r *http.Request) // waits before a request with an invalid key is refused; no delay
	Limit       RateLimit             // counts a request of a key; no limit
	Log         *slog.Logger          // log of internal errors; slog.Default
}

// RateLimit counts a request of a key, and sets the headers of the reply. It returns an error of kind Busy if the key
// makes too many.
type RateLimit func(reply http.Header, key *enlist.Key) error

// Handler answers the requests for files of Contacts.
type Handler struct {
	service  *app.App
	options  Options
	uploads  *limiter.Limiter
	stopping chan struct{} // closed by Drain
	drain    sync.Once
}

// New returns the Handler of a Service.
func New(service *app.App, o Options) *Handler {
	o.FileTimeout = cmp.Or(o.FileTimeout, 10*time.Minute)
	o.Log = cmp.Or(o.Log, slog.Default())
	if o.Delay == nil {
		o.Delay = func(*http.Request) {}
	}
	if o.Limit == nil {
		o.Limit = func(http.Header, *enlist.Key) error { return nil }
	}
	return &Handler{service: service, options: o, uploads: limiter.New(maxUploads, uploadWait),
		stopping: make(chan struct{})}
}

// Metrics returns the metrics of the limit of uploads.
func (h *Handler) Metrics() []prometheus.Collector {
	return []prometheus.Collector{h.uploads.Hits("uploads")}
}

// Drain ends the replies about the progress of imports. The imports go on.
func (h *Handler) Drain() { h.drain.Do(func() { close(h.stopping) }) }

// methods are the functions of a path by HTTP method.
type methods map[string]func(w http.ResponseWriter, r *http.Request, c *enlist.Caller) error

// mux is where Routes adds paths: a httpserver.Mux.
type mux interface {
	HandleFunc(pattern string, h http.HandlerFunc)
}

// Routes adds the paths to a mux. A refused request has a status of 400 or more, and a body of JSON with the published
// code: {"error":{"code":303,"message":"..."}}. decisions.md: 67 and 71
func (h *Handler) Routes(to mux) {
	edit := func(change editImport) methods {
		return methods{http.MethodPost: func(w http.ResponseWriter, r *http.Request, c *enlist.Caller) error {
			return h.editImport(w, r, c, change)
		}}
	}
	to.HandleFunc("/api/exports", func(w http.ResponseWriter, r *http.Request) {
		h.serve(w, r, methods{http.MethodGet: h.export})
	})
	for path, m := range map[string]methods{
		"/api/imports":              {http.MethodGet: h.allImports, http.MethodPost: h.upload},
		"/api/imports/{id}":         {http.MethodGet: h.showImport},
		"/api/imports/{id}/results": {http.MethodGet: h.importResults},
		"/api/imports/{id}/refused": {http.MethodGet: h.refusedRows},
		"/api/imports/{id}/pause":   edit((*imports.Service).PauseImport),
		"/api/imports/{id}/resume":  edit((*imports.Service).ResumeImport),
		"/api/imports/{id}/cancel":  edit((*imports.Service).CancelImport),
	} {
		serve := func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, m) }
		to.HandleFunc(path, serve)
		to.HandleFunc(path+"/{$}", serve)
	}
}

// serve answers a request with the function of its method.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, m methods) {
	do := m[r.Method]
	if do == nil {
		allowed := strings.Join(slices.Sorted(maps.Keys(m)), ", ")
		w.Header().Set("Allow", allowed)
		refuse(w, http.StatusMethodNotAllowed, api.CodeMethodNotFound, "send "+allowed)
		return
	}
	err := h.withCaller(w, r, func(c *enlist.Caller) error { return do(w, r, c) })
	if err != nil {
		h.fail(w, r, err)
	}
}

// withCaller runs do with the Caller of the key in the header Authorization. Errors: MissingKey, InvalidKey, Denied,
// and those of do.
func (h *Handler) withCaller(w http.ResponseWriter, r *http.Request, do func(*enlist.Caller) error) error {
	c, err := h.caller(r)
	if err != nil {
		return err
	}
	if err := h.options.Limit(w.Header(), c.Key); err != nil {
		return err
	}
	if c.Key.Level < enlist.Standard {
		err = enlist.Refuse(enlist.Denied, "this needs the access level %s; this key has %s", enlist.Standard, c.Key.Level)
	} else {
		err = do(c)
	}
	if _, _, published := rpc.Published(err); err == nil || !published {
		return err
	}
	// The key may have come from the cache, and a revoked key gets no other answer.
	if stale := h.service.Accounts.Recheck(r.Context(), c); enlist.KindOf(stale) == enlist.InvalidKey {
		return stale
	}
	return err
}

// caller returns the Caller of the key in the header: Authorization: Bearer KEY.
func (h *Handler) caller(r *http.Request) (*enlist.Caller, error) {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	key = strings.TrimSpace(key)
	if !strings.EqualFold(scheme, "Bearer") || key == "" {
		return nil, enlist.Refuse(enlist.MissingKey, "send the header Authorization: Bearer KEY")
	}
	c, err := h.service.Accounts.Authenticate(r.Context(), key)
	if err == nil {
		c.Actor = enlist.Actor{Method: r.Method + " " + r.URL.Path, Address: r.RemoteAddr}
	}
	return c, err
}

// errBroken ends a file of which a part was already sent.
type errBroken struct{ error }

func (e errBroken) Unwrap() error { return e.error }

// fail answers with an error. If a part of a file was sent, it closes the connection, so that the client notices.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	if broken, ok := errors.AsType[errBroken](err); ok {
		if r.Context().Err() == nil {
			h.options.Log.Warn("a file was broken off", "path", r.URL.Path, "error", broken.error)
		}
		panic(http.ErrAbortHandler)
	}
	if h.failImport(w, r, err) {
		return
	}
	code, message, published := rpc.Published(err)
	if !published {
		if r.Context().Err() == nil {
			h.options.Log.Error("request failed", "path", r.URL.Path, "error", err)
		}
		code, message = api.FailureName("")
		refuse(w, http.StatusInternalServerError, code, message)
		return
	}
	status := http.StatusBadRequest
	switch enlist.KindOf(err) {
	case enlist.InvalidKey, enlist.MissingKey:
		h.options.Delay(r)
		w.Header().Set("WWW-Authenticate", "Bearer")
		status = http.StatusUnauthorized
	case enlist.Denied:
		status = http.StatusForbidden
	case enlist.NoList:
		status = http.StatusNotFound
	case enlist.Busy:
		if w.Header().Get("Retry-After") == "" { // Limit sets it for a key over its rate
			w.Header().Set("Retry-After", "10")
		}
		status = http.StatusServiceUnavailable
	}
	refuse(w, status, code, message)
}

// refuse writes the body of a refused request.
func refuse(w http.ResponseWriter, status int, code api.Code, message string) {
	type body struct {
		Code    api.Code `json:"code"`
		Message string   `json:"message"`
	}
	text, err := json.Marshal(map[string]body{"error": {code, message}})
	if err != nil {
		panic(err) // a struct of a number and a text is always encoded
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(text, '\n')) // an error means that the client has disconnected
}
