package rpc

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/sqlite"
)

// firstMoment is what the clock of a harness shows at first.
var firstMoment = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// harness is a whole service on a fresh database, behind a real HTTP server.
type harness struct {
	store   *fallible
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
	database, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "enlist.db"), sqlite.Options{StreamWait: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{store: &fallible{Store: database}, now: firstMoment, keys: make(map[string]string)}
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

// fallible is a Store whose transactions can be made to fail before they
// begin, and which remembers what they set in motion.
type fallible struct {
	audience.Store

	mu      sync.Mutex
	faults  map[string]error // by "view", "stream", "update"
	effects []audience.Effect
}

// errPanic as a fault makes the transaction panic.
var errPanic = errors.New("panic")

func (f *fallible) fault(of string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.faults[of]
	if err == errPanic {
		panic("a panic to order")
	}
	return err
}

func (f *fallible) setFault(of string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.faults == nil {
		f.faults = make(map[string]error)
	}
	f.faults[of] = err
}

// takeEffects returns what was set in motion since it was last called.
func (f *fallible) takeEffects() []audience.Effect {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.effects
	f.effects = nil
	return taken
}

func (f *fallible) View(ctx context.Context, fn func(audience.Tx) error) error {
	if err := f.fault("view"); err != nil {
		return err
	}
	return f.Store.View(ctx, fn)
}

func (f *fallible) Stream(ctx context.Context, fn func(audience.Tx) error) error {
	if err := f.fault("stream"); err != nil {
		return err
	}
	return f.Store.Stream(ctx, fn)
}

func (f *fallible) Update(ctx context.Context, fn func(audience.Tx) error) error {
	if err := f.fault("update"); err != nil {
		return err
	}
	var effects []audience.Effect
	err := f.Store.Update(ctx, func(tx audience.Tx) error {
		effects = nil
		return fn(watchedTx{tx, &effects})
	})
	if err == nil {
		f.mu.Lock()
		f.effects = append(f.effects, effects...)
		f.mu.Unlock()
	}
	return err
}

// watchedTx notes the effects that it stores.
type watchedTx struct {
	audience.Tx
	effects *[]audience.Effect
}

func (w watchedTx) Enqueue(e audience.Effect) error {
	*w.effects = append(*w.effects, e)
	return w.Tx.Enqueue(e)
}
