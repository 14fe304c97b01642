package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
	"enlist/internal/httpserver"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/messages/merge"
	"enlist/internal/sending"
)

// This file has the database and the HTTP server that the tests of the pages use.

// harness has a Service on a new database with one List, and an HTTP server with the pages of links.
// The clock of the Service changes only when a test calls pass.
type harness struct {
	*testing.T
	store   db.Engine
	service *app.App
	caller  *enlist.Caller
	list    enlist.ListID
	key     enlist.LinkKey
	server  *httptest.Server
	pages   *Handler
	faults  *faults
	header  http.Header // of the next requests

	mu  sync.Mutex
	now time.Time
}

// newHarness creates the database and starts the HTTP server. settings are keys and values of the
// List.
func newHarness(t *testing.T, settings ...string) *harness {
	t.Helper()
	store, err := sqlite.Open(t.Context(), dbtest.SQLite.New(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{T: t, store: store, now: time.Date(2026, 7, 1, 9, 30, 0, 0, time.UTC)}
	h.service = app.New(store, h.clock)
	h.caller = &enlist.Caller{
		Account: &enlist.Account{Name: "Account in Sydney", TimeZone: "Australia/Sydney", ContactLimit: enlist.NoContactLimit},
		Key:     &enlist.Key{Name: "full access", Level: enlist.Full},
	}
	h.must(store.Update(t.Context(), func(tx *db.Tx) error {
		if err := accounts.Insert(tx, h.caller.Account); err != nil {
			return err
		}
		h.caller.Key.AccountID = h.caller.Account.ID
		return accounts.AddKey(tx, h.caller.Key, enlist.HashKey(enlist.NewKeyText()))
	}))
	h.list = h.addList(append([]string{"name", "News & <Views>"}, settings...)...)
	h.key, err = h.service.Messages.LinkKey(t.Context())
	h.must(err)
	h.faults = &faults{Links: h.service.Sending}
	h.pages = New(h.faults, h.service.Forms, h.service.Files, h.service.Messages, h.key, slog.New(slog.NewTextHandler(io.Discard, nil)))
	h.pages.now, h.pages.answer = h.clock, 0
	mux := httpserver.NewMux()
	h.pages.Routes(mux)
	h.server = httptest.NewServer(mux)
	t.Cleanup(func() {
		h.server.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// faults are Links that returns the errors that a test has set.
type faults struct {
	Links
	view   error // error of ViewLink
	record error // error of Opened and Clicked
}

func (f *faults) ViewLink(ctx context.Context, d enlist.DeliveryKey) (*sending.LinkView, error) {
	if f.view != nil {
		return nil, f.view
	}
	return f.Links.ViewLink(ctx, d)
}

func (f *faults) Opened(ctx context.Context, l enlist.Link, userAgent string) error {
	if f.record != nil {
		return f.record
	}
	return f.Links.Opened(ctx, l, userAgent)
}

func (f *faults) Clicked(ctx context.Context, l enlist.Link, userAgent string) error {
	if f.record != nil {
		return f.record
	}
	return f.Links.Clicked(ctx, l, userAgent)
}

func (h *harness) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// pass moves the clock forward.
func (h *harness) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

func (h *harness) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *harness) addList(pairs ...string) enlist.ListID {
	h.Helper()
	id, err := h.service.Lists.AddList(h.Context(), h.caller, sent(pairs))
	h.must(err)
	return id
}

// editList changes settings of the List: pairs are keys and values.
func (h *harness) editList(pairs ...string) {
	h.Helper()
	_, err := h.service.Lists.EditList(h.Context(), h.caller, h.list, sent(pairs))
	h.must(err)
}

// subscribe subscribes a Contact: pairs are keys and values.
func (h *harness) subscribe(pairs ...string) enlist.ContactID {
	h.Helper()
	id, err := h.service.Contacts.Subscribe(h.Context(), h.caller, contacts.SubscribeRequest{List: h.list, Details: sent(pairs)})
	h.must(err)
	return id
}

// edit changes values of a Contact: pairs are keys and values.
func (h *harness) edit(id enlist.ContactID, pairs ...string) {
	h.Helper()
	_, err := h.service.Contacts.EditContacts(h.Context(), h.caller, contacts.EditRequest{List: h.list,
		Contacts: []contacts.EditRow{{ID: id, Details: sent(pairs)}}})
	h.must(err)
}

// sent returns keys and values in the form in which a caller sends them.
func sent(pairs []string) (all []enlist.Detail) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, enlist.Detail{Key: pairs[i], Value: enlist.Input{Kind: enlist.InputText, Text: pairs[i+1]}})
	}
	return all
}

// remove deletes the Contact and all Contacts with a lower ID, in the same way as a deletion of
// all Contacts of the List.
func (h *harness) remove(id enlist.ContactID) {
	h.Helper()
	h.must(h.store.Update(h.Context(), func(tx *db.Tx) error {
		_, err := h.service.Contacts.RemoveContactsUpTo(tx, 100, h.list, id, 1000)
		return err
	}))
}

// hideList marks the List as deleted.
func (h *harness) hideList() {
	h.Helper()
	h.must(h.store.Update(h.Context(), func(tx *db.Tx) error { return lists.MarkListDeleted(tx, h.list) }))
}

// contact reads a Contact of the List.
func (h *harness) contact(id enlist.ContactID) (c *enlist.Contact) {
	h.Helper()
	h.must(h.store.View(h.Context(), func(tx *db.Tx) (err error) {
		c, err = contacts.ByID(tx, h.list, id)
		return err
	}))
	return c
}

// delivery returns the key of a mail to a Contact, for an event at the harness's current time.
func (h *harness) delivery(id enlist.ContactID) enlist.DeliveryKey {
	return enlist.DeliveryKey{List: h.list, Contact: id, Time: h.clock().Unix(), Cause: messages.CauseConfirmation}
}

// path returns the path of a link for a Contact.
func (h *harness) path(kind enlist.LinkKind, id enlist.ContactID) string {
	return h.key.Path(enlist.Link{Kind: kind, DeliveryKey: h.delivery(id)})
}

// clickPath returns the path of a tracked link to a URL in Message 1.
func (h *harness) clickPath(id enlist.ContactID, url string) string {
	h.Helper()
	targets, err := h.service.Sending.LinkTargets(h.Context(), 1, 0, []string{url})
	h.must(err)
	l := enlist.Link{Kind: enlist.LinkClick, DeliveryKey: h.delivery(id), Target: targets[0]}
	v, err := h.service.Sending.ViewLink(h.Context(), l.DeliveryKey)
	h.must(err)
	l.Values = h.key.Fingerprint(l.DeliveryKey, merge.Parse(url).Used(messages.MailValues(v.Schema, v.Contact)))
	return h.key.Path(l)
}

// answer is a response with its body. The client of the tests does not follow redirects.
type answer struct {
	*http.Response
	body string
}

// do sends a request and returns the response. It sends a body that is not empty as a form.
func (h *harness) do(method, path, body string) answer {
	h.Helper()
	req, err := http.NewRequestWithContext(h.Context(), method, h.server.URL+path, strings.NewReader(body))
	h.must(err)
	if body != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, values := range h.header {
		req.Header[name] = values
	}
	resp, err := h.server.Client().Transport.RoundTrip(req)
	h.must(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	h.must(err)
	return answer{resp, string(text)}
}

// shows checks the status of a response, and that its body contains the given texts.
func (h *harness) shows(a answer, status int, parts ...string) {
	h.Helper()
	if a.StatusCode != status {
		h.Errorf("got the status %d, want %d: %s", a.StatusCode, status, a.body)
	}
	for _, part := range parts {
		if !strings.Contains(a.body, part) {
			h.Errorf("got the page %s, want %q in it", a.body[strings.Index(a.body, "<main>"):], part)
		}
	}
}

// hasButton reports whether the page has a button, other than the one that sends a reason.
func (a answer) hasButton() bool {
	return strings.Contains(strings.ReplaceAll(a.body, `<button name="button" value="reason"`, ""), "<button")
}

// jobs returns the number of jobs of a kind that wait.
func (h *harness) jobs(kind string) (n int64) {
	h.Helper()
	h.must(h.store.View(h.Context(), func(tx *db.Tx) (err error) {
		n, err = tx.Number("SELECT count(*) FROM river_job WHERE kind = ?", kind)
		return err
	}))
	return n
}

// consents returns the rows of the consent ledger about a Contact.
func (h *harness) consents(id enlist.ContactID) (rows []enlist.LedgerRow) {
	h.Helper()
	h.must(h.store.View(h.Context(), func(tx *db.Tx) (err error) {
		rows, err = contacts.Consents(tx, h.list, id, 10, 0)
		return err
	}))
	return rows
}
