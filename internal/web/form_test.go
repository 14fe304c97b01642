package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/forms"
)

// This file tests the pages of Forms, also for scripts of other sites.

// addForm adds a Form with keys and values, and returns its path.
func (h *harness) addForm(pairs ...string) string {
	h.Helper()
	id, err := h.service.Forms.SetForm(h.Context(), h.caller, h.list, 0, sent(append([]string{"name", "Sign-up"}, pairs...)))
	h.must(err)
	return "/s/" + itoa(int64(id))
}

func itoa(n int64) string { return forms.FieldInput(enlist.FieldID(n))[1:] }

// stamp opens a form and returns its stamp.
func (h *harness) stamp(path string) string {
	h.Helper()
	found := regexp.MustCompile(`name="stamp" value="([^"]+)"`).FindStringSubmatch(h.do("GET", path, "").body)
	if found == nil {
		h.Fatal("the form has no stamp")
	}
	return found[1]
}

func (h *harness) contacts() int64 {
	h.Helper()
	n, err := h.service.Contacts.CountContacts(h.Context(), h.caller, h.list, nil)
	h.must(err)
	return n
}

// covers: decision 132
func TestFormSubscribes(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1")
	path := h.addForm("title", "Join <us>", "introduction", "One\n<b>two</b>", "consent_text", "I <agree>", "redirect_url", "")
	page := h.do("GET", path, "")
	h.shows(page, http.StatusOK, "Join &lt;us&gt;", "&lt;b&gt;two&lt;/b&gt;", "I &lt;agree&gt;", `name="f1"`, `name="homepage"`, `href="1/link"`)
	if page.Header.Get("Content-Security-Policy") != contentPolicy() {
		t.Errorf("the policy is %s", page.Header.Get("Content-Security-Policy"))
	}
	stamp := h.stamp(path)
	h.pass(3 * time.Second)
	wrong := h.do("POST", path, "stamp="+stamp+"&f1=mira%40&agree=")
	h.shows(wrong, http.StatusUnprocessableEntity, `value="mira@"`, `aria-invalid="true"`, "complete email address", "Please tick this")
	h.shows(h.do("POST", path, "stamp="+stamp+"&f1=mira%40example.com&agree=1"), http.StatusOK, "Thank you", "Follow the link")
	again := h.do("POST", path, "stamp="+stamp+"&f1=mira%40example.com&agree=1")
	h.shows(again, http.StatusOK, "Thank you", "Follow the link")
	if n := h.contacts(); n != 1 {
		t.Errorf("the List has %d Contacts, want 1", n)
	}
	h.shows(h.do("GET", "/s/99", ""), http.StatusNotFound, "does not exist")
	h.shows(h.do("GET", "/s/01", ""), http.StatusNotFound)
	h.addForm("is_open", "0")
	h.shows(h.do("POST", path, "f1=x"), http.StatusOK, "closed")
}

// covers: decision 132
func TestFormStopsPrograms(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	path := h.addForm()
	h.shows(h.do("POST", path, "f1=mira%40example.com"), http.StatusUnprocessableEntity, `value="mira@example.com"`, "send the form again")
	stamp := h.stamp(path)
	send := func(more string) answer { return h.do("POST", path, "f1=mira%40example.com&stamp="+stamp+more) }
	h.shows(send(""), http.StatusUnprocessableEntity, stamp) // too fast; the stamp stays
	h.pass(3 * time.Second)
	h.shows(send("&homepage=x"), http.StatusOK, "Thank you")
	h.shows(h.do("POST", path, "f1=mira%40example.com&stamp="+stamp+"0"), http.StatusUnprocessableEntity)
	h.pass(25 * time.Hour)
	h.shows(send(""), http.StatusUnprocessableEntity, "send the form again")
	if n := h.contacts(); n != 0 {
		t.Fatalf("the List has %d Contacts, want none", n)
	}
	stamp = h.stamp(path)
	h.pass(3 * time.Second)
	// The answers are the same, but only five are stored, also if the address is spelled in another way.
	for _, spelling := range []string{"mira%40example.com", "MIRA%40example.com", "%20mira%40example.com", "mira%40example.com%20%20",
		"mira%40example.com.", "%09mira%40Example.com", "%0Amira%40example.com"} {
		h.shows(h.do("POST", path, "stamp="+stamp+"&f1="+spelling), http.StatusOK, "Thank you")
	}
	all, err := h.service.Forms.SearchForms(t.Context(), h.caller, h.list, enlist.Query{})
	if h.must(err); all[0].Sent != 5 {
		t.Errorf("the Form was stored %d times, want 5", all[0].Sent)
	}
	for range ofHidden {
		h.pages.limits.admit(&http.Request{}, h.clock())
	}
	h.shows(send(""), http.StatusTooManyRequests, "Too many attempts")
	r := &http.Request{RemoteAddr: "203.0.113.9:1"}
	for i := range ofVisitor + 1 {
		if ok := h.pages.limits.admit(r, h.clock()); ok != (i < ofVisitor) {
			t.Errorf("the form %d of a visitor is admitted: %v", i, ok)
		}
	}
}

// Views beyond the limits are shown, but not counted, so programs cannot keep the database writing.
//
// covers: spec form.counts
func TestViewsOfAFormAreCountedWithinLimits(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	path := h.addForm("sites", "https://shop.example")
	shown := func() int64 {
		all, err := h.service.Forms.SearchForms(t.Context(), h.caller, h.list, enlist.Query{})
		h.must(err)
		return all[0].Shown
	}
	get := func(addr string) {
		w := httptest.NewRecorder()
		h.server.Config.Handler.ServeHTTP(w, &http.Request{Method: "GET", RemoteAddr: addr, URL: &url.URL{Path: path}, Header: http.Header{}})
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `name="stamp"`) {
			t.Fatalf("the Form is answered with %d and %s", w.Code, w.Body)
		}
	}
	for _, addr := range []string{"203.0.113.9:1", "203.0.113.9:2", "[2001:db8:1::1]:1", "[2001:db8:1::2]:1"} {
		get(addr)
	}
	h.do("HEAD", path, "")
	for _, open := range []string{"1", "0"} { // a page of this server shows both in a frame
		h.addForm("sites", "https://shop.example", "is_open", open)
		policy := h.do("GET", path+"?preview", "").Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "frame-ancestors 'self'") {
			t.Errorf("the preview of a Form with is_open=%s has the policy %s", open, policy)
		}
	}
	h.addForm("sites", "https://shop.example", "is_open", "1")
	if n := shown(); n != 4 {
		t.Errorf("%d views are counted of a few visitors, want 4", n)
	}
	for range ofVisitor {
		get("203.0.113.9:3")
	}
	if n := shown(); n != 2+ofVisitor {
		t.Errorf("%d views are counted after many of one visitor, want %d", n, 2+ofVisitor)
	}
	h.pass(time.Hour)
	admitted := func(addr func(i int) string) (n int) {
		for i := range 4 * ofViews {
			if h.pages.limits.admitView(&http.Request{RemoteAddr: addr(i)}, h.clock()) {
				n++
			}
		}
		return n
	}
	if n := admitted(func(i int) string { return fmt.Sprintf("[2001:db8:7:%x::1]:1", i) }); n != ofNetwork {
		t.Errorf("%d views of a network are admitted, want %d", n, ofNetwork)
	}
	h.pass(time.Hour)
	if n := admitted(func(i int) string { return fmt.Sprintf("203.%d.113.9:1", i%256) }); n != ofViews {
		t.Errorf("%d views of all are admitted, want %d", n, ofViews)
	}
	h.do("GET", path, "") // without a known address
	h.do("GET", path+".json", "")
	if n := shown(); n != 2+ofVisitor {
		t.Errorf("%d views are counted while the rate of all is used up, want %d", n, 2+ofVisitor)
	}
	h.pass(everyOfViews)
	h.do("GET", path+".json", "")
	if n := shown(); n != 3+ofVisitor {
		t.Errorf("%d views are counted after a script has asked, want %d", n, 3+ofVisitor)
	}
}

func TestFormOfAnotherSiteIsSentByScriptAndWithoutIt(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	path := h.addForm("field_ids", "", "sites", "https://shop.example", "redirect_url", "https://shop.example/thanks")
	if policy := h.do("GET", path, "").Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' https://shop.example;") {
		t.Errorf("the policy is %s", policy)
	}
	h.header = http.Header{"Origin": {"https://shop.example"}}
	if a := h.do("POST", path, "f1=mira%40example.com"); a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "https://shop.example/thanks" {
		t.Errorf("a form of the site is answered with %d", a.StatusCode)
	}
	asked := h.do("OPTIONS", path+".json", "")
	if asked.StatusCode != http.StatusNoContent || asked.Header.Get("Access-Control-Allow-Origin") != "https://shop.example" ||
		asked.Header.Get("Access-Control-Allow-Headers") != "Content-Type" {
		t.Errorf("OPTIONS is answered with %v", asked.Header)
	}
	var form formInfo
	h.must(json.Unmarshal([]byte(h.do("GET", path+".json", "").body), &form))
	if len(form.Fields) != 1 || form.Fields[0].Name != "f1" || !form.Fields[0].IsRequired || form.Title != "Subscribe to News & <Views>" {
		t.Errorf("the script gets %+v", form)
	}
	h.pass(3 * time.Second)
	post := func(values string) answer {
		h.header.Set("Content-Type", "application/json")
		return h.do("POST", path+".json", `{"stamp":"`+form.Stamp+`","values":`+values+`}`)
	}
	h.shows(post(`{"f1":["x"]}`), http.StatusUnprocessableEntity, `"faults":{"f1":"Please enter`)
	h.shows(post(`{"f1":"ann@example.com"}`), http.StatusOK, `"ok":true`, "https://shop.example/thanks")
	if n := h.contacts(); n != 2 {
		t.Errorf("the List has %d Contacts, want 2", n)
	}
	h.header.Set("Origin", "https://evil.example")
	if a := post(`{"f1":"eve@example.com"}`); a.StatusCode != http.StatusForbidden || a.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another site is answered with %d", a.StatusCode)
	}
}

// covers: spec form.record
func TestFormAsksForPreferences(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	events, err := h.service.Lists.AddPreference(t.Context(), h.caller, h.list, "Events & <b>")
	h.must(err)
	offers, err := h.service.Lists.AddPreference(t.Context(), h.caller, h.list, "Offers")
	h.must(err)
	e, o := forms.PreferenceInput(events), forms.PreferenceInput(offers)
	path := h.addForm("field_ids", "", "preference_ids", e[1:]+","+o[1:], "sites", "https://shop.example")
	h.shows(h.do("GET", path, ""), http.StatusOK, "What you would like to receive", `name="`+e+`" value="1">`, `<bdi>Events &amp; &lt;b&gt;`)
	stamp := h.stamp(path)
	h.pass(3 * time.Second)
	h.shows(h.do("POST", path, "stamp="+stamp+"&f1=mira%40&"+o+"=1"), http.StatusUnprocessableEntity, `name="`+o+`" value="1" checked`, `name="`+e+`" value="1">`)
	h.shows(h.do("POST", path, "stamp="+stamp+"&f1=mira%40example.com&"+o+"=1"), http.StatusOK, "Thank you")
	h.header = http.Header{"Origin": {"https://shop.example"}, "Content-Type": {"application/json"}}
	var form formInfo
	h.must(json.Unmarshal([]byte(h.do("GET", path+".json", "").body), &form))
	if len(form.Preferences) != 2 || form.Preferences[0] != (topicInfo{e, "Events & <b>"}) || len(form.Fields) != 1 {
		t.Errorf("the script gets %+v", form)
	}
	h.pass(3 * time.Second)
	sent := h.do("POST", path+".json", `{"stamp":"`+form.Stamp+`","values":{"f1":"ann@example.com","`+e+`":true,"`+o+`":false}}`)
	h.shows(sent, http.StatusOK, `"ok":true`)
	for id, want := range map[enlist.ContactID]enlist.PreferenceID{1: offers, 2: events} {
		if c := h.contact(id); len(c.Prefs) != 1 || !c.Prefs[want] {
			t.Errorf("the Contact %d has the answers %v, want a tick of %d", id, c.Prefs, want)
		}
	}
}

// A Form in several languages has the language of the URL, or else of the browser, also after an error and in the ledger.
//
// covers: spec form.translations
func TestFormHasTheLanguageOfTheVisitor(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	path := h.addForm("language", "en", "title", "News", "consent_text", "I agree.", "sites", "https://shop.example",
		"translations", `{"fr":{"title":"Lettre","consent_text":"D'accord <b>.","labels":{"f1":"Courriel"}},"zh":{}}`)
	get := func(path, accept string) answer {
		h.header = http.Header{"Accept-Language": {accept}}
		return h.do("GET", path, "")
	}
	for accept, want := range map[string]string{"": "en", "fr-CH, en;q=0.5": "fr", "de": "en", "zh-TW": "zh"} {
		a := get(path, accept)
		h.shows(a, http.StatusOK, `<html lang="`+want+`">`, `action="?lang=`+want+`"`, `href="1/link?lang=`+want+`"`)
		if a.Header.Get("Vary") != "Accept-Language" || strings.Contains(a.body, `href="?lang=`+want) {
			t.Errorf("the page in %s has Vary %q, or a link to itself", want, a.Header.Get("Vary"))
		}
	}
	h.shows(get(path+"?lang=fr", "zh"), http.StatusOK, `<html lang="fr">`, "<bdi>Lettre</bdi>", "<bdi>Courriel</bdi>", "D&#39;accord &lt;b&gt;.", "S’abonner",
		`<a href="?lang=en" lang="en" hreflang="en">English</a>`, `<a href="?lang=zh" lang="zh" hreflang="zh">中文</a>`)
	h.shows(get(path+"?lang=de", "fr"), http.StatusOK, `<html lang="fr">`)
	preview := get(path+"?preview&lang=fr", "")
	h.shows(preview, http.StatusOK, `<html lang="fr">`, `href="?lang=en&amp;preview"`)
	if policy := preview.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'self'") {
		t.Errorf("the preview in French has the policy %s", policy)
	}
	h.shows(get(path+"/link?lang=fr", "zh"), http.StatusOK, `<html lang="fr">`)

	stamp := h.stamp(path + "?lang=fr")
	h.header = http.Header{"Accept-Language": {"zh"}} // the URL has the language that was shown
	h.pass(3 * time.Second)
	other := h.do("POST", path+"?lang=en", "stamp="+stamp+"&f1=mira%40example.com&agree=1")
	h.shows(other, http.StatusUnprocessableEntity, `<html lang="en">`, "send the form again")
	h.shows(h.do("POST", path+"?lang=fr", "stamp="+stamp+"&f1=mira%40"), http.StatusUnprocessableEntity, `<html lang="fr">`, `action="?lang=fr"`, "adresse e-mail")
	h.shows(h.do("POST", path+"?lang=fr", "stamp="+stamp+"&f1=mira%40example.com&agree=1"), http.StatusOK, `<html lang="fr">`, "Merci")
	h.must(h.store.View(t.Context(), func(tx *db.Tx) error {
		rows, err := contacts.LedgerRows(tx, h.list, 1, 1, 0)
		if err == nil && (len(rows) != 1 || rows[0].Text != "D'accord <b>.") {
			t.Errorf("the ledger has %+v, want the text in French", rows)
		}
		return err
	}))

	h.header = http.Header{"Origin": {"https://shop.example"}, "Content-Type": {"application/json"}}
	asked := h.do("GET", path+".json?lang=fr", "")
	var form formInfo
	h.must(json.Unmarshal([]byte(asked.body), &form))
	if form.Language != "fr" || len(form.Languages) != 3 || form.Title != "Lettre" || form.Fields[0].Label != "Courriel" ||
		asked.Header.Get("Vary") != "Origin, Accept-Language" {
		t.Errorf("the script gets %+v with %v", form, asked.Header)
	}
	h.pass(3 * time.Second)
	h.shows(h.do("POST", path+".json?lang=fr", `{"stamp":"`+form.Stamp+`","values":{"f1":"x"}}`), http.StatusUnprocessableEntity, `"f1":"`, "adresse e-mail")
}

// The ledger gets no consent that the visitor has not seen, although the Form gets other texts and languages.
//
// covers: spec form.translations
func TestFormStoresOnlyTheConsentThatWasShown(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	french := `{"fr":{"consent_text":"D'accord."}}`
	path := h.addForm("language", "en", "consent_text", "I agree.", "sites", "https://shop.example", "translations", french)
	const filled = "&f1=mira%40example.com&agree=1"
	stored := func(want ...string) {
		t.Helper()
		var rows []enlist.LedgerRow
		h.must(h.store.View(t.Context(), func(tx *db.Tx) (err error) {
			rows, err = contacts.LedgerRows(tx, h.list, 1, 0, 0)
			return err
		}))
		if len(rows) != len(want) || len(rows) > 0 && rows[0].Text != want[0] {
			t.Errorf("the ledger has %+v, want %q first", rows, want)
		}
	}

	// A form that was copied to another site has no stamp.
	h.header = http.Header{"Origin": {"https://shop.example"}, "Accept-Language": {"fr"}}
	gone := h.do("POST", path+"?lang=de", filled)
	h.shows(gone, http.StatusUnprocessableEntity, `<html lang="en">`, "send the form again", `action="?lang=en"`)
	if strings.Contains(gone.body, " checked") {
		t.Error("the consent that the visitor has not seen is ticked")
	}
	stored()
	h.shows(h.do("POST", path, filled), http.StatusOK, `<html lang="en">`)
	stored("I agree.")

	// A page and a script show a consent that changes.
	page, english := h.stamp(path+"?lang=fr"), h.stamp(path+"?lang=en")
	var form formInfo
	h.must(json.Unmarshal([]byte(h.do("GET", path+".json?lang=fr", "").body), &form))
	h.pass(3 * time.Second)
	script := func(query, stamp string) answer {
		h.header.Set("Content-Type", "application/json")
		defer h.header.Del("Content-Type")
		return h.do("POST", path+".json"+query, `{"agree":true,"values":{"f1":"mira@example.com"},"stamp":"`+stamp+`"}`)
	}
	for _, now := range []string{`{"fr":{"consent_text":"Oui."}}`, ""} {
		h.addForm("translations", now)
		h.shows(h.do("POST", path+"?lang=fr", filled+"&stamp="+page), http.StatusUnprocessableEntity, `name="stamp" value="`)
		for _, stamp := range []string{form.Stamp, ""} { // a new one would let the next press store the other consent
			if a := script("?lang=fr", stamp); a.StatusCode != http.StatusUnprocessableEntity || strings.Contains(a.body, `"stamp"`) {
				t.Errorf("a script with texts that are no longer those of the Form is answered with %d %s", a.StatusCode, a.body)
			}
		}
	}
	stored("I agree.")
	h.addForm("consent_text", "", "title", "News", "translations", french)
	h.shows(h.do("POST", path+"?lang=en", filled+"&stamp="+english), http.StatusUnprocessableEntity)
	english = h.stamp(path + "?lang=en")
	h.must(json.Unmarshal([]byte(h.do("GET", path+".json?lang=fr", "").body), &form))
	h.pass(3 * time.Second)
	h.shows(h.do("POST", path+"?lang=en", filled+"&stamp="+english), http.StatusOK)
	h.shows(script("?lang=fr", form.Stamp), http.StatusOK, `"ok":true`)
	stored("News", "News", "I agree.")
	h.pass(25 * time.Hour) // the texts are the same, so the next try is stored
	h.shows(script("?lang=fr", form.Stamp), http.StatusUnprocessableEntity, `"stamp":"`)
}
