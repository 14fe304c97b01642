package main

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"

	"enlist/internal/config"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// opsServer serves metrics and profiles to whoever runs the service. A nil one
// does nothing.
type opsServer struct {
	metrics  *prometheus.Registry
	http     *http.Server
	listener net.Listener
	log      *slog.Logger
}

// newOps listens on an address, or on none. When the address is only the
// default, somebody else's being there first is no reason not to serve.
func newOps(addr string, log *slog.Logger) (*opsServer, error) {
	if addr == "" || addr == "none" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", addr)
	switch {
	case err != nil && addr == config.DefaultOpsListen:
		log.Warn("going on without metrics: their address is taken; choose another with --ops-listen, or none", "address", addr)
		return nil, nil
	case err != nil:
		return nil, next(err, "choose another address with --ops-listen, or none")
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
	server := &http.Server{Handler: mux, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime}
	return &opsServer{metrics, server, listener, log}, nil
}

// registerer is where others add their metrics; nil when nobody could read them.
func (o *opsServer) registerer() prometheus.Registerer {
	if o == nil {
		return nil
	}
	return o.metrics
}

func (o *opsServer) serve() {
	if o == nil {
		return
	}
	if err := o.http.Serve(o.listener); !errors.Is(err, http.ErrServerClosed) {
		o.log.Error("serving metrics ended", "error", err)
	}
}

// close ends its connections at once: a profile that runs is no reason to wait.
// It may be called again, and before serve.
func (o *opsServer) close() {
	if o == nil {
		return
	}
	o.http.Close()
	o.listener.Close()
}
