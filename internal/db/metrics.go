package db

import (
	"enlist/internal/limiter"

	"github.com/prometheus/client_golang/prometheus"
)

// This file has the metrics that both engines have.

// NewCommits returns the metric of commits. The engine observes, for each commit, the number of functions of
// Engine.Update whose changes it made durable. An observation takes about 30 ns.
func NewCommits() prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "enlist_commit_updates",
		Help:    "Changes of callers and jobs that one transaction stored together, for each commit.",
		Buckets: []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
	})
}

// Pool is the state of a pool of connections.
type Pool struct {
	InUse, Most int64
	Waits       int64 // callers that had to wait for a connection, since the start
}

// PoolMetrics returns the metrics of a pool of connections.
func PoolMetrics(name string, state func() Pool) []prometheus.Collector {
	labels := prometheus.Labels{"pool": name}
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "enlist_database_connections",
			Help: "Connections to the database that are in use.", ConstLabels: labels,
		}, func() float64 { return float64(state().InUse) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "enlist_database_connections_max",
			Help: "Largest number of connections of a pool.", ConstLabels: labels,
		}, func() float64 { return float64(state().Most) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "enlist_database_waits_total",
			Help: "Transactions that had to wait for a connection.", ConstLabels: labels,
		}, func() float64 { return float64(state().Waits) }),
	}
}

// Pool returns the state of a pool whose connections the Limiter limits.
func (l Limiter) Pool() Pool {
	s := l.slots.Stats()
	return Pool{InUse: s.Used, Most: s.Size, Waits: s.Waits}
}

// Metrics returns the metrics of the limits of a pool: of its size, and of the duration of a transaction.
func (l Limiter) Metrics(name string) []prometheus.Collector {
	return []prometheus.Collector{l.slots.Hits(name), limiter.NewHits(name+"_time", l.ended.Load)}
}
