package web

import (
	"net/http"
	"strings"
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
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
	h.shows(open(enlist.LinkUnsubscribe, "sv"), http.StatusOK, `<html lang="en">`, "Unsubscribe from <bdi>News")
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
