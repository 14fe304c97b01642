package web

import (
	"hash/maphash"
	"net/http"
	"time"

	"enlist/internal/limiter"
)

// This file limits how often a visitor sends forms, and how often views of Forms are counted. A Form is open to
// everyone, so a program could fill a List, let the server send mails to a person, or keep the database writing.

// The forms that one sender may send at once, and how soon another one.
const (
	ofVisitor, everyVisitor = 20, time.Minute
	ofNetwork, everyNetwork = 100, 10 * time.Second
	ofHidden, everyHidden   = 600, time.Second // requests without a known address, which share it
	ofMailbox, everyMailbox = 5, 10 * time.Minute
)

// The views of Forms of all visitors that are counted at once, and how soon another one. A visitor and a network may be
// counted as often as they may send forms, so that no Form is sent more often than it is shown.
const ofViews, everyOfViews = 100, 100 * time.Millisecond

// answerTime is the least time of an answer about an address. It is longer than a subscription or a look-up takes, so
// that the time does not show whether the address is known.
const answerTime = 300 * time.Millisecond

// limits counts the forms of senders.
type limits struct {
	visitors, networks, mailboxes   limiter.Rates
	viewers, viewNetworks, allViews limiter.Rates

	seed maphash.Seed
}

// owner returns a number for a text. It cannot be guessed, so no sender can use up the rate of another one.
func (l *limits) owner(text string) int64 {
	return int64(maphash.String(l.seed, text))
}

// admit reports whether a visitor may send another form.
func (l *limits) admit(r *http.Request, now time.Time) bool {
	one, many := prefixes(r)
	if one == "" {
		_, _, ok := l.networks.Take(0, limiter.Rate{Interval: everyHidden, Burst: ofHidden}, now)
		return ok
	}
	return l.takeBoth(&l.visitors, &l.networks, one, many, now)
}

// admitView reports whether a view of a Form is counted. Visitors without a known address have only the rate of all.
func (l *limits) admitView(r *http.Request, now time.Time) bool {
	one, many := prefixes(r)
	return (one == "" || l.takeBoth(&l.viewers, &l.viewNetworks, one, many, now)) &&
		l.take(&l.allViews, "", limiter.Rate{Interval: everyOfViews, Burst: ofViews}, now)
}

// takeBoth takes from the rate of a visitor and then from that of the network. So a visitor who has used up the own rate
// takes nothing from others.
func (l *limits) takeBoth(visitors, networks *limiter.Rates, visitor, network string, now time.Time) bool {
	return l.take(visitors, visitor, limiter.Rate{Interval: everyVisitor, Burst: ofVisitor}, now) &&
		l.take(networks, network, limiter.Rate{Interval: everyNetwork, Burst: ofNetwork}, now)
}

func (l *limits) take(rates *limiter.Rates, owner string, rate limiter.Rate, now time.Time) bool {
	_, _, ok := rates.Take(l.owner(owner), rate, now)
	return ok
}

// prefixes returns the visitor and the network from which a request comes. They are "" if the address is not known.
func prefixes(r *http.Request) (visitor, network string) { return limiter.Networks(visitorIP(r)) }

// admitMailbox reports whether forms may be sent for an address. A form for another time is answered in the same way.
func (l *limits) admitMailbox(normalised string, now time.Time) bool {
	return l.take(&l.mailboxes, normalised, limiter.Rate{Interval: everyMailbox, Burst: ofMailbox}, now)
}

// pad returns a function that waits until the least time of an answer has passed.
func (h *Handler) pad(r *http.Request) (wait func()) {
	timer := time.NewTimer(h.answer)
	return func() {
		select {
		case <-timer.C:
		case <-r.Context().Done():
			timer.Stop()
		}
	}
}
