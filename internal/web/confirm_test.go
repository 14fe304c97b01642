package web

import (
	"net/http"
	"testing"
	"time"

	"enlist/internal/audience"
)

// covers: decision 48
func TestConfirm(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1")
	id := h.subscribe("Email", "mira@example.com")
	path := h.path(audience.LinkConfirm, id)
	page := h.do("GET", path, "")
	h.shows(page, http.StatusOK, "Confirm your subscription to <bdi>News &amp; &lt;Views&gt;</bdi>", "m…@example.com", `<form method="post">`)
	if h.contact(id).DoubleOptIn {
		t.Fatal("a GET has confirmed")
	}
	h.pass(time.Hour)
	pressed := h.clock().Unix()
	h.shows(h.do("POST", path, ""), http.StatusOK, "Your subscription is confirmed")
	h.pass(time.Hour)
	for _, method := range []string{"GET", "POST"} {
		again := h.do(method, path, "")
		h.shows(again, http.StatusOK, "Your subscription is confirmed")
		if again.hasButton() {
			t.Errorf("%s: there is still a button", method)
		}
	}
	if c := h.contact(id); !c.DoubleOptIn || c.DoubleOptInTime != pressed {
		t.Errorf("confirmed: %v at %d, want %d", c.DoubleOptIn, c.DoubleOptInTime, pressed)
	}
}

// A link never confirms what its reader has ended, or an address that it was
// not sent to.
//
// covers: decision 48
func TestConfirmWhatIsNotThere(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1")
	ended, moved, gone := h.subscribe("Email", "mira@example.com"), h.subscribe("Email", "old@example.com"), h.subscribe("Email", "noor@example.com")
	h.do("POST", h.path(audience.LinkUnsubscribe, ended), "")
	h.must(h.store.Update(t.Context(), func(tx audience.Tx) error {
		d := audience.Delivery{DeliveryKey: h.delivery(moved), Address: "older@example.com", Status: audience.DeliverySent}
		return tx.PutDelivery(&d)
	}))
	for id, text := range map[audience.ContactID]string{
		ended: "This subscription has ended",
		moved: "This link is out of date",
	} {
		for _, method := range []string{"GET", "POST"} {
			a := h.do(method, h.path(audience.LinkConfirm, id), "")
			h.shows(a, http.StatusGone, text)
			if a.hasButton() || h.contact(id).DoubleOptIn {
				t.Errorf("%s: button %v, confirmed %v", method, a.hasButton(), h.contact(id).DoubleOptIn)
			}
		}
	}
	h.remove(gone) // and all before
	h.shows(h.do("POST", h.path(audience.LinkConfirm, gone), ""), http.StatusGone, "There is nothing to confirm", "News &amp; &lt;Views&gt;")
	h.hideList()
	h.shows(h.do("POST", h.path(audience.LinkConfirm, gone), ""), http.StatusGone, "There is nothing to confirm", "this list")
}

// The spelling of an address is none of its changes.
//
// covers: decision 48
func TestConfirmAddressSpelledOtherwise(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1")
	id := h.subscribe("Email", "Mira@Example.com")
	h.must(h.store.Update(t.Context(), func(tx audience.Tx) error {
		d := audience.Delivery{DeliveryKey: h.delivery(id), Address: "mira@example.com", Status: audience.DeliverySent}
		return tx.PutDelivery(&d)
	}))
	h.shows(h.do("POST", h.path(audience.LinkConfirm, id), ""), http.StatusOK, "Your subscription is confirmed")
}
