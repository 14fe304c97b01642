package main

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"os"
	"strings"

	"enlist/internal/config"
	"enlist/internal/httpserver"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// The second HTTP server, for operators: metrics and profiles. It listens on a separate address, because profiles must
// not be public.

// opsServer serves metrics and profiles. All methods of a nil opsServer do
// nothing.
type opsServer struct {
	metrics  *prometheus.Registry
	http     *http.Server
	listener net.Listener
	log      *slog.Logger
}

// newOps listens on addr. It returns nil if addr is empty or "none". If the default
// address is in use, newOps logs a warning and returns nil, so that a second service on
// the machine starts without flags. Another address that is in use is an error.
func newOps(addr string, limits httpserver.Limits, log *slog.Logger) (*opsServer, error) {
	if addr == "" || addr == "none" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", addr)
	switch {
	case err != nil && addr == config.DefaultOpsListen:
		log.Warn("metrics are not served: the address is in use; set --ops-listen to another address, "+
			"or to none to serve no metrics", "address", addr)
		return nil, nil
	case err != nil:
		return nil, next(err, "set --ops-listen to another address, or to none to serve no metrics")
	}
	log.Info("metrics and profiles", "url", "http://"+listener.Addr().String()+"/metrics")
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: httpserver.Deadlines(ownHosts(mux, addr), limits), MaxHeaderBytes: 16 << 10,
		ReadHeaderTimeout: headerTime, IdleTimeout: idleTime}
	return &opsServer{metrics, server, listener, log}, nil
}

// registerer returns the registry for metrics of other packages; nil if no metrics are served.
func (o *opsServer) registerer() prometheus.Registerer {
	if o == nil {
		return nil
	}
	return o.metrics
}

// serve serves until close is called.
func (o *opsServer) serve() {
	if o == nil {
		return
	}
	if err := o.http.Serve(o.listener); !errors.Is(err, http.ErrServerClosed) {
		o.log.Error("the HTTP server for metrics failed", "error", err)
	}
}

// close ends all connections at once, also the connections of running profiles.
// It may be called several times, and before serve.
func (o *opsServer) close() {
	if o == nil {
		return
	}
	o.http.Close()
	o.listener.Close()
}

// localNames are the ends of names that are never in the public DNS, or belong to a cluster.
var localNames = []string{".localhost", ".local", ".internal", ".home.arpa", ".svc"}

// ownHosts calls next for requests to an address, to a name without a dot, to a local name, and to the names of this
// machine and of listen. A web page can lead its own name to 127.0.0.1 (DNS rebinding), and then read what the listener
// for operators answers. Its requests have the page's name in the header Host, so the listener answers only to names that
// no stranger can own.
func ownHosts(next http.Handler, listen string) http.Handler {
	machine, _ := os.Hostname() // "" is no Host
	own := []string{strings.ToLower(machine), strings.ToLower(hostOf(listen))}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isOwnHost(strings.ToLower(hostOf(r.Host)), own) {
			http.Error(w, "this listener does not answer to the host "+r.Host+": ask by address, or start the service with "+
				"this name in --ops-listen", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isOwnHost(host string, own []string) bool {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || host != "" && !strings.Contains(host, ".") {
		return true
	}
	for _, name := range own {
		if host == name && host != "" {
			return true
		}
	}
	for _, end := range localNames {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return false
}

// hostOf returns the host of an address without its port.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}
