package advisor

import "github.com/prometheus/client_golang/prometheus"

// Metrics returns the metrics of the indexes for Prometheus. They count the builds of this
// process. Reconcile counts the indexes that are ready.
func (a *Advisor) Metrics() []prometheus.Collector {
	builds := func(result string, count func() int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "enlist_search_index_builds_total", Help: "Search indexes that this process built or failed to build.",
			ConstLabels: prometheus.Labels{"result": result},
		}, func() float64 { return float64(count()) })
	}
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "enlist_search_indexes", Help: "Search indexes that are ready, counted at most a minute ago.",
		}, func() float64 { return float64(a.ready.Load()) }),
		builds("ready", a.built.Load),
		builds("failed", a.failed.Load),
	}
}
