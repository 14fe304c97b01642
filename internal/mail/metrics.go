package mail

import (
	"errors"
	"net"
	"strconv"
	"time"

	"enlist/internal/messages"
	"enlist/internal/sending"

	"github.com/prometheus/client_golang/prometheus"
)

// This file has the metrics of mails.

// The outcomes of a mail. All but sent, bounced and refused are tried again.
const (
	outcomeSent        = "sent"        // the mail server accepted it
	outcomeBounced     = "bounced"     // the mail server refused the address
	outcomeRefused     = "refused"     // the mail server refused the mail
	outcomeDeferred    = "deferred"    // the mail server wants to get it later
	outcomeUnknown     = "unknown"     // the mail server may have accepted it
	outcomeUnreachable = "unreachable" // the mail server did not answer, or the file could not be written
	outcomePaused      = "paused"      // not tried: sending is paused, or too many mails waited
)

// meter counts mails. A process has one mail server, so the label relay has one value.
type meter struct {
	mails    *prometheus.CounterVec
	handOver prometheus.Histogram
}

func newMeter(relay string) *meter {
	labels := prometheus.Labels{"relay": relay}
	m := &meter{
		mails: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "enlist_mails_total",
			Help: "Mails by outcome; a mail that is tried again is counted again.", ConstLabels: labels},
			[]string{"outcome"}),
		handOver: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "enlist_mail_seconds",
			Help:        "Time to hand over a mail to the mail server, without the time that it waits for a connection or a rate.",
			ConstLabels: labels, Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10,
				40}}),
	}
	for _, outcome := range [...]string{outcomeSent, outcomeBounced, outcomeRefused, outcomeDeferred, outcomeUnknown,
		outcomeUnreachable, outcomePaused} {
		m.mails.WithLabelValues(outcome) // a series that begins with 0 shows its first increase
	}
	return m
}

// count counts a mail for which send returned err.
func (m *meter) count(err error) { m.mails.WithLabelValues(outcomeOf(err)).Inc() }

// took adds the duration of an attempt that began at a time.
func (m *meter) took(began time.Time) { m.handOver.Observe(time.Since(began).Seconds()) }

func outcomeOf(err error) string {
	why, known := errors.AsType[*messages.Undelivered](err)
	switch {
	case err == nil:
		return outcomeSent
	case errors.Is(err, sending.ErrSendingPaused):
		return outcomePaused
	case !known:
		return outcomeUnreachable
	case why.Unknown:
		return outcomeUnknown
	case why.Permanent && why.Recipient:
		return outcomeBounced
	case why.Permanent:
		return outcomeRefused
	case why.Code != 0:
		return outcomeDeferred
	}
	return outcomeUnreachable
}

// relay returns the name of the mail server for metrics. It has no user name and no password.
func (s *mailServer) relay() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// Metrics returns the metrics of the mails of this process.
func (m *Mailer) Metrics() []prometheus.Collector {
	return []prometheus.Collector{m.meter.mails, m.meter.handOver}
}
