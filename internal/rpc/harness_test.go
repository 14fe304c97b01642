package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/httpserver"
	"enlist/internal/mail"
	"enlist/internal/messages"
	"enlist/internal/users"
)

// This file has the service that the tests of this package call. Each test has a database without rows. A
// test can set the clock of the service, and can make its transactions fail.

// firstMoment is the initial time of the clock of a harness.
var firstMoment = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// harness is a complete service with a new database and a real HTTP server.
type harness struct {
	store   *faultyStore
	service *app.App
	handler *Handler
	server  *httptest.Server
	account enlist.AccountID
	keys    map[string]string // text of each key by its name: READ, STANDARD, FULL, and OTHER (a key of another Account)

	mu  sync.Mutex
	now time.Time
}

// newHarness returns a harness on a new SQLite file, with two Accounts and their keys.
func newHarness(t testing.TB, o Options, l ...httpserver.Limits) *harness {
	t.Helper()
	return newHarnessOn(t, openFile(t, dbtest.SQLite.New(t)), o, l...)
}

// openFile opens a SQLite file whose searches wait a short time only.
func openFile(t testing.TB, path string) *dbtest.Store {
	t.Helper()
	database, err := dbtest.Open(t.Context(), path, 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := database.Close(); err != nil {
			t.Error(err)
		}
	})
	return database
}

// newHarnessOn is newHarness on an open store without rows.
func newHarnessOn(t testing.TB, database *dbtest.Store, o Options, l ...httpserver.Limits) *harness {
	t.Helper()
	h := serve(t, database, o, l...)
	h.account = h.addAccount(t, "Example")
	h.addKey(t, "READ", accounts.KeyDetails{Account: h.account, Level: enlist.Read})
	h.addKey(t, "STANDARD", accounts.KeyDetails{Account: h.account, Level: enlist.Standard})
	h.addKey(t, "FULL", accounts.KeyDetails{Account: h.account, Level: enlist.Full})
	h.addKey(t, "OTHER", accounts.KeyDetails{Account: h.addAccount(t, "Other"), Level: enlist.Full})
	return h
}

// recordFile is a SQLite file of newHarness that also has one of each record. The first test that needs the file makes
// it: its calls take longer than most tests.
var recordFile struct {
	once    sync.Once
	content []byte
	account enlist.AccountID
	keys    map[string]string
}

// newHarnessWithRecords is newHarness after addOneOfEachRecord.
func newHarnessWithRecords(t *testing.T) *harness {
	t.Helper()
	f := &recordFile
	f.once.Do(func() {
		path := dbtest.SQLite.New(t)
		t.Run("one of each record", func(t *testing.T) { // at its end the file is closed
			h := newHarnessOn(t, openFile(t, path), Options{})
			h.addOneOfEachRecord(t)
			f.account, f.keys = h.account, h.keys
		})
		var err error
		if f.content, err = os.ReadFile(path); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(t.TempDir(), "enlist.db")
	if err := os.WriteFile(path, f.content, 0o600); err != nil {
		t.Fatal(err)
	}
	h := serve(t, openFile(t, path), Options{})
	h.account, h.keys = f.account, maps.Clone(f.keys)
	return h
}

// serve returns a harness without an Account.
func serve(t testing.TB, database *dbtest.Store, o Options, l ...httpserver.Limits) *harness {
	t.Helper()
	h := &harness{store: &faultyStore{Engine: database}, now: firstMoment, keys: make(map[string]string)}
	h.service = app.New(h.store, h.clock)
	h.service.Users.SetSettings(users.Settings{Mail: func(context.Context, *users.LinkMail) error { return nil }})
	h.service.Messages.SetComposer(composer{make: sync.OnceValues(func() (messages.Composer, error) {
		return mail.NewComposer(mail.Options{From: "lists@example.org", PublicURL: "https://lists.example.org", Links: h.service.Sending,
			Files: h.service.Files})
	})})
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
	h.server = httptest.NewServer(httpserver.Deadlines(h.handler, append(l, httpserver.Limits{})[0]))
	t.Cleanup(h.server.Close)
	return h
}

// composer makes a Composer at the first call. Most tests need none, and it reads all texts of all languages.
type composer struct {
	messages.Composer
	make func() (messages.Composer, error)
}

func (c composer) Preview(ctx context.Context, m *messages.OutgoingMail) (*messages.ComposedMail, error) {
	made, err := c.make()
	if err != nil {
		return nil, err
	}
	return made.Preview(ctx, m)
}

func (c composer) Check(ctx context.Context, m *messages.OutgoingMail) ([]messages.Finding, error) {
	made, err := c.make()
	if err != nil {
		return nil, err
	}
	return made.Check(ctx, m)
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

func (h *harness) addAccount(t testing.TB, name string) enlist.AccountID {
	t.Helper()
	a := enlist.Account{Name: name, TimeZone: "UTC", ContactLimit: enlist.NoContactLimit, CreationTime: firstMoment.Unix()}
	err := h.store.Update(t.Context(), func(tx *db.Tx) error { return accounts.Insert(tx, &a) })
	if err != nil {
		t.Fatal(err)
	}
	return a.ID
}

func (h *harness) addKey(t testing.TB, name string, d accounts.KeyDetails) enlist.KeyID {
	t.Helper()
	d.Name = name
	key, text, err := h.service.Accounts.AddKey(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	h.keys[name] = text
	return key.ID
}

// faultyStore is a Store for tests. A test can make its transactions fail before they begin.
// faultyStore records the effects that transactions store.
type faultyStore struct {
	db.Engine

	mu      sync.Mutex
	faults  map[string]error // errors by the kind of transaction: "view", "stream", "update"
	effects []db.Effect
	commits int // number of updates that succeeded
	after   int // a stream fails after this number of Contacts; 0: never
}

// errPanic as a fault makes the transaction panic.
var errPanic = errors.New("panic")

func (f *faultyStore) fault(of string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.faults[of]
	if err == errPanic {
		panic("a panic for a test")
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

// takeEffects returns the effects that were stored after the previous call of takeEffects.
func (f *faultyStore) takeEffects() []db.Effect {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.effects
	f.effects = nil
	return taken
}

// committed returns the number of updates that succeeded.
func (f *faultyStore) committed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.commits
}

// failSearchAfter makes each stream fail after this number of Contacts. If after is 0, streams do
// not fail.
func (f *faultyStore) failSearchAfter(after int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.after = after
}

func (f *faultyStore) View(ctx context.Context, fn func(*db.Tx) error) error {
	if err := f.fault("view"); err != nil {
		return err
	}
	return f.Engine.View(ctx, fn)
}

func (f *faultyStore) Stream(ctx context.Context, fn func(*db.Tx) error) error {
	if err := f.fault("stream"); err != nil {
		return err
	}
	f.mu.Lock()
	after := f.after
	f.mu.Unlock()
	found := 0
	return f.Engine.Stream(ctx, apptest.Watch{Row: func(query string) error {
		if strings.Contains(query, "FROM contact ") {
			found++
		}
		if after > 0 && found > after {
			return errBroken
		}
		return nil
	}}.Run(fn))
}

func (f *faultyStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	return f.watch(fn, func(fn func(*db.Tx) error) error { return f.Engine.Update(ctx, fn) })
}

func (f *faultyStore) UpdateInBatch(ctx context.Context, a db.Address, fn func(*db.Tx) error) error {
	return f.watch(fn, func(fn func(*db.Tx) error) error { return f.Engine.UpdateInBatch(ctx, a, fn) })
}

// watch calls update with fn. If the update succeeds, watch counts it and records its effects.
func (f *faultyStore) watch(fn func(*db.Tx) error, update func(func(*db.Tx) error) error) error {
	if err := f.fault("update"); err != nil {
		return err
	}
	var effects []db.Effect
	err := update(func(tx *db.Tx) error {
		effects = nil
		return apptest.Watch{Effect: func(e db.Effect) { effects = append(effects, e) }}.Run(fn)(tx)
	})
	if err == nil {
		f.mu.Lock()
		f.effects = append(f.effects, effects...)
		f.commits++
		f.mu.Unlock()
	}
	return err
}

var errBroken = errors.New("the disk is gone")

// post sends a body and returns the body of the reply.
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

// call calls a method with the key FULL and returns the result. The call must succeed. params is
// JSON: the parameters after the key, without square brackets around them.
func (h *harness) call(t testing.TB, method, params string) *enlist.Input {
	t.Helper()
	reply := h.post(t, h.request(method, params))
	v, err := parse(reply)
	if err != nil || child(v, "error").Kind != enlist.InputNull {
		t.Fatalf("%s: %s", method, reply)
	}
	return child(v, "result")
}

// request returns the body of a call with the key FULL. params has the same form as in call.
func (h *harness) request(method, params string) string {
	if params != "" {
		params = "," + params
	}
	return fmt.Sprintf(`{"id":1,"method":%q,"params":[%q%s]}`, method, h.keys["FULL"], params)
}
