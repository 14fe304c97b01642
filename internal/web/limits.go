package web

import (
	"hash/maphash"
	"net/http"
	"net/netip"
	"time"

	"enlist/internal/address"
	"enlist/internal/limiter"
)

// This file limits how often a visitor sends forms. A Form is open to everyone, so a program could fill a List, or let
// the server send mails to a person.

// The forms that one sender may send at once, and how soon another one.
const (
	ofVisitor, everyVisitor = 20, time.Minute
	ofNetwork, everyNetwork = 100, 10 * time.Second
	ofHidden, everyHidden   = 600, time.Second // requests without a known address, which share it
	ofMailbox, everyMailbox = 5, 10 * time.Minute
)

// answerTime is the least time of an answer about an address. It is longer than a subscription or a look-up takes, so
// that the time does not show whether the address is known.
const answerTime = 300 * time.Millisecond

// limits counts the forms of senders.
type limits struct {
	visitors, networks, mailboxes limiter.Rates

	seed maphash.Seed
}

// owner returns a number for a text. It cannot be guessed, so no sender can use up the rate of another one.
func (l *limits) owner(text string) int64 {
	return int64(maphash.String(l.seed, text))
}

// admit reports whether a visitor may send another form.
func (l *limits) admit(r *http.Request, now time.Time) bool {
	addr, err := netip.ParseAddr(visitorIP(r))
	if err != nil {
		_, _, ok := l.networks.Take(0, limiter.Rate{Interval: everyHidden, Burst: ofHidden}, now)
		return ok
	}
	one, many := 32, 24
	if addr.Is6() {
		one, many = 64, 48
	}
	for _, by := range []struct {
		rates *limiter.Rates
		rate  limiter.Rate
		bits  int
	}{{&l.visitors, limiter.Rate{Interval: everyVisitor, Burst: ofVisitor}, one},
		{&l.networks, limiter.Rate{Interval: everyNetwork, Burst: ofNetwork}, many}} {
		prefix, _ := addr.Prefix(by.bits) // the number of bits fits
		if _, _, ok := by.rates.Take(l.owner(prefix.String()), by.rate, now); !ok {
			return false
		}
	}
	return true
}

// mailboxKey returns the same text for all spellings of an address, which reach the same mailbox. A text that is no
// address is its own key.
func mailboxKey(text string) string {
	if _, key, ok := address.ParseEmail(text); ok {
		return key
	}
	return text
}

// admitMailbox reports whether forms may be sent for an address. A form for another time is answered in the same way.
func (l *limits) admitMailbox(normalised string, now time.Time) bool {
	_, _, ok := l.mailboxes.Take(l.owner(normalised), limiter.Rate{Interval: everyMailbox, Burst: ofMailbox}, now)
	return ok
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
