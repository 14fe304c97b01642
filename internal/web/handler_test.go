package web

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"enlist/internal/enlist"
)

// The tests in this file check rules for links of every kind: invalid paths, HTTP methods, headers
// and errors.

// kinds has all kinds of links, in the order of harness.links.
var kinds = []enlist.LinkKind{enlist.LinkUnsubscribe, enlist.LinkConfirm, enlist.LinkOpen, enlist.LinkClick, enlist.LinkContact,
	enlist.LinkPreferences, enlist.LinkMail, enlist.LinkTracking}

// links returns the paths of the links of all kinds for a Contact.
func (h *harness) links(id enlist.ContactID) []string {
	h.Helper()
	var all []string
	for _, kind := range kinds {
		if kind == enlist.LinkClick {
			all = append(all, h.clickPath(id, "https://shop.example/"))
			continue
		}
		all = append(all, h.path(kind, id))
	}
	return all
}

// Mail programs and filters request all links of a mail, and some programs request them many times.
// These requests must not change a subscription.
//
// covers: decision 48
func TestFetchingLinksChangesNoSubscription(t *testing.T) {
	t.Parallel()
	h := newHarness(t, "double_opt_in_required", "1", "track_opens", "1", "track_clicks", "1")
	id := h.subscribe("Email", "mira@example.com")
	before := h.contact(id)
	for i, path := range h.links(id) {
		t.Run(string(kinds[i]), func(t *testing.T) {
			for _, method := range []string{"GET", "HEAD"} {
				for range 100 {
					if a := h.do(method, path, ""); a.StatusCode >= 400 && kinds[i] != enlist.LinkMail { // it has no Message
						t.Fatalf("%s %s: got the status %d, want less than 400", method, path, a.StatusCode)
					}
				}
			}
		})
		h.pass(time.Minute)
	}
	after := h.contact(id)
	if after.LastOpenTime == 0 || after.LastClickTime == 0 {
		t.Error("the opening or the click was not recorded")
	}
	after.LastOpenTime, after.LastClickTime = before.LastOpenTime, before.LastClickTime
	if !reflect.DeepEqual(before, after) {
		t.Errorf("the requests changed the Contact from\n%+v\nto\n%+v\nwant no change", before, after)
	}
}

// A response must not reveal why a link is invalid.
//
// covers: decision 48
func TestAllInvalidLinksGetTheSameAnswer(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "mira@example.com")
	good := h.path(enlist.LinkUnsubscribe, id)
	first := h.do("GET", "/u/x", "")
	h.shows(first, http.StatusNotFound, "This page does not exist")
	sum := good[strings.LastIndexByte(good, '/'):]
	for _, path := range []string{
		"/u/", "/c/", "/u/" + sum, good + "x", good + "/", good[:len(good)-1], "/c" + good[2:], "/n" + good[2:], "/k" + good[2:],
		strings.Replace(good, "-", "-0", 1), "/u/1-999999-5-c/AAAAAAAAAAAAAAAAAAAAAA", "/u/../u" + good[2:], "/u//" + good[3:],
		good[:strings.LastIndexByte(good, '/')] + strings.ToUpper(sum), "/u/%00" + good[3:], "/u/99999999999999999999-1-1-c" + sum,
	} {
		t.Run(path, func(t *testing.T) {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT"} {
				a := h.do(method, path, "")
				if a.StatusCode != http.StatusNotFound || method != "HEAD" && a.body != first.body {
					t.Errorf("%s: got %d %s, want 404 and the same body as for other invalid links", method, a.StatusCode, a.body)
				}
				a.Header.Del("Date")
				first.Header.Del("Date")
				if !reflect.DeepEqual(a.Header, first.Header) {
					t.Errorf("%s: got the headers %v, want %v as for other invalid links", method, a.Header, first.Header)
				}
			}
		})
	}
	if h.contact(id).IsUnsubscribed {
		t.Error("an invalid link unsubscribed the Contact")
	}
	// A proxy may escape other characters of a path. The signature is computed from the decoded path.
	h.shows(h.do("GET", strings.ReplaceAll(good, "-", "%2D"), ""), http.StatusOK, "Unsubscribe from")
}

// covers: decision 48
func TestOtherMethodsAreNotAllowed(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "mira@example.com")
	for i, path := range h.links(id) {
		allow := "GET, HEAD"
		others := []string{"PUT", "DELETE", "PATCH", "OPTIONS"}
		if kind := kinds[i]; kind == enlist.LinkUnsubscribe || kind == enlist.LinkConfirm || kind == enlist.LinkPreferences ||
			kind == enlist.LinkTracking {
			allow += ", POST"
		} else {
			others = append(others, "POST")
		}
		t.Run(string(kinds[i]), func(t *testing.T) {
			for _, method := range others {
				a := h.do(method, path, "")
				if a.StatusCode != http.StatusMethodNotAllowed || a.Header.Get("Allow") != allow {
					t.Errorf("%s: got %d and Allow %q, want 405 and %q", method, a.StatusCode, a.Header.Get("Allow"), allow)
				}
			}
		})
	}
	path := h.path(enlist.LinkUnsubscribe, id)
	h.shows(h.do("POST", path, strings.Repeat("x", maxBody+1)), http.StatusRequestEntityTooLarge)
	if h.contact(id).IsUnsubscribed {
		t.Error("a POST with a body that is too large unsubscribed the Contact")
	}
	h.shows(h.do("POST", path, strings.Repeat("x", maxBody)), http.StatusOK)
}

// covers: decision 48
func TestEveryAnswerHasSecurityHeaders(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "mira@example.com")
	form := h.addForm()
	for _, path := range append(h.links(id), "/u/x", form, form+"/link", form+".json", "/s/99", "/a/99") {
		t.Run(path, func(t *testing.T) {
			a := h.do("GET", path, "")
			for _, want := range [][2]string{
				{"Cache-Control", "no-store"}, {"Referrer-Policy", "no-referrer"},
				{"X-Content-Type-Options", "nosniff"}, {"X-Robots-Tag", "noindex, nofollow"},
			} {
				if got := a.Header.Get(want[0]); got != want[1] {
					t.Errorf("%s is %q, want %q", want[0], got, want[1])
				}
			}
			policy := a.Header.Get("Content-Security-Policy")
			for _, part := range []string{"default-src 'none'; style-src 'sha256-", "frame-ancestors 'none'"} {
				if !strings.Contains(policy, part) {
					t.Errorf("the policy lacks %q: %s", part, policy)
				}
			}
			if strings.Contains(policy, "unsafe") {
				t.Errorf("the policy is %s, want it without \"unsafe\"", policy)
			}
			if len(a.Header["Set-Cookie"]) > 0 {
				t.Error("the response sets a cookie")
			}
		})
	}
}

// The page for an unexpected error does not show the cause of the error.
func TestErrorPageHidesTheCause(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "mira@example.com")
	h.faults.view = errors.New("secret cause")
	a := h.do("GET", h.path(enlist.LinkUnsubscribe, id), "")
	h.shows(a, http.StatusInternalServerError, "Something went wrong")
	h.faults.view = enlist.Refuse(enlist.Busy, "secret cause")
	b := h.do("GET", h.path(enlist.LinkUnsubscribe, id), "")
	h.shows(b, http.StatusServiceUnavailable, "Something went wrong")
	if strings.Contains(a.body+b.body, "secret") || b.Header.Get("Retry-After") == "" {
		t.Errorf("got %v %s, want Retry-After, and no cause in the bodies", b.Header, b.body)
	}
}

// A client that disconnects in the middle of a POST changes nothing.
//
// covers: decision 48
func TestInterruptedPostChangesNothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.subscribe("Email", "mira@example.com")
	conn, err := net.Dial("tcp", h.server.Listener.Addr().String())
	h.must(err)
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 26\r\n\r\nList-Unsub", h.path(enlist.LinkUnsubscribe, id))
	h.must(conn.(*net.TCPConn).CloseWrite())
	if rest, err := io.ReadAll(conn); err != nil || len(rest) > 0 { // ReadAll waits until the server closes the connection
		t.Errorf("the server sent %q, %v, want a closed connection without a response", rest, err)
	}
	h.must(conn.Close())
	if h.contact(id).IsUnsubscribed {
		t.Error("the interrupted POST unsubscribed the Contact")
	}
}
