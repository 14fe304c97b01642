package rpc

import (
	"strconv"
	"time"

	"enlist/api"

	"github.com/prometheus/client_golang/prometheus"
)

// This file has the Prometheus metrics of the API: the number of calls by method and code, the
// duration of calls, and the number of ignored keys. exchange.go counts each call at its end.

// metrics count calls. The histogram of each method and the counter of its successful calls are
// looked up at start, because a lookup by labels acquires a lock and hashes the labels.
type metrics struct {
	calls *prometheus.CounterVec
	known map[*method]methodMetrics
	other methodMetrics // unknown methods, and bodies that are not calls
}

// methodMetrics are the metrics of one method.
type methodMetrics struct {
	name     string
	good     prometheus.Counter // successful calls
	ignored  prometheus.Counter // names that mean nothing: see ignored.go
	duration prometheus.Observer
}

// newMetrics creates the metrics and registers them, unless r is nil.
func newMetrics(table map[string]*method, r prometheus.Registerer) *metrics {
	calls := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "enlist_calls_total", Help: "Calls by method and error code; 0 is success.",
	}, []string{"method", "code"})
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "enlist_call_seconds", Help: "Time to answer a call.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60, 600},
	}, []string{"method"})
	ignored := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "enlist_ignored_keys_total", Help: "Keys and parameters of calls that mean nothing and were ignored or refused.",
	}, []string{"method"})
	if r != nil {
		r.MustRegister(calls, durations, ignored)
	}
	m := &metrics{calls: calls, known: make(map[*method]methodMetrics, len(table))}
	newMethod := func(name string) methodMetrics {
		return methodMetrics{name, calls.WithLabelValues(name, "0"), ignored.WithLabelValues(name),
			durations.WithLabelValues(name)}
	}
	for name, method := range table {
		m.known[method] = newMethod(name)
	}
	m.other = newMethod("other")
	return m
}

// count counts a call. code is 0 if the call succeeded. m is nil for an unknown method.
func (s *metrics) count(m *method, code api.Code, took time.Duration) {
	of, ok := s.known[m]
	if !ok {
		of = s.other
	}
	if code == 0 {
		of.good.Inc()
	} else {
		s.calls.WithLabelValues(of.name, strconv.Itoa(int(code))).Inc()
	}
	of.duration.Observe(took.Seconds())
}
