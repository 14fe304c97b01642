package httpserver

import (
	"net/http"
	"strings"
)

// Mux is an http.ServeMux that redirects nothing. The handler of /u/ or /rpc also gets a request for /u or //rpc, with
// the path as it is and without path values: a signed link has one valid path, and the API accepts more paths than a
// ServeMux.
type Mux struct {
	mux       http.ServeMux
	byPattern map[string]*route
}

// route is a handler that a caller of Handle has given: ServeMux has others, for redirects.
type route struct {
	http.Handler
	hasValues bool // the pattern has wildcards, whose values only ServeMux can give to a request
}

// NewMux returns a Mux without paths.
func NewMux() *Mux { return &Mux{byPattern: make(map[string]*route)} }

// Handle is as http.ServeMux.Handle. A pattern has no host.
func (m *Mux) Handle(pattern string, h http.Handler) {
	m.byPattern[pattern] = &route{h, strings.Contains(pattern, "{")}
	m.mux.Handle(pattern, m.byPattern[pattern])
}

// HandleFunc is as http.ServeMux.HandleFunc.
func (m *Mux) HandleFunc(pattern string, h http.HandlerFunc) { m.Handle(pattern, h) }

// ServeHTTP implements http.Handler.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, pattern := m.mux.Handler(r)
	of, found := h.(*route)
	if !found {
		of = m.byPattern[pattern]
	}
	if of == nil || found && of.hasValues {
		m.mux.ServeHTTP(w, r) // matches a second time
		return
	}
	of.ServeHTTP(w, r)
}
