package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/teststores"
)

// This file has the service that the tests of this package call: on a database of its own, with
// a clock that tests set, and with faults that tests can switch on.

// firstMoment is the initial time of the clock of a harness.
var firstMoment = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// harness is a whole service on a fresh database, behind a real HTTP server.
type harness struct {
	store   *faultyStore
	service *audience.Service
	handler *Handler
	server  *httptest.Server
	account audience.AccountID
	keys    map[string]string // text by name: READ, STANDARD, FULL and, of another Account, OTHER

	mu  sync.Mutex
	now time.Time
}

func newHarness(t testing.TB, o Options) *harness {
	t.Helper()
	return newHarnessOn(t, teststores.SQLite, o)
}

func newHarnessOn(t testing.TB, e teststores.Engine, o Options) *harness {
	t.Helper()
	database, err := teststores.Open(t.Context(), e.New(t), 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{store: &faultyStore{Store: database}, now: firstMoment, keys: make(map[string]string)}
	h.service = audience.NewService(h.store, h.clock)
	h.account = h.addAccount(t, "Example")
	h.addKey(t, "READ", audience.KeyDetails{Account: h.account, Level: audience.Read})
	h.addKey(t, "STANDARD", audience.KeyDetails{Account: h.account, Level: audience.Standard})
	h.addKey(t, "FULL", audience.KeyDetails{Account: h.account, Level: audience.Full})
	h.addKey(t, "OTHER", audience.KeyDetails{Account: h.addAccount(t, "Other"), Level: audience.Full})

	failed := 0
	o.Now, o.Version = h.clock, "test"
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	o.NewRequestID = func() string {
		h.mu.Lock()
		defer h.mu.Unlock()
		failed++
		return "r" + strconv.Itoa(failed)
	}
	h.handler = New(h.service, o)
	h.server = httptest.NewServer(h.handler)
	t.Cleanup(func() {
		h.server.Close()
		if err := database.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *harness) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *harness) setClock(to time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = to
}

func (h *harness) addAccount(t testing.TB, name string) audience.AccountID {
	t.Helper()
	a := audience.Account{Name: name, TimeZone: "UTC", ContactLimit: audience.NoContactLimit, CreationTime: firstMoment.Unix()}
	err := h.store.Update(t.Context(), func(tx audience.Tx) error { return tx.AddAccount(&a) })
	if err != nil {
		t.Fatal(err)
	}
	return a.ID
}

func (h *harness) addKey(t testing.TB, name string, d audience.KeyDetails) audience.KeyID {
	t.Helper()
	d.Name = name
	key, text, err := h.service.AddKey(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	h.keys[name] = text
	return key.ID
}

// faultyStore is a Store whose transactions a test can make fail before they begin. It records
// the effects that they store.
type faultyStore struct {
	audience.Store

	mu      sync.Mutex
	faults  map[string]error // by "view", "stream", "update"
	effects []audience.Effect
	commits int // updates that succeeded
	after   int // a search fails after this number of Contacts; 0: never
}

// errPanic as a fault makes the transaction panic.
var errPanic = errors.New("panic")

func (f *faultyStore) fault(of string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.faults[of]
	if err == errPanic {
		panic("a panic to order")
	}
	return err
}

func (f *faultyStore) setFault(of string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.faults == nil {
		f.faults = make(map[string]error)
	}
	f.faults[of] = err
}

// takeEffects returns the effects stored since the last call of takeEffects.
func (f *faultyStore) takeEffects() []audience.Effect {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.effects
	f.effects = nil
	return taken
}

// committed counts the updates that succeeded.
func (f *faultyStore) committed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.commits
}

// failSearchAfter makes streams fail after this number of Contacts; 0: never.
func (f *faultyStore) failSearchAfter(after int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.after = after
}

func (f *faultyStore) View(ctx context.Context, fn func(audience.Tx) error) error {
	if err := f.fault("view"); err != nil {
		return err
	}
	return f.Store.View(ctx, fn)
}

func (f *faultyStore) Stream(ctx context.Context, fn func(audience.Tx) error) error {
	if err := f.fault("stream"); err != nil {
		return err
	}
	f.mu.Lock()
	after := f.after
	f.mu.Unlock()
	return f.Store.Stream(ctx, func(tx audience.Tx) error { return fn(failingSearchTx{tx, after}) })
}

func (f *faultyStore) Update(ctx context.Context, fn func(audience.Tx) error, hint ...audience.InsertsContact) error {
	return f.watch(fn, func(fn func(audience.Tx) error) error { return f.Store.Update(ctx, fn, hint...) })
}

// watch has update run fn.
func (f *faultyStore) watch(fn func(audience.Tx) error, update func(func(audience.Tx) error) error) error {
	if err := f.fault("update"); err != nil {
		return err
	}
	var effects []audience.Effect
	err := update(func(tx audience.Tx) error {
		effects = nil
		return fn(recordingTx{tx, &effects})
	})
	if err == nil {
		f.mu.Lock()
		f.effects = append(f.effects, effects...)
		f.commits++
		f.mu.Unlock()
	}
	return err
}

// failingSearchTx fails a search after some Contacts.
type failingSearchTx struct {
	audience.Tx
	after int
}

var errBroken = errors.New("the disk is gone")

func (b failingSearchTx) SearchContacts(s *audience.Search, each func(*audience.Contact) error) error {
	found := 0
	return b.Tx.SearchContacts(s, func(c *audience.Contact) error {
		if found++; b.after > 0 && found > b.after {
			return errBroken
		}
		return each(c)
	})
}

// recordingTx notes the effects that it stores.
type recordingTx struct {
	audience.Tx
	effects *[]audience.Effect
}

func (w recordingTx) Enqueue(e audience.Effect) error {
	*w.effects = append(*w.effects, e)
	return w.Tx.Enqueue(e)
}

// post makes a call and returns the body of its reply.
func (h *harness) post(t testing.TB, body string) string {
	t.Helper()
	resp, err := h.server.Client().Post(h.server.URL+"/rpc", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(reply)
}

// call makes a call with the full key that must succeed and returns its result.
// params are JSON, without brackets and key.
func (h *harness) call(t testing.TB, method, params string) *audience.Input {
	t.Helper()
	reply := h.post(t, h.request(method, params))
	v, err := parse(reply)
	if err != nil || child(v, "error").Kind != audience.InputNull {
		t.Fatalf("%s: %s", method, reply)
	}
	return child(v, "result")
}

func (h *harness) request(method, params string) string {
	if params != "" {
		params = "," + params
	}
	return fmt.Sprintf(`{"id":1,"method":%q,"params":[%q%s]}`, method, h.keys["FULL"], params)
}
