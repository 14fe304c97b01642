package sqlite

import (
	"slices"

	"enlist/internal/db"

	"github.com/prometheus/client_golang/prometheus"
)

// This file has the metrics of the engine.

// Metrics returns the metrics of the store. Nothing is computed before they are collected, except the counters.
func (s *Store) Metrics() []prometheus.Collector {
	all := []prometheus.Collector{
		s.writer.commits,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "enlist_write_queue", Help: "Changes that wait for SQLite's only writer.",
		}, func() float64 { return float64(s.writer.waiting()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "enlist_wal_bytes", Help: "Size of SQLite's write-ahead log.",
		}, func() float64 { return float64(s.WALBytes()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "enlist_broken_off_total",
			Help: "Streamed replies and searches that were broken off because the write-ahead log reached its limit.",
		}, func() float64 { return float64(s.BrokenOff()) }),
	}
	all = append(all, db.PoolMetrics("writer", func() db.Pool {
		of := s.db.Stats()
		return db.Pool{InUse: int64(of.InUse), Most: int64(of.MaxOpenConnections), Waits: of.WaitCount}
	})...)
	for name, r := range map[string]*readers{"lookups": s.readers, "searches": s.searches, "streams": s.streams} {
		all = slices.Concat(all, db.PoolMetrics(name, r.limiter.Pool), r.limiter.Metrics(name))
	}
	return all
}
