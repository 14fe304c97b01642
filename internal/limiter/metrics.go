package limiter

import "github.com/prometheus/client_golang/prometheus"

// Stats are the numbers of a Limiter since its start.
type Stats struct {
	Used    int64 // units in use now
	Size    int64 // units of all owners together
	Waits   int64 // operations that had to wait
	Refused int64 // operations that got ErrBusy
}

// Stats returns the numbers of the Limiter.
func (l *Limiter) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{l.used, l.size, l.waits, l.refused}
}

// Hits returns the metric that counts the refused operations of the Limiter. name is the value of the label.
func (l *Limiter) Hits(name string) prometheus.Collector {
	return NewHits(name, func() int64 { return l.Stats().Refused })
}

// NewHits is Hits for a limit of another kind.
func NewHits(name string, count func() int64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "enlist_limit_hits_total", Help: "Operations that this process refused or ended because of one of its limits.",
		ConstLabels: prometheus.Labels{"limit": name},
	}, func() float64 { return float64(count()) })
}
