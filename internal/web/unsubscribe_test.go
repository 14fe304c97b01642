package web

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// The tests in this file unsubscribe Contacts with the link of a mail: with the button of the page,
// and with the button of a mail program.

// pressed is the form that the button of the page sends.
const pressed = "button=unsubscribe"

// covers: decision 48
func TestButtonUnsubscribes(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "mira@example.com")
	path := h.path(enlist.LinkUnsubscribe, id)

	page := h.do("GET", path, "")
	h.shows(page, http.StatusOK, "Unsubscribe from <bdi>News &amp; &lt;Views&gt;</bdi>", "m…@example.com", `<form method="post">`)
	if strings.Contains(page.body, "mira") {
		t.Error("the page shows the complete address, want it masked")
	}
	if h.contact(id).IsUnsubscribed {
		t.Fatal("a GET request unsubscribed the Contact")
	}
	h.shows(h.do("POST", path, pressed), http.StatusOK, "You are unsubscribed", "m…@example.com", "in the same way as before")
	h.editList("farewell_text", "Good bye <all>.\nWrite to us.")
	h.shows(h.do("POST", path, pressed), http.StatusOK, "You are unsubscribed", "Good bye &lt;all&gt;.\nWrite to us.")
	if !h.contact(id).IsUnsubscribed {
		t.Fatal("the button did not unsubscribe the Contact")
	}
	for _, method := range []string{"GET", "POST"} {
		again := h.do(method, path, pressed)
		h.shows(again, http.StatusOK, "You are unsubscribed")
		if again.hasButton() {
			t.Errorf("%s: the page still has a button after the Contact was unsubscribed", method)
		}
	}
	var found []contacts.Unsubscriber
	h.must(h.store.View(t.Context(), func(tx *db.Tx) error {
		found = nil
		return contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: h.caller.Account.ID, Lists: []enlist.ListID{h.list}}, func(u *contacts.Unsubscriber) error { found = append(found, *u); return nil })
	}))
	if len(found) != 1 || found[0].Address != "mira@example.com" || found[0].AddressType != enlist.AddressEmail {
		t.Errorf("the Unsubscriber List is %+v, want only mira@example.com", found)
	}
}

// A mail program sends one POST, and does not open the page before it. RFC 8058
//
// covers: decision 48
func TestOneClickUnsubscribes(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "mira@example.com")
	a := h.do("POST", h.path(enlist.LinkUnsubscribe, id), "List-Unsubscribe=One-Click")
	h.shows(a, http.StatusOK, "You are unsubscribed")
	if !h.contact(id).IsUnsubscribed || a.Header.Get("Set-Cookie") != "" {
		t.Errorf("unsubscribed: %v, headers %v; want true and no cookie", h.contact(id).IsUnsubscribed, a.Header)
	}
}

// A POST that neither a mail program's button nor the page's has sent changes nothing.
//
// covers: decision 48
func TestOtherFormsDoNotUnsubscribe(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "mira@example.com")
	for _, body := range []string{"", "x=1", "List-Unsubscribe=", "List-Unsubscribe=Two-Clicks", "button=", "%zz", "One-Click"} {
		page := h.do("POST", h.path(enlist.LinkUnsubscribe, id)+"?List-Unsubscribe=One-Click", body)
		h.shows(page, http.StatusOK, "Unsubscribe from", "button")
		if h.contact(id).IsUnsubscribed {
			t.Fatalf("the form %q unsubscribed the Contact", body)
		}
	}
}

// A mail program may send the form as multipart/form-data. RFC 8058, section 3.2
//
// covers: decision 48
func TestOneClickInSeveralPartsUnsubscribes(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "mira@example.com")
	r := httptest.NewRequest("POST", h.path(enlist.LinkUnsubscribe, id),
		strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n"))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	h.server.Config.Handler.ServeHTTP(httptest.NewRecorder(), r)
	if !h.contact(id).IsUnsubscribed {
		t.Error("the form did not unsubscribe the Contact")
	}
}

// The response also says that the Contact is unsubscribed after the Contact or the List was removed.
//
// covers: decision 48
func TestUnsubscribeOfARemovedContactSucceeds(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "mira@example.com")
	path := h.path(enlist.LinkUnsubscribe, id)
	h.remove(id)
	for _, method := range []string{"GET", "POST"} {
		h.shows(h.do(method, path, pressed), http.StatusOK, "You are unsubscribed", "News &amp; &lt;Views&gt;")
	}
	h.hideList()
	for _, method := range []string{"GET", "POST"} {
		h.shows(h.do(method, path, pressed), http.StatusOK, "You are unsubscribed", "this list")
	}
}

// On a List that allows duplicates, the link unsubscribes all Contacts with the address.
//
// covers: decision 48
func TestUnsubscribeIncludesDuplicates(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "disallow_duplicate_contacts", "0")
	once := h.subscribe("Email", "mira@example.com")
	path := h.path(enlist.LinkUnsubscribe, once)
	h.do("POST", path, pressed)
	h.shows(h.do("GET", path, ""), http.StatusOK, "You are unsubscribed")
	first, second, other := h.subscribe("Email", "mira@example.com"), h.subscribe("Email", "Mira@example.com"), h.subscribe("Email", "mia@example.com")
	if !h.do("GET", path, "").hasButton() {
		t.Error("an old link has no button, although Contacts with the address are subscribed")
	}
	h.shows(h.do("POST", h.path(enlist.LinkUnsubscribe, second), pressed), http.StatusOK)
	if !h.contact(first).IsUnsubscribed || !h.contact(second).IsUnsubscribed || h.contact(other).IsUnsubscribed {
		t.Errorf("unsubscribed: %v, %v, and the Contact with another address: %v; want true, true, false", h.contact(first).IsUnsubscribed, h.contact(second).IsUnsubscribed, h.contact(other).IsUnsubscribed)
	}
}

// A link also unsubscribes a Contact that has no email address.
//
// covers: decision 48
func TestContactWithoutEmailIsUnsubscribed(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Mobile Phone", "+61 400 000 001")
	path := h.path(enlist.LinkUnsubscribe, id)
	h.shows(h.do("GET", path, ""), http.StatusOK, "You will receive no more mail", "once you unsubscribe")
	h.shows(h.do("POST", path, pressed), http.StatusOK, "You are unsubscribed")
	if !h.contact(id).IsUnsubscribed {
		t.Error("the POST did not unsubscribe the Contact")
	}
}

// The link of a mail to an earlier address unsubscribes this address, and not the person who has the
// Contact's new address. Another Contact with the earlier address is unsubscribed.
//
// covers: decision 48
func TestLinkOfAnOldMailUnsubscribesItsAddress(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "old@example.com")
	path := h.path(enlist.LinkUnsubscribe, id)
	h.must(h.store.Update(t.Context(), func(tx *db.Tx) error {
		return (&messages.Delivery{DeliveryKey: h.delivery(id), Address: "Old@example.com", Status: messages.DeliverySent}).Put(tx)
	}))
	h.edit(id, "Email", "new@example.com")

	if page := h.do("GET", path, ""); !page.hasButton() || strings.Contains(page.body, "n…@") {
		t.Errorf("got the page %s, want a button and not the new address", page.body)
	}
	for range 2 {
		h.shows(h.do("POST", path, pressed), http.StatusOK, "You are unsubscribed")
	}
	if h.contact(id).IsUnsubscribed {
		t.Error("the link unsubscribed the new address")
	}
	if h.do("GET", path, "").hasButton() {
		t.Error("the page still has a button after the address was unsubscribed")
	}
	h.unsubscribers("old@example.com")

	other := h.subscribe("Email", "old@example.com")
	if !h.do("GET", path, "").hasButton() {
		t.Error("the page has no button, although a Contact with the address is subscribed")
	}
	h.shows(h.do("POST", path, pressed), http.StatusOK, "You are unsubscribed")
	if !h.contact(other).IsUnsubscribed || h.contact(id).IsUnsubscribed {
		t.Errorf("unsubscribed: the Contact with the old address %v, with the new address %v; want true, false",
			h.contact(other).IsUnsubscribed, h.contact(id).IsUnsubscribed)
	}
	h.unsubscribers("old@example.com", "old@example.com")
}

// unsubscribers checks the addresses on the Unsubscriber List, in any letter case.
func (h *harness) unsubscribers(want ...string) {
	h.Helper()
	var got []string
	h.must(h.store.View(h.Context(), func(tx *db.Tx) error {
		got = nil
		return contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: h.caller.Account.ID, Lists: []enlist.ListID{h.list}}, func(u *contacts.Unsubscriber) error {
			got = append(got, strings.ToLower(u.Address))
			return nil
		})
	}))
	if !slices.Equal(got, want) {
		h.Errorf("the Unsubscriber List is %q, want %q", got, want)
	}
}

func TestAddressIsShownMasked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ address, masked string }{
		{"mira@example.com", "m…@example.com"}, {"m@example.com", "m…@example.com"},
		{`"a@b"@example.com`, `"…@example.com`}, {"ölaf@bücher.example", "ö…@bücher.example"},
		{"", ""}, {"+61400000001", ""},
	} {
		t.Run(c.address, func(t *testing.T) {
			if got := mask(c.address); got != c.masked {
				t.Errorf("the address is shown as %q, want %q", got, c.masked)
			}
		})
	}
}

// The address of a proxy in the same network is not the visitor's.
//
// covers: decision 89
func TestLinksRecordTheVisitor(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"203.0.113.9:5000": "203.0.113.9", "[2001:db8::7]:5000": "2001:db8::7", "[::ffff:203.0.113.9]:5000": "203.0.113.9",
		"127.0.0.1:5000": "", "[::1]:5000": "", "10.1.2.3:5000": "", "192.168.0.1:5000": "", "[fe80::1%eth0]:5000": "", "@": "",
	} {
		h := newHarness(t)
		id := h.subscribe("Email", "mira@example.com")
		buttons := map[enlist.LinkKind]string{enlist.LinkConfirm: "button=confirm", enlist.LinkUnsubscribe: pressed}
		for _, kind := range []enlist.LinkKind{enlist.LinkConfirm, enlist.LinkUnsubscribe} {
			r := httptest.NewRequest("POST", h.path(kind, id), strings.NewReader(buttons[kind]))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.RemoteAddr = remote
			h.server.Config.Handler.ServeHTTP(httptest.NewRecorder(), r)
		}
		h.must(h.store.View(t.Context(), func(tx *db.Tx) error {
			rows, err := contacts.LedgerRows(tx, h.list, id, 2, 0)
			if err == nil && (len(rows) < 2 || rows[0].IP != want || rows[1].IP != want || rows[0].Method != contacts.MethodUnsubscribeLink) {
				t.Errorf("from %s: the ledger is %+v, want two rows with the address %q", remote, rows, want)
			}
			return err
		}))
	}
}

func TestDepartureIsExplained(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "mira@example.com")
	path := h.path(enlist.LinkUnsubscribe, id)
	h.do("POST", path, "button=reason&reason=too_many") // is subscribed
	h.shows(h.do("POST", path, pressed), http.StatusOK, "Too many emails", "never subscribed")
	h.do("POST", path, "button=reason&reason=nonsense&words=x")
	h.shows(h.do("POST", path, "button=reason&reason=other&words=%3Cb%3E+"+strings.Repeat("%C3%A9", 600)), http.StatusOK, "Thank you for telling us")
	got, err := h.service.Contacts.Departures(t.Context(), h.caller, h.list)
	h.must(err)
	if len(got.Counts) != 1 || got.Counts["other"] != 1 || len(got.Words) != 1 || len([]rune(got.Words[0].Words)) != 500 {
		t.Errorf("the List has the departures %+v", got)
	}
	h.remove(id)
	got, err = h.service.Contacts.Departures(t.Context(), h.caller, h.list)
	if h.must(err); len(got.Counts) != 0 {
		t.Errorf("a removed Contact has left %+v", got)
	}
}
