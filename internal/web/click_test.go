package web

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// The tests in this file request the tracking pixel of a mail and follow its tracked links.

// covers: decision 49
func TestRequestForThePixelRecordsAnOpening(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "track_opens", "1")
	id := h.subscribe("Email", "mira@example.com")
	path := h.path(enlist.LinkOpen, id)
	h.do("HEAD", path, "")
	if c := h.contact(id); c.LastOpenTime != 0 {
		t.Error("a HEAD request was recorded as an opening")
	}
	h.pass(time.Minute)
	a := h.do("GET", path, "")
	c := h.contact(id)
	if a.StatusCode != 200 || a.Header.Get("Content-Type") != "image/gif" || a.body != pixel || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %d %v %q, want 200 and the pixel, not cached", a.StatusCode, a.Header, a.body)
	}
	if now := h.clock().Unix(); c.LastOpenTime != now || c.LastClickTime != 0 || c.Modified == now {
		t.Errorf("the Contact was opened at %d, clicked at %d, modified at %d; want only opened, at %d", c.LastOpenTime, c.LastClickTime, c.Modified, now)
	}
}

// The server sends the pixel even if recording fails, if tracking is off, or if the Contact or
// the List was removed.
//
// covers: decision 49
func TestPixelIsSentEvenIfTheOpeningIsNotRecorded(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "track_opens", "1")
	id := h.subscribe("Email", "mira@example.com")
	path := h.path(enlist.LinkOpen, id)
	image := func() {
		t.Helper()
		if a := h.do("GET", path, ""); a.StatusCode != 200 || a.body != pixel {
			t.Errorf("got %d %q, want 200 and the pixel", a.StatusCode, a.body)
		}
	}
	h.faults.record = errors.New("cannot record")
	image()
	h.faults.record = nil
	h.editList("track_opens", "0")
	image()
	if c := h.contact(id); c.LastOpenTime != 0 {
		t.Errorf("an opening was recorded at %d with tracking turned off, want none", c.LastOpenTime)
	}
	h.remove(id)
	image()
	h.hideList()
	image()
}

// covers: decision 49
func TestClickRedirectsAndIsRecorded(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "track_clicks", "1", "track_opens", "1")
	id := h.subscribe("Email", "mira@example.com")
	path := h.clickPath(id, "https://shop.example/new?for={{Email}}&x=1#top")
	const target = "https://shop.example/new?for=mira%40example.com&x=1#top"
	leads := func(method, to string) {
		t.Helper()
		a := h.do(method, path+"?utm_source=x", "")
		if a.StatusCode != http.StatusFound || a.Header.Get("Location") != to || a.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: got %d and the Location %q, want 302 and %q", method, a.StatusCode, a.Header.Get("Location"), to)
		}
	}
	leads("HEAD", target)
	if c := h.contact(id); c.LastClickTime != 0 {
		t.Error("a HEAD request was recorded as a click")
	}
	leads("GET", target)
	clicked := h.clock().Unix()
	if c := h.contact(id); c.LastClickTime != clicked || c.LastOpenTime != clicked {
		t.Errorf("the click was recorded at %d and the opening at %d, want both at %d", c.LastClickTime, c.LastOpenTime, clicked)
	}
	h.pass(time.Hour)
	h.faults.record = errors.New("cannot record")
	leads("GET", target)
	h.faults.record = nil
	h.editList("track_clicks", "0", "track_opens", "0")
	leads("GET", target)
	if c := h.contact(id); c.LastClickTime != clicked || c.LastOpenTime != clicked {
		t.Errorf("with tracking turned off, the last click is at %d and the last opening at %d, want both at %d", c.LastClickTime, c.LastOpenTime, clicked)
	}
	h.remove(id)
	leads("GET", "https://shop.example/new?for=&x=1#top")
	h.hideList()
	leads("GET", "https://shop.example/new?for=&x=1#top")
}

// A tracked link leads to the URL that the mail has without tracking: with its UTM parameters.
//
// covers: decision 156
func TestClickLeadsToTheParametersOfThePlainLink(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "track_clicks", "1")
	h.must(h.service.Accounts.RenameAccount(h.Context(), h.caller.Account.ID, "Shop"))
	message, err := h.service.Messages.AddMessage(h.Context(), h.caller, sent([]string{"type", "email", "name", "May & June", "subject", "May",
		"html_content", "x", "utm", "on", "utm_source", "list", "utm_domains", "shop.example"}))
	h.must(err)
	if message != 1 {
		t.Fatalf("the Message has the ID %d", message)
	}
	id := h.subscribe("Email", "mira@example.com")
	leads := func(url, to string) {
		t.Helper()
		if a := h.do("GET", h.clickPath(id, url), ""); a.StatusCode != http.StatusFound || a.Header.Get("Location") != to {
			t.Errorf("got %d and the Location %q, want 302 and %q", a.StatusCode, a.Header.Get("Location"), to)
		}
	}
	const added = "utm_source=list&utm_medium=email&utm_campaign=May+%26+June"
	leads("https://shop.example/new?for={{Email}}#top", "https://shop.example/new?for=mira%40example.com&"+added+"#top")
	leads("https://shop.example/?utm_campaign=x", "https://shop.example/?utm_campaign=x&utm_source=list&utm_medium=email")
	leads("https://other.example/", "https://other.example/")
	leads("https://shop.example"+h.key.FilePath(3), "https://shop.example"+h.key.FilePath(3))
	_, err = h.service.Messages.EditMessage(h.Context(), h.caller, message, sent([]string{"utm", "off"}))
	h.must(err)
	leads("https://shop.example/", "https://shop.example/")
}

// A tracked link has the values that the mail had, or none: never those of a later time, which a reader of a forwarded
// mail must not see. A link of a mail of an earlier version has no fingerprint.
//
// covers: decision 49, spec merge.clicked
func TestClickLeadsToNoLaterValues(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "track_clicks", "1")
	_, err := h.service.Lists.AddField(t.Context(), h.caller, h.list, sent([]string{"name", "City", "type", "text"}))
	h.must(err)
	id := h.subscribe("Email", "mira@example.com", "City", "Perth")
	const url = "https://shop.example/{{City|any}}?for={{Email}}&list={{list_name}}"
	const none = "https://shop.example/any?for=&list="
	both, plain := h.clickPath(id, url), h.clickPath(id, "https://shop.example/?x=1")
	earlier := h.key.Path(enlist.Link{Kind: enlist.LinkClick, DeliveryKey: h.delivery(id), Target: 1})
	leads := func(path, to string) {
		t.Helper()
		if a := h.do("GET", path, ""); a.StatusCode != http.StatusFound || a.Header.Get("Location") != to {
			t.Errorf("got %d and the Location %q, want 302 and %q", a.StatusCode, a.Header.Get("Location"), to)
		}
	}
	leads(both, "https://shop.example/Perth?for=mira%40example.com&list=News%20%26%20%3CViews%3E")
	leads(earlier, none+"News%20%26%20%3CViews%3E")
	h.editList("name", "News") // is no value of the Contact
	leads(both, "https://shop.example/Perth?for=mira%40example.com&list=News")
	h.edit(id, "City", "Hobart")
	leads(both, none+"News")
	leads(h.clickPath(id, url), "https://shop.example/Hobart?for=mira%40example.com&list=News") // of a later mail
	h.edit(id, "City", "Perth", "Email", "mira@example.net")
	leads(both, none+"News")
	h.edit(id, "Email", "mira@example.com")
	leads(both, "https://shop.example/Perth?for=mira%40example.com&list=News")
	leads(plain, "https://shop.example/?x=1")
	for _, cut := range []string{strings.Replace(both, ".", "", 1), strings.Replace(both, ".", ".x", 1)} {
		h.shows(h.do("GET", cut, ""), http.StatusNotFound)
	}
}

// A tracked link redirects only to an http or https URL. For any other target the server shows the
// page "This link no longer works", also if the target comes from a merge field.
//
// covers: decision 49
func TestClickLeadsToWebURLsOnly(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "track_clicks", "1")
	id := h.subscribe("Email", "mira@example.com")
	for _, target := range []string{"javascript:alert(1)", "//evil.example", "/relative", "data:text/html,x", "{{Email}}", "http://", "mailto:a@example.com"} {
		t.Run(target, func(t *testing.T) {
			a := h.do("GET", h.clickPath(id, target), "")
			h.shows(a, http.StatusGone, "This link no longer works")
			if to := a.Header.Get("Location"); to != "" {
				t.Errorf("the link redirects to %q, want no redirect", to)
			}
		})
	}
	path := h.clickPath(id, "https://shop.example/")
	h.must(h.store.Update(t.Context(), func(tx *db.Tx) error { return messages.DeleteMessage(tx, 1) }))
	h.shows(h.do("GET", path, ""), http.StatusGone, "This link no longer works")
	if c := h.contact(id); c.LastClickTime != 0 {
		t.Error("a request for a link that leads nowhere was recorded as a click")
	}
}

// The signature includes the target, so an attacker cannot combine two links into a third link.
//
// covers: decision 48
func TestClickTargetIsSigned(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "mira@example.com")
	one, two := h.clickPath(id, "https://one.example/"), h.clickPath(id, "https://two.example/")
	mixed := one[:strings.LastIndexByte(one, '/')] + two[strings.LastIndexByte(two, '/'):]
	h.shows(h.do("GET", mixed, ""), http.StatusNotFound)
}
