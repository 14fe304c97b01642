package web

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/forms"
)

// This file tests the page of the settings of a subscriber, and the mail with its link.

// The answer about the link to the settings is the same for all addresses, and only a Contact gets a mail.
//
// covers: decision 133
func TestLinkToTheSettingsIsMailed(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.subscribe("Email", "mira@example.com")
	path := h.addForm() + "/link"
	h.shows(h.do("GET", path, ""), http.StatusOK, `name="address"`)
	known, unknown := h.do("POST", path, "address=Mira%40Example.com"), h.do("POST", path, "address=bob%40example.com")
	h.shows(known, http.StatusOK, "an email with the link is on its way")
	if known.body != unknown.body {
		t.Error("the answers about a known and an unknown address differ")
	}
	h.shows(h.do("POST", path, "address=nonsense"), http.StatusOK, "on its way")
	if n := h.jobs("send_link"); n != 1 {
		t.Errorf("%d mails are sent, want 1", n)
	}
}

// A page promises no mail while none leaves: without a mail server, without a sender, or while mails are held.
//
// covers: decision 133
func TestPagesPromiseNoMailWhereNoneLeaves(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1")
	form, old := h.addForm(), h.path(enlist.LinkPreferences, h.subscribe("Email", "mira@example.com"))
	h.pass(31 * 24 * time.Hour)
	for _, leave := range []bool{true, false} {
		asked := enlist.ListID(0)
		h.pages.SetMails(func(_ context.Context, l *enlist.List) bool { asked = l.ID; return leave })
		for path, body := range map[string]string{form + "/link": "address=mira%40example.com", old: "button=link"} {
			if page := h.do("GET", path, ""); strings.Contains(page.body, "No email can be sent at the moment") == leave {
				t.Errorf("mails leave: %v, and %s is %s", leave, path, page.body)
			}
			want := map[bool]string{true: "on its way", false: "cannot be sent at the moment. Please try again later."}[leave]
			page := h.do("POST", path, body)
			h.shows(page, http.StatusOK, want)
			if strings.Contains(page.body, "on its way") != leave {
				t.Errorf("mails leave: %v, and the page after %s is %s", leave, path, page.body)
			}
		}
		shown := h.do("GET", form, "")
		stamp := regexp.MustCompile(`name="stamp" value="([^"]*)"`).FindStringSubmatch(shown.body)[1]
		h.pass(time.Minute)
		sent := h.do("POST", form, "stamp="+stamp+"&f1=noor%40example.com")
		h.shows(sent, http.StatusOK, "Thank you", map[bool]string{true: "we have sent an email to it", false: "the subscription waits until it is confirmed"}[leave])
		if strings.Contains(sent.body, "have sent an email") != leave || asked != h.list {
			t.Errorf("mails leave: %v, asked about the List %d, and the Form is answered with %s", leave, asked, sent.body)
		}
	}
}

// covers: decision 133
func TestSubscriberChangesSettings(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	born, err := h.service.Lists.AddField(t.Context(), h.caller, h.list, sent([]string{"name", "Born", "type", "date", "allow_update", "1"}))
	h.must(err)
	note, err := h.service.Lists.AddField(t.Context(), h.caller, h.list, sent([]string{"name", "Note", "type", "text", "allow_update", "0"}))
	h.must(err)
	topic, err := h.service.Lists.AddPreference(t.Context(), h.caller, h.list, "Events")
	h.must(err)
	public := h.addList("name", "Offers", "is_public", "1", "description", "Every <Friday>")
	h.addList("name", "Hidden")
	id := h.subscribe("Email", "mira@example.com", "Note", "internal")
	path := h.path(enlist.LinkPreferences, id)
	h.editList("preferences_text", "Choose <what>\nyou like")
	page := h.do("GET", path, "")
	h.shows(page, http.StatusOK, "Your settings", `<p class="lines">Choose &lt;what&gt;`, "m…@example.com", "Born", "Events", "Offers", "Every &lt;Friday&gt;", `href="../..`+h.path(enlist.LinkUnsubscribe, id))
	if strings.Contains(page.body, "internal") || strings.Contains(page.body, "Hidden") {
		t.Error("the page shows more than the subscriber may change")
	}
	b, p, l := forms.FieldInput(born), forms.PreferenceInput(topic), listName(public)
	shown := "shown=" + b + "&shown=" + p + "&shown=" + l
	h.shows(h.do("POST", path, shown+"&"+b+"=soon&"+l+"=1"), http.StatusUnprocessableEntity, `value="soon"`, `name="`+l+`" value="1" checked`, "not valid")
	done := h.do("POST", path, shown+"&"+b+"=2000-02-03&"+p+"=1&"+l+"=1&shown="+forms.FieldInput(note)+"&"+forms.FieldInput(note)+"=mine")
	if done.StatusCode != http.StatusSeeOther {
		t.Fatalf("the form is answered with %d: %s", done.StatusCode, done.body)
	}
	h.shows(h.do("GET", path+done.Header.Get("Location"), ""), http.StatusOK, "Your settings are saved", `value="2000-02-03"`)
	if c := h.contact(id); c.Values.Get(born) != "2000-02-03" || !c.Prefs[topic] || c.Values.Get(note) != "internal" {
		t.Errorf("the Contact is %+v", c)
	}
	joined, err := h.service.Contacts.CountContacts(t.Context(), h.caller, public, nil)
	if h.must(err); joined != 1 {
		t.Errorf("the public List has %d Contacts, want 1", joined)
	}
	h.do("POST", path, shown)
	left, err := h.service.Contacts.CountContacts(t.Context(), h.caller, public, &enlist.Criteria{Key: "is_unsubscribed", Operator: "exactly",
		Value: enlist.Input{Kind: enlist.InputTrue}})
	if h.must(err); left != 1 || h.contact(id).Prefs[topic] {
		t.Errorf("%d Contacts have left the public List, want 1", left)
	}
	data := h.do("GET", path+"?data", "")
	h.shows(data, http.StatusOK, `"Note": "internal"`, `"method": "preferencePage"`)
	h.pass(31 * 24 * time.Hour)
	for _, old := range []string{path, path + "?data"} {
		if a := h.do("GET", old, ""); a.StatusCode != http.StatusGone || strings.Contains(a.body, "internal") || !strings.Contains(a.body, "has expired") {
			t.Errorf("an old link is answered with %d", a.StatusCode)
		}
	}
	h.shows(h.do("POST", path, "button=link"), http.StatusOK, "on its way")
	if n := h.jobs("send_link"); n != 1 {
		t.Errorf("%d mails are sent, want 1", n)
	}
}
