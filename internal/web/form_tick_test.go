package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/forms"
)

// This file tests forms as web frameworks and programs send them.

// ticked is a Form with a consent and a preference, on a site of the Account.
func ticked(t *testing.T, h *harness) (path, preference string) {
	t.Helper()
	id, err := h.service.Lists.AddPreference(t.Context(), h.caller, h.list, "Events")
	h.must(err)
	preference = forms.PreferenceInput(id)
	path = h.addForm("preference_ids", preference[1:], "consent_text", "I agree", "sites", "https://shop.example")
	h.header = http.Header{"Origin": {"https://shop.example"}}
	return path, preference
}

// covers: spec form.tick
func TestATickIsNotSentByTheWordsForNo(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	path, p := ticked(t, h)
	for i, body := range []string{"agree=0", "agree=false", "agree=no", "agree=off", "agree=False", "agree=NO", "agree=+0+", "agree=f",
		"agree=n", "agree=", "agree=null", "agree=nein", "agree=0&agree=false", "", "agree%5B%5D=1"} {
		h.shows(h.do("POST", path, "f1=no"+itoa(int64(i))+"%40example.com&"+body), http.StatusUnprocessableEntity, "Please tick this")
	}
	if n := h.contacts(); n != 0 {
		t.Fatalf("forms without a tick have added %d Contacts", n)
	}
	for i, body := range []string{"agree=1&" + p + "=0", "agree=0&agree=1&" + p + "=false", "agree=true&agree=false&" + p + "=off",
		"agree=on&" + p + "=0&" + p + "=1"} {
		h.shows(h.do("POST", path, "f1="+string(rune('a'+i))+"%40example.com&"+body), http.StatusOK, "Thank you")
		c := h.contact(enlist.ContactID(i + 1))
		if got := c.Prefs[1]; got != strings.HasSuffix(body, "1") || len(c.Prefs) > 1 {
			t.Errorf("%s stores the answers %v", body, c.Prefs)
		}
	}
	ledger := 0
	for id := range 4 {
		ledger += len(h.consents(enlist.ContactID(id + 1)))
	}
	if ledger != 4 {
		t.Errorf("the ledger has %d consents, want one of each visitor who has ticked", ledger)
	}
}

// covers: spec form.tick
func TestATickInJSONIsNotSentByTheWordsForNo(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	path, p := ticked(t, h)
	var form formInfo
	h.must(json.Unmarshal([]byte(h.do("GET", path+".json", "").body), &form))
	h.pass(3 * time.Second)
	h.header.Set("Content-Type", "application/json")
	sent := int64(0)
	post := func(agree, preference string) answer {
		sent++
		return h.do("POST", path+".json", `{"stamp":"`+form.Stamp+`","values":{"f1":"a`+itoa(sent)+`@example.com","`+p+`":`+preference+`},"agree":`+agree+`}`)
	}
	for _, agree := range []string{"false", "0", `"0"`, `"false"`, "null", `""`, `["0","false"]`, "{}"} {
		h.shows(post(agree, "true"), http.StatusUnprocessableEntity, `"agree":"Please tick this`)
	}
	for i, c := range []struct{ agree, preference string }{{"true", "0"}, {"1", `"false"`}, {`"yes"`, "1"}} {
		h.shows(post(c.agree, c.preference), http.StatusOK, `"ok":true`)
		if got := h.contact(enlist.ContactID(i + 1)).Prefs[1]; got != (i == 2) {
			t.Errorf("the preference %s is stored as %v", c.preference, got)
		}
	}
}

// covers: spec form.tick
func TestATickOfThePreferencePageIsNotSentByTheWordsForNo(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	colours, err := h.service.Lists.AddField(t.Context(), h.caller, h.list, sent([]string{"name", "Colours", "type", "checkbox", "values_array", "Red,Blue", "allow_update", "1"}))
	h.must(err)
	topic, err := h.service.Lists.AddPreference(t.Context(), h.caller, h.list, "Events")
	h.must(err)
	other := h.addList("name", "Offers", "is_public", "1")
	f, p, l := forms.FieldInput(colours), forms.PreferenceInput(topic), listName(other)
	id := h.subscribe("Email", "mira@example.com")
	send := func(value string) {
		body := "shown=" + p + "&shown=" + l + "&shown=" + f + "&" + f + "=0&" + f + "=Red"
		a := h.do("POST", h.path(enlist.LinkPreferences, id), body+"&"+p+"=0&"+l+"=0"+value)
		h.shows(a, http.StatusSeeOther)
	}
	send("")
	if c := h.contact(id); c.Prefs[topic] || c.Values.Get(colours) != "Red" {
		t.Errorf("the Contact is %+v, want no tick and Red", c)
	}
	if n, err := h.service.Contacts.CountContacts(t.Context(), h.caller, other, nil); n != 0 || err != nil {
		t.Errorf("the public List has %d Contacts, %v", n, err)
	}
	send("&" + p + "=1&" + l + "=1")
	if n, err := h.service.Contacts.CountContacts(t.Context(), h.caller, other, nil); n != 1 || err != nil || !h.contact(id).Prefs[topic] {
		t.Errorf("the public List has %d Contacts, %v", n, err)
	}
}

// covers: spec form.charset
func TestAFormIsReadInItsEncoding(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	name, err := h.service.Lists.AddField(t.Context(), h.caller, h.list, sent([]string{"name", "Nom", "type", "text"}))
	h.must(err)
	f := forms.FieldInput(name)
	path, _ := ticked(t, h)
	h.addForm("field_ids", f[1:], "consent_text", "I agree", "sites", "https://shop.example")
	for i, c := range []struct{ kind, body, want string }{
		{"application/x-www-form-urlencoded; charset=ISO-8859-1", f + "=Jos%E9", "José"},
		{"application/x-www-form-urlencoded; charset=windows-1252", f + "=%80%2050", "€ 50"},
		{"application/x-www-form-urlencoded", f + "=Jos%E9&_charset_=windows-1252", "José"},
		{"application/x-www-form-urlencoded", f + "=%CF%F0&_charset_=windows-1251", "Пр"},
		{"application/x-www-form-urlencoded; charset=UTF-8", f + "=Jos%C3%A9&_charset_=", "José"},
		{"application/x-www-form-urlencoded; charset=unknown", f + "=Jos%C3%A9", "José"},
	} {
		h.header.Set("Content-Type", c.kind)
		h.shows(h.do("POST", path, "f1="+string(rune('a'+i))+"%40example.com&agree=1&"+c.body), http.StatusOK, "Thank you")
		if got := h.contact(enlist.ContactID(i + 1)).Values.Get(name); got != c.want {
			t.Errorf("%s of %s is stored as %q, want %q", c.body, c.kind, got, c.want)
		}
	}
	h.header.Set("Content-Type", "multipart/form-data; boundary=x")
	part := func(name, value string) string {
		return "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	body := part("f1", "z@example.com") + part(f, "Jos\xe9") + part("_charset_", "ISO-8859-1")
	h.shows(h.do("POST", path, body+part("agree", "0")+"--x--\r\n"), http.StatusUnprocessableEntity, "José", "Please tick this")
	h.shows(h.do("POST", path, body+part("agree", "0")+part("agree", "1")+"--x--\r\n"), http.StatusOK, "Thank you")
}

// covers: decision 132
func TestTheLimitOfAMailboxCountsItsTagsTogether(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1")
	path, _ := ticked(t, h)
	for i := range 2 * ofMailbox {
		h.shows(h.do("POST", path, "agree=1&f1=mira%2B"+itoa(int64(i))+"%40example.com"), http.StatusOK, "Thank you")
	}
	if n := h.jobs("ask_to_confirm"); n != 1 {
		t.Errorf("the mailbox gets %d mails, want 1", n)
	}
	for i := range 3 {
		h.shows(h.do("POST", path+"/link", "address=mira%2B"+itoa(int64(i))+"%40example.com"), http.StatusOK, "Check your inbox")
	}
	if n := h.jobs("send_link"); n != 1 {
		t.Errorf("the mailbox gets %d mails with a link, want 1", n)
	}
	if l, err := h.service.Lists.List(t.Context(), h.caller, h.list); err != nil || l.ContactCount != ofMailbox {
		t.Errorf("the List has %d Contacts, error %v; want %d", l.ContactCount, err, ofMailbox)
	}
}
