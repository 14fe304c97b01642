package feedback

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/mail"
	"enlist/internal/sending"

	"github.com/prometheus/client_golang/prometheus"
)

// This file has the HTTP endpoint. It reads a request, has the provider check it, and records its events.

// Service has the methods of sending.Service that record events.
type Service interface {
	// Bounced and Complained record a report about a delivery. changed is false if it was recorded before.
	Bounced(ctx context.Context, k enlist.DeliveryKey, detail string) (changed bool, err error)
	// Returned records that a mail was refused for a reason that is not the address.
	Returned(ctx context.Context, k enlist.DeliveryKey, detail string) (changed bool, err error)
	Complained(ctx context.Context, k enlist.DeliveryKey, detail string) (changed bool, err error)
	// UnsubscribeByLink unsubscribes the Contact and returns its state before.
	UnsubscribeByLink(ctx context.Context, d enlist.DeliveryKey, ip string) (*sending.LinkView, error)
}

// Options are the settings of a Handler.
type Options struct {
	Provider string // mailgun, postmark, sendgrid or ses
	Secret   string // last part of the path
	Key      string // checks requests: mailgun's signing key, sendgrid's public key, ses's topic; "" for postmark
	Links    enlist.LinkKey
	Service  Service
	Log      *slog.Logger
}

// Prefix begins the paths of all providers.
const Prefix = "/bounces/"

const (
	maxBody     = 4 << 20          // bytes of a body; SendGrid posts up to 1,000 events, SNS up to 256 KiB
	maxRequests = 8                // requests whose bodies are in memory; further ones wait
	readTime    = 30 * time.Second // for the body of a request
)

// Handler answers requests with events.
type Handler struct {
	path     string
	name     string
	read     reader
	service  Service
	links    enlist.LinkKey
	log      *slog.Logger
	events   *prometheus.CounterVec
	requests chan struct{} // has one value for each request that is being answered
	now      func() time.Time
}

// New returns the Handler of a provider. It returns an error if Options.Key does not fit the provider.
func New(o Options) (*Handler, error) {
	read, err := newReader(o.Provider, o.Key)
	if err != nil {
		return nil, err
	}
	return &Handler{path: Prefix + o.Provider + "/" + o.Secret, name: o.Provider, read: read, service: o.Service,
		links: o.Links, log: o.Log, events: newCounter(o.Provider), requests: make(chan struct{}, maxRequests),
		now: time.Now}, nil
}

// ServeHTTP answers with 200 after all events of the body were stored. The provider repeats a request with any other
// answer, and events that were recorded before change nothing. A path with another secret does not exist.
// decisions.md: 112
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte(h.path)) != 1 {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "send POST", http.StatusMethodNotAllowed)
		return
	}
	select {
	case h.requests <- struct{}{}:
		defer func() { <-h.requests }()
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTime)) // an error means that deadlines are not supported
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		h.refuse(w, http.StatusRequestEntityTooLarge, errors.New("the body is larger than 4 MiB"))
		return
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the client has disconnected, or is too slow
	}
	h.answer(w, r, h.receive(r.Context(), r.Header, body))
}

func (h *Handler) receive(ctx context.Context, header http.Header, body []byte) error {
	events, err := h.read(ctx, header, body, h.now())
	if err != nil {
		return err
	}
	for i := range events {
		outcome, err := h.record(ctx, &events[i])
		if err != nil {
			return err
		}
		h.count(outcome)
	}
	return nil
}

// record records one event. Each event has its own transaction. decisions.md: 113
func (h *Handler) record(ctx context.Context, e *event) (outcome string, err error) {
	if e.kind == ignored {
		return string(ignored), nil
	}
	delivery, ok := h.links.ReadTag(e.tag)
	if !ok {
		return outcomeUnknown, nil
	}
	detail := mail.Shorten(e.detail)
	if detail == "" {
		detail = string(e.kind) + " reported by " + h.name
	}
	var changed bool
	switch e.kind {
	case bounce:
		changed, err = h.service.Bounced(ctx, delivery, detail)
	case refusal:
		changed, err = h.service.Returned(ctx, delivery, detail)
	case complaint:
		changed, err = h.service.Complained(ctx, delivery, detail)
	case unsubscribe:
		var before *sending.LinkView
		before, err = h.service.UnsubscribeByLink(ctx, delivery, "")
		changed = err == nil && before.Subscribed
	}
	if err != nil {
		return "", err
	}
	if !changed {
		return outcomeRepeated, nil
	}
	return string(e.kind), nil
}

// answer writes the answer to a request that receive returned err for.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case err == nil:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Write([]byte("ok\n")) // an error means that the client has disconnected
	case errors.Is(err, errForged):
		h.refuse(w, http.StatusForbidden, err)
	case errors.Is(err, errUnreadable):
		h.refuse(w, http.StatusBadRequest, err)
	default:
		h.count(outcomeFailed)
		if r.Context().Err() == nil {
			h.log.Error("events of the email provider were not stored: it sends them again", "provider", h.name,
				"error", err)
		}
		w.Header().Set("Retry-After", "60")
		http.Error(w, "the events were not stored: send them again later", http.StatusServiceUnavailable)
	}
}

// refuse answers a request that is not accepted, and logs why. The log has no part of the request.
func (h *Handler) refuse(w http.ResponseWriter, status int, err error) {
	h.count(outcomeRefused)
	h.log.Warn("events of the email provider were refused", "provider", h.name, "error", err)
	http.Error(w, err.Error(), status)
}

func (h *Handler) count(outcome string) { h.events.WithLabelValues(outcome).Inc() }

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
	for _, outcome := range [...]string{string(bounce), string(refusal), string(complaint), string(unsubscribe), string(ignored),
		outcomeRepeated, outcomeUnknown, outcomeRefused, outcomeFailed} {
		c.WithLabelValues(outcome) // a series that begins with 0 shows its first increase
	}
	return c
}

// Metrics returns the metrics of the events of this process.
func (h *Handler) Metrics() []prometheus.Collector { return []prometheus.Collector{h.events} }
