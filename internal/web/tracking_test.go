package web

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/messages"
)

// This file tests the page about the recording of opens and clicks, and the choice on other pages.

// decisions returns the rows of a Contact's ledger with a decision, the newest first.
func (h *harness) decisions(id enlist.ContactID) (all []enlist.LedgerRow) {
	h.Helper()
	h.must(h.store.View(h.Context(), func(tx *db.Tx) error {
		rows, err := contacts.LedgerRows(tx, h.list, id, 50, 0)
		for _, row := range rows {
			if row.Tracking != enlist.TrackingUnknown {
				all = append(all, row)
			}
		}
		return err
	}))
	return all
}

// decided checks the decision of a Contact and the number of rows about it.
func (h *harness) decided(id enlist.ContactID, want enlist.TrackingConsent, rows int) {
	h.Helper()
	if c, n := h.contact(id), len(h.decisions(id)); c.TrackingConsent != want || n != rows {
		h.Errorf("the Contact %d has decided %s with %d rows, want %s with %d", id, c.TrackingConsent, n, want, rows)
	}
}

var versionShown = regexp.MustCompile(`name="version" value="([^"]*)"`)

// agrees presses the button of a page that agrees.
func (h *harness) agrees(path string) answer {
	h.Helper()
	shown := versionShown.FindStringSubmatch(h.do("GET", path, "").body)
	if shown == nil {
		h.Fatalf("%s has no button to agree", path)
	}
	return h.do("POST", path, "tracking=granted&version="+strings.ReplaceAll(shown[1], " ", "+"))
}

// covers: decision 160
func TestThePageAboutRecordingRefusesAndAgrees(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "track_opens", "1", "track_clicks", "1")
	h.header = http.Header{"Accept-Language": {"en"}}
	id := h.subscribe("Email", "mira@example.com")
	path := h.path(enlist.LinkTracking, id)
	h.shows(h.do("GET", path, ""), http.StatusOK, "Tracking of opens and clicks", "emails from <bdi>News &amp; &lt;Views&gt;</bdi> to <bdi>m…@example.com</bdi>",
		"When you open an email", "When you follow a link", "Opens and clicks are recorded unless you refuse", `name="tracking" value="denied"`, `name="forget" value="1">`)
	for _, body := range []string{"", "List-Unsubscribe=One-Click", "button=confirm", "tracking=unknown", "tracking=granted", "tracking=granted&version=x"} {
		h.shows(h.do("POST", path, body), http.StatusOK, "You have not decided")
		h.decided(id, enlist.TrackingUnknown, 0)
	}
	h.pass(24 * time.Hour)
	h.shows(h.do("GET", path, ""), http.StatusOK, "Tracking of")
	done := h.do("POST", path+"?choice=denied", "tracking=denied")
	if done.StatusCode != http.StatusSeeOther || done.Header.Get("Location") != "?saved" {
		t.Fatalf("the refusal is answered with %d", done.StatusCode)
	}
	h.decided(id, enlist.TrackingDenied, 1)
	h.shows(h.do("GET", path+"?saved", ""), http.StatusOK, "Your decision is saved", "You refused on 2 July 2026. Nothing is recorded.", `value="granted">Agree`)
	h.editList("tracking_text", "I <like> to be counted")
	h.shows(h.do("GET", path, ""), http.StatusOK, "I &lt;like&gt; to be counted")
	h.agrees(path)
	h.decided(id, enlist.TrackingGranted, 2)
	rows := h.decisions(id)
	if r := rows[1]; r.Method != contacts.MethodTracking || r.TextVersion != "enlist 1 en" || !strings.HasPrefix(r.Text, "When you open an email, ") {
		t.Errorf("the row of the refusal is %+v", r)
	}
	if r := rows[0]; r.Text != "I <like> to be counted" || r.TextVersion != "2026-07-02T09:30:00Z" {
		t.Errorf("the row of the agreement is %+v", r)
	}
	h.shows(h.do("GET", path+"?choice=granted", ""), http.StatusOK, "You agreed on 2 July 2026.", `value="denied">Refuse`)
	h.pass(400 * 24 * time.Hour) // a refusal is possible as long as the Contact exists
	h.do("POST", path, "tracking=denied&forget=1")
	h.decided(id, enlist.TrackingDenied, 3)
}

// covers: decision 160
func TestThePageAboutRecordingFollowsThePolicy(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "track_opens", "1", "open_policy", "ask")
	id := h.subscribe("Email", "mira@example.com")
	path := h.path(enlist.LinkTracking, id)
	button := func(query, want string) {
		h.Helper()
		a := h.do("GET", path+query, "")
		if got := strings.Contains(a.body, `value="`+want+`"`); !got || strings.Contains(a.body, "follow a link in") {
			t.Errorf("%s has no button for %s: %s", query, want, a.body)
		}
	}
	button("", "granted")
	button("?choice=granted", "granted")
	button("?choice=denied", "denied")
	button("?choice=x", "granted")
	h.editList("open_policy", "inform")
	button("", "denied")
	button("?choice=granted", "granted")
	h.editList("open_policy", "off")
	off := h.do("GET", path, "")
	if h.shows(off, http.StatusOK, "Nothing is recorded when you open an email"); off.hasButton() {
		t.Error("the page of a List that records nothing has a button")
	}
	h.do("POST", path, "tracking=denied")
	h.decided(id, enlist.TrackingUnknown, 0)
	if settings := h.do("GET", h.path(enlist.LinkPreferences, id), ""); strings.Contains(settings.body, "Tracking of") {
		t.Error("the settings of a List that records nothing have a choice")
	}
	h.editList("open_policy", "inform")
	h.must(h.store.Update(t.Context(), func(tx *db.Tx) error { // the mail went to another address
		d := messages.Delivery{DeliveryKey: h.delivery(id), Address: "older@example.com", Status: messages.DeliverySent}
		return d.Put(tx)
	}))
	moved := h.do("GET", path, "")
	if h.shows(moved, http.StatusGone, "A link to your settings goes to the new address"); strings.Contains(moved.body, "example.com") {
		t.Error("the page shows the new address to a reader at the old one")
	}
	h.do("POST", path, "tracking=denied")
	h.decided(id, enlist.TrackingUnknown, 0)
	h.shows(h.do("POST", path, "button=link"), http.StatusOK, "on its way")
	h.remove(id)
	for _, method := range []string{"GET", "POST"} {
		gone := h.do(method, path, "tracking=denied")
		if h.shows(gone, http.StatusGone, "Nothing is recorded when you open an email"); gone.hasButton() {
			t.Error("the page of a Contact that is gone has a button")
		}
	}
	h.hideList()
	h.shows(h.do("GET", path, ""), http.StatusGone, "Nothing is recorded", "this list")
}

// covers: decision 160
func TestThePageAboutRecordingIsInEachLanguage(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "track_opens", "1", "track_clicks", "1", "open_policy", "ask", "click_policy", "ask")
	for _, code := range language.Codes() {
		id := h.subscribe("Email", code+"@example.com")
		h.header = http.Header{"Accept-Language": {code}}
		in := language.New().For(code, "")
		h.shows(h.do("GET", h.path(enlist.LinkTracking, id), ""), http.StatusOK, `<html lang="`+code+`">`, in.Text("web.tracking.opens"))
		h.agrees(h.path(enlist.LinkTracking, id))
		if rows := h.decisions(id); len(rows) != 1 || rows[0].Text != in.Text("web.tracking.agree") || rows[0].TextVersion != "enlist 1 "+code {
			t.Errorf("the ledger has %+v", rows)
		}
	}
}

// covers: decision 160
func TestTheSettingsHaveTheChoiceAboutRecording(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "track_opens", "1", "open_policy", "ask")
	id := h.subscribe("Email", "mira@example.com")
	path := h.path(enlist.LinkPreferences, id)
	page := h.do("GET", path, "")
	h.shows(page, http.StatusOK, "You have not decided. Nothing is recorded unless you agree.", `name="tracking" value="granted">`, `name="tracking" value="denied">`)
	send := func(body string, want enlist.TrackingConsent, rows int) {
		h.Helper()
		h.shows(h.do("POST", path, body), http.StatusSeeOther)
		h.decided(id, want, rows)
	}
	send("shown=tracking", enlist.TrackingUnknown, 0)
	send("tracking=granted&version=enlist+1+en", enlist.TrackingUnknown, 0) // a page that has not shown it
	send("shown=tracking&version=enlist+1+en&tracking=granted", enlist.TrackingGranted, 1)
	send("shown=tracking&version=enlist+1+en&tracking=granted", enlist.TrackingGranted, 1)
	h.shows(h.do("GET", path, ""), http.StatusOK, "You agreed on 1 July 2026.", `value="granted" checked`)
	send("shown=tracking&tracking=denied", enlist.TrackingDenied, 2)
	if r := h.decisions(id)[0]; r.Method != contacts.MethodPreferences {
		t.Errorf("the row is %+v", r)
	}
}

// confirming returns a List that asks to confirm and to record, and its Form.
func confirming(t *testing.T, settings ...string) (h *harness, form string) {
	t.Helper()
	h = newHarness(t, append([]string{"double_opt_in_required", "1", "track_opens", "1", "open_policy", "ask"}, settings...)...)
	form = h.addForm("sites", "https://shop.example")
	h.header = http.Header{"Origin": {"https://shop.example"}}
	return h, form
}

// covers: decision 160, spec form.tracking
func TestATickOfAFormHoldsOnceConfirmed(t *testing.T) {
	t.Parallel()
	h, form := confirming(t)
	page := h.do("GET", form, "")
	h.shows(page, http.StatusOK, `name="tracking" value="1">`, "I agree that the sender records")
	h.shows(h.do("POST", form, "f1=mira%40example.com&tracking=1"), http.StatusOK, "Thank you")
	h.decided(1, enlist.TrackingUnknown, 1)
	confirm := h.path(enlist.LinkConfirm, 1)
	page = h.do("GET", confirm, "")
	h.shows(page, http.StatusOK, `<p class="lines">I agree that the sender records`)
	mark := regexp.MustCompile(`name="ticked" value="(\d+)"`).FindStringSubmatch(page.body)
	if mark == nil {
		t.Fatal("the page has no mark of the tick")
	}
	h.shows(h.do("POST", confirm, confirmed+"&ticked="+mark[1]), http.StatusOK, "is confirmed")
	h.decided(1, enlist.TrackingGranted, 2)
	if r := h.decisions(1)[0]; r.Method != contacts.MethodConfirmLink || r.TextVersion != "enlist 1 en" || !strings.HasPrefix(r.Text, "I agree") {
		t.Errorf("the row is %+v", r)
	}
	h.do("POST", h.path(enlist.LinkTracking, 1), "tracking=denied")
	h.do("POST", form, "f1=mira%40example.com&tracking=1") // by anyone
	h.decided(1, enlist.TrackingDenied, 3)

	h.do("POST", form, "f1=noor%40example.com&tracking=1") // by anyone, and then by the person without a tick
	h.do("POST", form, "f1=noor%40example.com")
	h.do("POST", form, "f1=kim%40example.com")
	h.shows(h.do("GET", h.path(enlist.LinkConfirm, 3), ""), http.StatusOK, `name="tracking" value="granted">`)
	h.do("POST", form, "f1=kim%40example.com&tracking=1") // by anyone, while the person reads the page
	h.do("POST", h.path(enlist.LinkConfirm, 3), confirmed)
	h.decided(3, enlist.TrackingUnknown, 1)
	open := h.do("GET", h.path(enlist.LinkConfirm, 2), "")
	h.shows(open, http.StatusOK, `name="tracking" value="granted">`)
	h.do("POST", h.path(enlist.LinkConfirm, 2), confirmed)
	h.decided(2, enlist.TrackingUnknown, 1)

	h.do("POST", form, "f1=ola%40example.com")
	path := h.path(enlist.LinkConfirm, 4)
	h.shows(h.do("POST", path, confirmed+"&tracking=granted&version=old"), http.StatusOK, "Confirm your subscription")
	h.shows(h.do("POST", path, confirmed+"&tracking=granted&version=enlist+1+en"), http.StatusOK, "is confirmed")
	h.decided(4, enlist.TrackingGranted, 1)
}

// covers: decision 160, spec form.tracking
func TestATickOfAFormChangesNoDecision(t *testing.T) {
	t.Parallel()
	h, form := confirming(t, "double_opt_in_required", "0")
	h.do("POST", form, "f1=mira%40example.com&tracking=1")
	h.decided(1, enlist.TrackingGranted, 1)
	if r := h.decisions(1)[0]; r.Method != contacts.MethodForm || r.TextVersion != "enlist 1 en" {
		t.Errorf("the row is %+v", r)
	}
	h.do("POST", form, "f1=mira%40example.com")
	h.decided(1, enlist.TrackingGranted, 1)
	h.do("POST", h.path(enlist.LinkTracking, 1), "tracking=denied")
	h.do("POST", form, "f1=mira%40example.com&tracking=1")
	h.decided(1, enlist.TrackingDenied, 2)
	id := h.subscribe("Email", "noor@example.com")
	h.do("POST", form, "f1=noor%40example.com&tracking=0&tracking=false")
	h.decided(id, enlist.TrackingUnknown, 0)
	h.do("POST", form, "f1=noor%40example.com&tracking=on")
	h.decided(id, enlist.TrackingGranted, 1)
	h.editList("track_opens", "0")
	if page := h.do("GET", form, ""); strings.Contains(page.body, `name="tracking"`) {
		t.Error("a Form of a List that records nothing asks")
	}
	h.do("POST", form, "f1=ola%40example.com&tracking=1")
	h.decided(3, enlist.TrackingUnknown, 0)
}

// covers: decision 160, spec form.tracking
func TestATickOfAFormHasItsTextInEachLanguage(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "track_opens", "1", "open_policy", "ask", "tracking_text", "Yes, count me", "language", "en")
	form := h.addForm("language", "de", "tracking_text", "Ja, zählt mich", "translations", `{"fr":{"tracking_text":"Oui, comptez-moi"},"nl":{}}`)
	plain := h.addForm("name", "Plain")
	var page formInfo
	text := func(path string) string {
		h.must(json.Unmarshal([]byte(h.do("GET", path, "").body), &page))
		return page.TrackingText
	}
	for path, want := range map[string]string{form + ".json?lang=de": "Ja, zählt mich", form + ".json?lang=fr": "Oui, comptez-moi",
		form + ".json?lang=nl": "Ja, zählt mich", plain + ".json": "Yes, count me"} {
		if got := text(path); got != want {
			t.Errorf("%s shows %q, want %q", path, got, want)
		}
	}
	path := form + ".json?lang=fr"
	text(path)
	h.pass(3 * time.Second)
	h.header = http.Header{"Content-Type": {"application/json"}}
	h.shows(h.do("POST", path, `{"stamp":"`+page.Stamp+`","values":{"f1":"a@example.com"},"tracking":true}`), http.StatusOK, `"ok":true`)
	if rows := h.decisions(1); len(rows) != 1 || rows[0].Text != "Oui, comptez-moi" || rows[0].TextVersion != "2026-07-01T09:30:00Z" {
		t.Errorf("the ledger has %+v", rows)
	}
	h.editList("language", "vi")
	if got := text(plain + ".json"); !strings.HasPrefix(got, "Yes, count me") {
		t.Errorf("the Form shows %q", got)
	}
	h.addForm("name", "Plain", "tracking_text", "Something else")
	h.shows(h.do("POST", plain+".json", `{"stamp":"`+page.Stamp+`","values":{"f1":"b@example.com"},"tracking":true}`), http.StatusUnprocessableEntity, `"ok":false`)
}
