package feedback

import "github.com/prometheus/client_golang/prometheus"

// This file counts events.

// The outcomes of an event besides its kinds. A refused request counts as one event.
const (
	outcomeRepeated = "repeated" // it was recorded before, or the Contact was removed
	outcomeUnknown  = "unknown"  // it names no mail of this service
	outcomeRefused  = "refused"  // the provider did not send it, or its body cannot be read
	outcomeFailed   = "failed"   // it could not be stored, or SNS did not answer; the provider sends it again
)

func newCounter(provider string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "enlist_provider_events_total",
		Help:        "Events that the email provider has posted about mails, by outcome.",
		ConstLabels: prometheus.Labels{"provider": provider}}, []string{"outcome"})
	for _, outcome := range [...]string{string(bounce), string(complaint), string(unsubscribe), string(ignored),
		outcomeRepeated, outcomeUnknown, outcomeRefused, outcomeFailed} {
		c.WithLabelValues(outcome) // a series that begins with 0 shows its first increase
	}
	return c
}

// Metrics returns the metrics of the events of this process.
func (h *Handler) Metrics() []prometheus.Collector { return []prometheus.Collector{h.events} }
