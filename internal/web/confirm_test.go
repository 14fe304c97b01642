package web

import (
	"net/http"
	"testing"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// The tests in this file open the link that confirms a subscription and press its button.

// confirmed is the form that the button sends.
const confirmed = "button=confirm"

// covers: decision 48
func TestButtonConfirmsOnce(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1")
	id := h.subscribe("Email", "mira@example.com")
	path := h.path(enlist.LinkConfirm, id)
	page := h.do("GET", path, "")
	h.shows(page, http.StatusOK, "Confirm your subscription to <bdi>News &amp; &lt;Views&gt;</bdi>", "m…@example.com", `<form method="post">`, `name="button" value="confirm"`)
	if h.contact(id).DoubleOptIn {
		t.Fatal("a GET request confirmed the subscription")
	}
	for _, body := range []string{"", "List-Unsubscribe=One-Click", "button=unsubscribe"} { // a scanner sends them
		if h.shows(h.do("POST", path, body), http.StatusOK, "Confirm your subscription"); h.contact(id).DoubleOptIn {
			t.Fatalf("a POST request with %q confirmed the subscription", body)
		}
	}
	h.pass(time.Hour)
	pressed := h.clock().Unix()
	h.shows(h.do("POST", path, confirmed), http.StatusOK, "Your subscription is confirmed")
	h.pass(time.Hour)
	for _, method := range []string{"GET", "POST"} {
		again := h.do(method, path, "")
		h.shows(again, http.StatusOK, "Your subscription is confirmed")
		if again.hasButton() {
			t.Errorf("%s: the page still has a button after the confirmation", method)
		}
	}
	if c := h.contact(id); !c.DoubleOptIn || c.DoubleOptInTime != pressed {
		t.Errorf("confirmed: %v at %d, want true at %d", c.DoubleOptIn, c.DoubleOptInTime, pressed)
	}
}

// A link does not confirm a subscription that has ended. It also does not confirm a
// subscription with another address than the one to which the link was sent.
//
// covers: decision 48
func TestEndedOrMovedSubscriptionIsNotConfirmed(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1")
	ended, moved, gone := h.subscribe("Email", "mira@example.com"), h.subscribe("Email", "old@example.com"), h.subscribe("Email", "noor@example.com")
	h.do("POST", h.path(enlist.LinkUnsubscribe, ended), pressed)
	h.must(h.store.Update(t.Context(), func(tx *db.Tx) error {
		d := messages.Delivery{DeliveryKey: h.delivery(moved), Address: "older@example.com", Status: messages.DeliverySent}
		return d.Put(tx)
	}))
	for _, c := range []struct {
		id   enlist.ContactID
		text string
	}{{ended, "This subscription has ended"}, {moved, "This link is out of date"}} {
		for _, method := range []string{"GET", "POST"} {
			t.Run(method+" "+c.text, func(t *testing.T) {
				a := h.do(method, h.path(enlist.LinkConfirm, c.id), "")
				h.shows(a, http.StatusGone, c.text)
				if a.hasButton() || h.contact(c.id).DoubleOptIn {
					t.Errorf("the page has a button: %v, the subscription is confirmed: %v; want neither", a.hasButton(), h.contact(c.id).DoubleOptIn)
				}
			})
		}
	}
	h.remove(gone) // also removes all Contacts with a lower ID
	h.shows(h.do("POST", h.path(enlist.LinkConfirm, gone), ""), http.StatusGone, "There is nothing to confirm", "News &amp; &lt;Views&gt;")
	h.hideList()
	h.shows(h.do("POST", h.path(enlist.LinkConfirm, gone), ""), http.StatusGone, "There is nothing to confirm", "this list")
}

// If only the letter case of the address has changed, the link still confirms the subscription.
//
// covers: decision 48
func TestLinkConfirmsAfterAChangeOfLetterCase(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1")
	id := h.subscribe("Email", "Mira@Example.com")
	h.must(h.store.Update(t.Context(), func(tx *db.Tx) error {
		d := messages.Delivery{DeliveryKey: h.delivery(id), Address: "mira@example.com", Status: messages.DeliverySent}
		return d.Put(tx)
	}))
	h.shows(h.do("POST", h.path(enlist.LinkConfirm, id), confirmed), http.StatusOK, "Your subscription is confirmed")
}
