package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/forms"
	"enlist/internal/language"
	"enlist/internal/language/languagetest"
)

// The tests in this file look at the languages and texts of the pages for subscribers.

// A page is in the language of the List, or else in that of the browser. Texts of the List stay text.
//
// covers: spec list.language, decision 48
func TestPagesAreInTheLanguageOfTheList(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1", "imprint", "Garden <Club>\n1 High Street")
	id := h.subscribe("Email", "mira@example.com")
	open := func(kind enlist.LinkKind, accept string) answer {
		h.header = http.Header{"Accept-Language": {accept}}
		return h.do("GET", h.path(kind, id), "")
	}
	h.shows(open(enlist.LinkConfirm, "de-CH, en;q=0.5"), http.StatusOK, `<html lang="de">`, "Anmeldung bestätigen – News",
		"E-Mails von <bdi>News &amp; &lt;Views&gt;</bdi>", "Garden &lt;Club&gt;\n1 High Street")
	h.shows(open(enlist.LinkUnsubscribe, "qaa"), http.StatusOK, `<html lang="en">`, "Unsubscribe from <bdi>News")
	h.editList("language", "fr")
	h.shows(open(enlist.LinkUnsubscribe, "de"), http.StatusOK, `<html lang="fr">`, "Se désinscrire des e-mails de <bdi>News",
		"<bdi>m…@example.com</bdi> ne recevra plus")
	h.shows(h.do("GET", "/u/broken", ""), http.StatusNotFound, `<html lang="de">`, "Diese Seite gibt es nicht")
}

// The page shows the consent text of the List, and the ledger keeps it with the confirmation.
//
// covers: spec list.consent_text
func TestConfirmationKeepsTheConsentText(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1", "consent_text", "I want <news> by mail.")
	id := h.subscribe("Email", "mira@example.com")
	h.shows(h.do("GET", h.path(enlist.LinkConfirm, id), ""), http.StatusOK, "<p>I want &lt;news&gt; by mail.</p>")
	done := h.do("POST", h.path(enlist.LinkConfirm, id), confirmed)
	if h.shows(done, http.StatusOK, "Your subscription is confirmed"); strings.Contains(done.body, "I want") {
		t.Error("the page after the confirmation shows the consent text")
	}
	h.must(h.store.View(t.Context(), func(tx *db.Tx) error {
		rows, err := contacts.LedgerRows(tx, h.list, id, 1, 0)
		if err == nil && (len(rows) != 1 || rows[0].Method != contacts.MethodConfirmLink || rows[0].Text != "I want <news> by mail.") {
			t.Errorf("the newest rows of the ledger are %+v, want the confirmation with its text", rows)
		}
		return err
	}))
}

// What a person gets is in the language of the Form, and not in that of the List or the browser.
//
// covers: spec form.language
func TestPagesAreInTheLanguageInWhichThePersonSubscribed(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1", "language", "en", "farewell_text", "Come back soon")
	path := h.addForm("language", "de", "sites", "https://shop.example")
	h.shows(h.do("GET", path, ""), http.StatusOK, "<bdi>E-Mail-Adresse</bdi>")
	h.header = http.Header{"Origin": {"https://shop.example"}, "Accept-Language": {"fr"}}
	h.shows(h.do("POST", path, "f1=mira%40example.com"), http.StatusOK, `<html lang="de">`)
	if got := h.contact(1).Language; got != "de" {
		t.Fatalf("the Contact has the language %q, want de", got)
	}
	h.shows(h.do("GET", h.path(enlist.LinkConfirm, 1), ""), http.StatusOK, `<html lang="de">`)
	h.shows(h.do("GET", h.path(enlist.LinkPreferences, 1), ""), http.StatusOK, `<html lang="de">`, "Ihre Einstellungen")
	left := h.do("POST", h.path(enlist.LinkUnsubscribe, 1), pressed)
	if h.shows(left, http.StatusOK, `<html lang="de">`, "Sie sind abgemeldet"); strings.Contains(left.body, "Come back soon") {
		t.Error("the farewell has the text of the List in another language")
	}
	id := h.subscribe("Email", "noor@example.com")
	h.shows(h.do("GET", h.path(enlist.LinkConfirm, id), ""), http.StatusOK, `<html lang="en">`)
}

// A Form in one language leads to pages in it alone, and the subscriber chooses another one.
//
// covers: spec form.language, contact.language-use, contact.language-form
func TestAFormLeadsToPagesInItsLanguage(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1", "language", "en", "farewell_text", "Come back soon")
	h.header = http.Header{"Origin": {"https://shop.example"}, "Accept-Language": {"en"}}
	for i, code := range language.Codes() {
		address := code + "%40example.com"
		in := func(a answer) answer {
			h.Helper()
			h.shows(a, http.StatusOK, `<html lang="`+code+`">`)
			return a
		}
		form := h.addForm("language", code, "sites", "https://shop.example")
		in(h.do("GET", form, ""))
		in(h.do("POST", form, "f1="+address))
		id := enlist.ContactID(i + 1)
		in(h.do("GET", h.path(enlist.LinkConfirm, id), ""))
		in(h.do("POST", h.path(enlist.LinkConfirm, id), pressed))
		settings := h.path(enlist.LinkPreferences, id)
		if a := in(h.do("GET", settings, "")); !strings.Contains(a.body, `<option value="`+code+`" lang="`+code+`" selected>`) {
			t.Errorf("the settings do not show the language %s:\n%s", code, a.body)
		}
		in(h.do("GET", h.path(enlist.LinkUnsubscribe, id), ""))
		if a := in(h.do("POST", h.path(enlist.LinkUnsubscribe, id), pressed)); strings.Contains(a.body, "Come back") != (code == "en") {
			t.Errorf("the farewell of %s has the text of an English List:\n%s", code, a.body)
		}
		h.do("POST", settings, "language=xx")
		in(h.do("GET", settings, ""))
		other := language.Codes()[(i+1)%len(language.Codes())]
		if a := h.do("POST", settings, "language="+other); a.StatusCode != http.StatusSeeOther || h.contact(id).Language != other {
			t.Errorf("the choice of %s is answered with %d and %q", other, a.StatusCode, h.contact(id).Language)
		}
		h.shows(h.do("GET", settings, ""), http.StatusOK, `<html lang="`+other+`">`)
	}
}

// marked returns a page of each template in a made-up language. What it shows of the List and the Contact has no letters
// of English words.
func (h *harness) marked() map[string]string {
	h.Helper()
	h.editList("name", "Ναυς", "imprint", "Ναυς 1", "consent_text", "Ναι", "description", "Ναυς", "is_public", "1",
		"track_opens", "1", "track_clicks", "1", "open_policy", "ask")
	_, err := h.service.Lists.AddPreference(h.Context(), h.caller, h.list, "Ωρα")
	h.must(err)
	id := h.subscribe("Email", "μ@example.com", "preferences", "Ωρα")
	h.pages.texts = languagetest.Texts()
	settings, err := h.service.Sending.ViewPreferences(h.Context(), h.delivery(id))
	h.must(err)
	contact, err := h.service.Sending.ViewContactPage(h.Context(), h.delivery(id))
	h.must(err)
	form, err := h.service.Forms.Show(h.Context(), enlist.FormID(1))
	h.must(err)
	r := httptest.NewRequest("GET", "/s/1", nil)
	f := &formRequest{Handler: h.pages, r: r, id: 1}
	all := map[string]string{"of a made-up subscriber": h.pages.SettingsExample(r, settings)}
	for name := range h.pages.pages {
		p := h.pages.settingsOf(r, enlist.Link{}, settings)
		p.Settings.Problem, p.Done, p.NoMail, p.Reasons = true, true, true, contacts.DepartureReasons()
		p.Settings.Others = []tick{{Name: "l1", Text: "Ωρα", Waits: true}}
		p.Details = newDetails(contact, h.pages.texts.For("", ""))
		p.Archive = &archivePage{Mails: []archiveRow{{Path: "1/1", Subject: "Ωρα", Time: h.clock()}}}
		p.Form = f.page(form).Form
		p.Form.Fault, p.Form.Problem, p.Form.Next, p.Form.Consent = true, "web.form.problem", "web.formsent.waits", "Ναι"
		p.Form.Others = []languageLink{{"el", "Ελληνικά", "?lang=el"}}
		p.Form.Tracking = p.Form.Consent
		if name == "tracking" { // in the other state than that of the settings
			p.Tracking.Refuses, p.Tracking.TrackingConsent = true, enlist.TrackingGranted
		}
		p.Form.Inputs = inputsOf(form, nil, map[enlist.FieldID]forms.Fault{form.Schema.Email().ID: forms.Wrong})
		p.IsOwner = strings.HasPrefix(name, "contact_") || name == "expired"
		all[name] = h.pages.fill(r, name, &p)
	}
	return all
}

// The made-up language shows texts that are in no catalogue.
func TestPagesAreTranslated(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1")
	h.addForm()
	for name, page := range h.marked() {
		if found := languagetest.Untranslated(page, "Email Mobile Phone English"); len(found) > 0 {
			t.Errorf("the page %s has the words %q in no catalogue:\n%s", name, found, page)
		}
	}
}
