package web

import (
	"net/http"
	"net/netip"
	"strconv"

	"enlist/internal/address"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/sending"
)

// This file has the actions of Handler: one function for each kind of link and HTTP method.

func subscription(v *sending.LinkView) page {
	return page{Schema: v.Schema, Address: mask(v.Address()), Wanted: v.Language()}
}

// visitorIP returns the IP address of a visitor for the consent ledger. It returns "" for an address of a private
// network: the proxy before the server has it, and a wrong address in the ledger would be worse than none.
// decisions.md: 89
func visitorIP(r *http.Request) string {
	port, err := netip.ParseAddrPort(r.RemoteAddr)
	ip := port.Addr().Unmap().WithZone("")
	if err != nil || ip.IsPrivate() || !ip.IsGlobalUnicast() {
		return ""
	}
	return ip.String()
}

// showUnsubscribe shows the page with the button that unsubscribes. If the Contact is already
// unsubscribed, it shows the page that says so.
func (h *Handler) showUnsubscribe(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	v, err := h.links.ViewLink(r.Context(), l.DeliveryKey)
	switch {
	case err != nil:
		h.failed(w, r, l, err)
	case !v.Subscribed:
		h.unsubscribed(w, r, v)
	default:
		h.render(w, r, http.StatusOK, "unsubscribe", subscription(v))
	}
}

// unsubscribe unsubscribes the Contact and replies with a page. The request comes from the button
// of the page, or from the button of a mail program, and its form says so. Any other form gets the page
// with the button: a program that only checks links may send one. The reply must not be a redirect
// (RFC 8058, section 3.1).
func (h *Handler) unsubscribe(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	if r.PostForm.Get("button") == "reason" {
		h.explain(w, r, l)
		return
	}
	if r.PostForm.Get("List-Unsubscribe") != "One-Click" && r.PostForm.Get("button") != "unsubscribe" {
		h.showUnsubscribe(w, r, l)
		return
	}
	v, err := h.links.UnsubscribeByLink(r.Context(), l.DeliveryKey, visitorIP(r))
	if err != nil {
		h.failed(w, r, l, err)
		return
	}
	h.unsubscribed(w, r, v)
}

// unsubscribed shows the page that says that the Contact is unsubscribed. It is also the page for
// a Contact that was unsubscribed before the request, or that was removed.
func (h *Handler) unsubscribed(w http.ResponseWriter, r *http.Request, v *sending.LinkView) {
	p := subscription(v)
	if v.Contact != nil && !v.Moved {
		p.Reasons = contacts.DepartureReasons()
	}
	h.render(w, r, http.StatusOK, "unsubscribed", p)
}

// explain stores why the Contact has unsubscribed, and shows the page without the question.
func (h *Handler) explain(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	v, err := h.links.ExplainDeparture(r.Context(), l.DeliveryKey,
		contacts.DepartureReason(r.PostForm.Get("reason")), r.PostForm.Get("words"))
	switch {
	case err != nil:
		h.failed(w, r, l, err)
	case v.Subscribed:
		h.render(w, r, http.StatusOK, "unsubscribe", subscription(v))
	default:
		p := subscription(v)
		p.Done = true
		h.render(w, r, http.StatusOK, "unsubscribed", p)
	}
}

// showConfirm shows the page with the button that confirms a subscription.
func (h *Handler) showConfirm(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	v, err := h.links.ViewLink(r.Context(), l.DeliveryKey)
	h.confirmation(w, r, l, v, err)
}

// confirm confirms a subscription and shows the result. Any other form than that of the button gets the page with the
// button: a program that only checks links may send one.
func (h *Handler) confirm(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	if r.PostForm.Get("button") != "confirm" {
		h.showConfirm(w, r, l)
		return
	}
	v, err := h.links.ViewLink(r.Context(), l.DeliveryKey)
	var agreed *contacts.TrackingDecision
	switch {
	case err != nil || v.Contact == nil:
	case v.Ticked != nil && r.PostForm.Get(tickedInput) == mark(v.Ticked): // the page has shown its text
		agreed = &contacts.TrackingDecision{Consent: v.Ticked.Tracking, Version: v.Ticked.TextVersion,
			By: contacts.Origin{Method: contacts.MethodConfirmLink, IP: visitorIP(r), Text: v.Ticked.Text}}
	case v.Schema.AsksForTracking() && r.PostForm.Has(trackingInput):
		agreed = h.decision(r, v.Schema, v.Language(), contacts.MethodConfirmLink)
		if agreed == nil { // the text has changed
			h.confirmation(w, r, l, v, err)
			return
		}
	}
	if err == nil {
		v, err = h.links.ConfirmByLink(r.Context(), l.DeliveryKey, visitorIP(r), agreed)
	}
	h.confirmation(w, r, l, v, err)
}

// confirmation replies with the page for the state of a confirmation.
func (h *Handler) confirmation(w http.ResponseWriter, r *http.Request, l enlist.Link,
	v *sending.LinkView, err error) {
	if err != nil {
		h.failed(w, r, l, err)
		return
	}
	status, name := http.StatusOK, "confirm"
	switch v.Confirmation() {
	case sending.ConfirmationGone:
		status, name = http.StatusGone, "confirmgone"
	case sending.ConfirmationEnded:
		status, name = http.StatusGone, "confirmended"
	case sending.ConfirmationMoved:
		status, name = http.StatusGone, "confirmmoved"
	case sending.ConfirmationDone:
		name = "confirmed"
	}
	p := subscription(v)
	if name == "confirm" && v.Ticked != nil {
		p.Tracking = &trackingPage{Ticked: v.Ticked.Text, Mark: mark(v.Ticked)}
	} else if name == "confirm" && v.Schema.AsksForTracking() && v.Contact.TrackingConsent != enlist.TrackingGranted {
		p.Tracking = trackingOf(v.Schema, v.Contact, "")
	}
	h.render(w, r, status, name, p)
}

// pixel is a GIF image of one transparent pixel.
const pixel = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!" +
	"\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// open records that the mail was opened, and sends the tracking pixel. It sends the pixel even if
// it cannot record the opening.
func (h *Handler) open(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	if r.Method == http.MethodGet {
		h.logError(r, l, h.links.Opened(r.Context(), l, r.UserAgent()))
	}
	w.Header().Set("Content-Type", "image/gif")
	w.Header().Set("Content-Length", strconv.Itoa(len(pixel)))
	send(w, http.StatusOK, pixel)
}

// click records the click, and redirects to the link's URL. It redirects even if it cannot record
// the click.
func (h *Handler) click(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	url, err := h.links.LinkURL(r.Context(), &h.key, l)
	switch {
	case enlist.KindOf(err) == enlist.NoLink:
		h.render(w, r, http.StatusGone, "nowhere", page{})
		return
	case err != nil:
		h.failed(w, r, l, err)
		return
	}
	if r.Method == http.MethodGet {
		h.logError(r, l, h.links.Clicked(r.Context(), l, r.UserAgent()))
	}
	http.Redirect(w, r, address.ASCIILink(url), http.StatusFound)
}

// contact shows the page of a Contact to the recipient of a notification.
func (h *Handler) contact(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	v, err := h.links.ViewContactPage(r.Context(), l.DeliveryKey)
	switch {
	case err != nil:
		h.failed(w, r, l, err)
	case v.Expired:
		h.render(w, r, http.StatusGone, "expired", page{IsOwner: true})
	case v.Contact == nil:
		p := subscription(&v.LinkView)
		p.IsOwner = true
		h.render(w, r, http.StatusGone, "contact_gone", p)
	default:
		p := subscription(&v.LinkView)
		p.IsOwner, p.Details = true, newDetails(v, h.ownerLanguage(r))
		h.render(w, r, http.StatusOK, "contact_page", p)
	}
}
