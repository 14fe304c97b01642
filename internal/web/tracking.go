package web

import (
	"html/template"
	"net/http"
	"slices"
	"strconv"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/forms"
	"enlist/internal/language"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file has the page about the recording of opens and clicks, and the choice that other pages have too.
// decisions.md: 160

const (
	trackingInput = "tracking" // of a tick, or of the word of a decision
	versionInput  = "version"  // of the text that the page has shown
	tickedInput   = "ticked"   // the mark of the tick of a Form that the page has shown
)

// trackingPage is what pages show about the recording of opens and clicks.
type trackingPage struct {
	*enlist.Contact
	Recorded []string // keys of the texts about what can be recorded; none: nothing
	Refuses  bool     // the button refuses
	Ticked   string   // the text of the Form to which the visitor has agreed; "": none
	Mark     string   // of this tick
	Unknown  bool     // the mail perhaps went to another address than that of the Contact
}

// trackingOf returns what a page shows a Contact. choice is the word of the decision for which it has the button, or "".
func trackingOf(s *enlist.Schema, c *enlist.Contact, choice string) *trackingPage {
	t := &trackingPage{Contact: c, Refuses: s.Tracks(c.TrackingConsent)}
	if s.TracksOpens(enlist.TrackingGranted) {
		t.Recorded = append(t.Recorded, "web.tracking.opens")
	}
	if s.TracksClicks(enlist.TrackingGranted) {
		t.Recorded = append(t.Recorded, "web.tracking.clicks")
	}
	if choice != c.TrackingConsent.String() {
		t.Refuses = choice == enlist.TrackingDenied.String() || t.Refuses && choice == ""
	}
	return t
}

// showTracking shows the page with the button. It changes nothing: security filters follow links.
func (h *Handler) showTracking(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	v, err := h.links.ViewLink(r.Context(), l.DeliveryKey)
	h.tracking(w, r, l, v, err)
}

// tracking answers with the page.
func (h *Handler) tracking(w http.ResponseWriter, r *http.Request, l enlist.Link, v *sending.LinkView, err error) {
	if err != nil {
		h.failed(w, r, l, err)
		return
	}
	status, p := http.StatusOK, h.mailPage(r, v.Schema, v.Language())
	switch {
	case v.Contact == nil: // nothing is recorded
		status, p.Tracking = http.StatusGone, new(trackingPage)
	case v.Moved:
		status = http.StatusGone
	default:
		p.Address, p.Done = mask(v.Address()), r.URL.RawQuery == "saved"
		p.Tracking = trackingOf(v.Schema, v.Contact, r.URL.Query().Get(enlist.TrackingChoice))
		if v.Unknown {
			p.Tracking.Unknown, p.Tracking.Refuses = true, true
		}
	}
	h.render(w, r, status, "tracking", p)
}

// decideTracking stores the decision of the button, or mails a new link. Any other form gets the page: a program that
// only checks links may send one.
func (h *Handler) decideTracking(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	if !h.limits.admit(r, h.now()) {
		h.render(w, r, http.StatusTooManyRequests, "toomany", page{})
		return
	}
	v, err := h.links.ViewLink(r.Context(), l.DeliveryKey)
	if err == nil && v.Moved && r.PostForm.Get("button") == "link" {
		h.newLink(w, r, l, v)
		return
	}
	var d *contacts.TrackingDecision
	if err == nil && v.Contact != nil && v.Schema.Tracks(enlist.TrackingGranted) {
		d = h.decision(r, v.Schema, v.Language(), contacts.MethodTracking)
	}
	if d == nil {
		h.tracking(w, r, l, v, err)
		return
	}
	d.Forget = d.Consent == enlist.TrackingDenied && forms.IsTicked(r.PostForm["forget"])
	v, err = h.links.DecideTracking(r.Context(), l.DeliveryKey, *d)
	if err != nil || v.Contact == nil || v.Moved {
		h.tracking(w, r, l, v, err)
		return
	}
	w.Header().Set("Location", "?saved") // relative, because the public URL can have a path
	w.WriteHeader(http.StatusSeeOther)
}

// decision returns the decision of a form with the text that its page has shown. It returns nil if the form has none, or
// agrees to a text that has changed since. wanted is the language of the page.
func (h *Handler) decision(r *http.Request, s *enlist.Schema, wanted, method string) *contacts.TrackingDecision {
	in := h.languageFor(r, s, wanted)
	d := &contacts.TrackingDecision{By: contacts.Origin{Method: method, IP: visitorIP(r)}}
	d.By.Text, d.Version = forms.TrackingText(&s.List, in, wanted)
	switch consent := r.PostForm.Get(trackingInput); {
	case consent == enlist.TrackingDenied.String():
		d.Consent = enlist.TrackingDenied
		d.By.Text, d.Version = refusal(s, in)
	case consent == enlist.TrackingGranted.String() && slices.Contains(r.PostForm[versionInput], d.Version):
		d.Consent = enlist.TrackingGranted
	default:
		return nil
	}
	return d
}

// mark returns the mark of a tick of a Form. A later tick, which another visitor may have sent, has another one.
func mark(row *enlist.LedgerRow) string { return strconv.FormatInt(row.Time, 10) }

// refusal returns what a person has read who refuses: what can be recorded.
func refusal(s *enlist.Schema, in *language.Language) (text, version string) {
	var all []string
	for _, key := range trackingOf(s, new(enlist.Contact), "").Recorded {
		all = append(all, in.Text(key))
	}
	return in.Sentences(all...), forms.OwnTracking(in)
}

// Wording returns what a person agrees to.
func (p page) Wording() string {
	text, _ := forms.TrackingText(&p.Schema.List, p.Language, p.Wanted)
	return text
}

// Version returns the version of the Wording.
func (p page) Version() string {
	_, version := forms.TrackingText(&p.Schema.List, p.Language, p.Wanted)
	return version
}

// Decided returns what the Contact has decided, and when.
func (p page) Decided() template.HTML {
	c := p.Tracking.Contact
	day := p.Language.Time("long_day", messages.LocalTime(p.Schema, c.TrackingTime))
	switch {
	case c.TrackingConsent == enlist.TrackingGranted:
		return p.Language.HTML("web.tracking.granted", "day", day)
	case c.TrackingConsent == enlist.TrackingDenied:
		return p.Language.HTML("web.tracking.denied", "day", day)
	case p.Schema.Tracks(enlist.TrackingUnknown):
		return p.Text("web.tracking.undecided_on")
	}
	return p.Text("web.tracking.undecided_off")
}

// trackingOf returns the text beside the tick of a Form, or "", and its version. isOurs is false for a page of another
// site, whose language does not depend on the browser.
func (f *formRequest) trackingOf(p *forms.Public, isOurs bool) (text, version string) {
	preferred := ""
	if isOurs {
		preferred = f.browserLanguages()
	}
	return p.TrackingTick(p.Schema, f.texts.For(languageOf(p), preferred))
}
