package postgres

import (
	"enlist/internal/db"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// Metrics returns the metrics of the store. Nothing is computed before they are collected, except the counters.
func (s *Store) Metrics() []prometheus.Collector {
	all := []prometheus.Collector{s.commits}
	for name, pool := range map[string]*pgxpool.Pool{"writer": s.writers, "jobs": s.jobs} {
		all = append(all, db.PoolMetrics(name, func() db.Pool {
			of := pool.Stat()
			return db.Pool{InUse: int64(of.AcquiredConns()), Most: int64(of.MaxConns()), Waits: of.EmptyAcquireCount()}
		})...)
	}
	for name, r := range map[string]*readers{"lookups": s.readers, "searches": s.searches, "streams": s.streams} {
		all = append(all, db.PoolMetrics(name, r.limiter.Pool)...)
		all = append(all, r.limiter.Metrics(name)...)
	}
	return all
}
