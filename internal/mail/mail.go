package mail

import (
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"

	"github.com/prometheus/client_golang/prometheus"
)

// This file has the Mailer, which other packages use, and its metrics. The Mailer composes a message (compose.go) and
// passes it to a sender (transport.go).

// Mailer composes and sends mails. It is safe for concurrent use.
type Mailer struct {
	*composer
	sender sender
	meter  *meter
}

// Linker stores the targets of links in Messages.
type Linker interface {
	// LinkTargets stores the URLs of a Message that are not stored yet, and that it has them at the time edited. It
	// returns the IDs of all URLs, in the order of urls.
	LinkTargets(ctx context.Context, message enlist.MessageID, edited int64, urls []string) ([]enlist.LinkID, error)
}

// Options are the settings of a Mailer.
type Options struct {
	From      string                    // sender of a mail if neither its Message, its List nor the setting mail-from has one; "": none
	Settings  func() *accounts.Settings // of this moment; nil: the zero Settings
	PublicURL string                    // URL of this service's pages, without a slash at the end
	Key       enlist.LinkKey
	Links     Linker
	Files     Files
	Transport Transport
}

// New returns a Mailer. The Mailer connects to the mail server when it sends the first mail.
func New(o Options) (*Mailer, error) {
	composer, err := newComposer(o)
	if err != nil {
		return nil, err
	}
	o.Transport.settings = composer.settings
	sender, meter, err := newSender(o.Transport)
	if err != nil {
		return nil, err
	}
	return &Mailer{composer: composer, sender: sender, meter: meter}, nil
}

// NewComposer returns a Composer for a program that sends no mails. It needs no Transport.
func NewComposer(o Options) (messages.Composer, error) { return newComposer(o) }

// Notify sends a notification. The Message-ID is derived from id. If a caller sends the same
// notification again, with the same id, the second mail has the same Message-ID.
func (m *Mailer) Notify(ctx context.Context, id string, n *messages.Notification) error {
	msg, err := m.composer.notification(id, n)
	if err != nil {
		return err
	}
	return m.handOver(ctx, msg, nil)
}

// Send sends a mail to a Contact and returns the subject with its merge fields filled.
func (m *Mailer) Send(ctx context.Context, l *messages.OutgoingMail) (subject string, err error) {
	msg, subject, err := m.composer.outgoing(ctx, l)
	if err != nil {
		return "", err
	}
	return subject, m.handOver(ctx, msg, &l.Delivery)
}

// handOver sends a message and counts it.
func (m *Mailer) handOver(ctx context.Context, msg *composed, about *enlist.DeliveryKey) error {
	err := m.sender.send(ctx, msg, about)
	m.meter.count(err)
	return err
}

// Close closes the connections to the mail server. The caller must first wait until all
// calls of Notify and Send have returned.
func (m *Mailer) Close() error { return m.sender.close() }

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
