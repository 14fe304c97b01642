package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/sending"
)

// The tests in this file open the link of a notification, which shows a Contact.

// covers: decision 48
func TestContactPageEscapesAndExpires(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.must(addField(h, "Note <b>"))
	_, err := h.service.Lists.AddPreference(t.Context(), h.caller, h.list, "Weekly")
	h.must(err)
	id, err := h.service.Contacts.Subscribe(t.Context(), h.caller, contacts.SubscribeRequest{
		List:    h.list,
		Details: sent([]string{"Email", "mira@example.com", "Note <b>", `<script>alert(1)</script>"'&`}),
		Consent: contacts.Consent{Type: enlist.ConsentGDPR, Text: "I agree <i>", IP: "192.0.2.7", Preferences: []enlist.PreferenceChoice{{Name: "Weekly", Agree: true}}},
	})
	h.must(err)
	path := h.path(enlist.LinkContact, id)
	page := h.do("GET", path, "")
	h.shows(page, http.StatusOK, "Contact in <bdi>News &amp; &lt;Views&gt;</bdi>", "mira@example.com", "Note &lt;b&gt;", "&lt;script&gt;alert(1)&lt;/script&gt;",
		"I agree &lt;i&gt;", "192.0.2.7", "Weekly", "<p>Subscribed</p>", "1 July 2026, 19:30 UTC&#43;10:00")
	if strings.Contains(page.body, "<script>") || page.hasButton() {
		t.Errorf("got %s, want no script and no button", page.body)
	}
	h.shows(h.do("POST", path, ""), http.StatusMethodNotAllowed)

	h.do("POST", h.path(enlist.LinkUnsubscribe, id), pressed)
	h.shows(h.do("GET", path, ""), http.StatusOK, "<p>Unsubscribed</p>")
	h.pass(sending.ContactPageLife * time.Second)
	h.shows(h.do("GET", path, ""), http.StatusOK)
	h.pass(time.Second)
	expired := h.do("GET", path, "")
	h.shows(expired, http.StatusGone, "This link has expired")
	if strings.Contains(expired.body, "mira") || strings.Contains(expired.body, "News") {
		t.Error("the page of an expired link shows the address or the List")
	}
}

// covers: decision 48
func TestPageOfARemovedContactSaysSo(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "mira@example.com")
	path := h.path(enlist.LinkContact, id)
	h.remove(id)
	h.shows(h.do("GET", path, ""), http.StatusGone, "This contact was removed", "News &amp; &lt;Views&gt;")
	h.hideList()
	h.shows(h.do("GET", path, ""), http.StatusGone, "This contact was removed")
}

func TestStatusIsShownInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want    string
		contact enlist.Contact
	}{
		{"Subscribed", enlist.Contact{IsActive: true}},
		{"Subscribed, Inactive", enlist.Contact{}},
		{"Unsubscribed", enlist.Contact{IsActive: true, IsUnsubscribed: true}},
		{"Unsubscribed, Inactive", enlist.Contact{IsUnsubscribed: true}},
		{"Subscribed, Inactive: an email to the address bounced", enlist.Contact{IsBounceDeactivated: true}},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := strings.Join(status(&c.contact, language.New().For(language.English, "")), ", "); got != c.want {
				t.Errorf("the status is shown as %q, want %q", got, c.want)
			}
		})
	}
}

// addField adds a text Field to the List.
func addField(h *harness, name string) error {
	_, err := h.service.Lists.AddField(h.Context(), h.caller, h.list, sent([]string{"name", name, "type", "text"}))
	return err
}
