package apptest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/privacy"
)

// Account has a Service on a new store, one Account, and a caller with a
// full-access key. Most of its methods call the Service, and fail the test after an
// unexpected result.
type Account struct {
	*testing.T
	Store  db.Engine
	App    *app.App
	Caller *enlist.Caller
	Now    time.Time // the time on the Service's clock
}

func NewAccount(t *testing.T, store db.Engine) *Account {
	o := &Account{T: t, Store: store, Now: time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)}
	o.App = app.New(o.Store, o.Clock)
	o.App.Users.WeakPasswords()
	o.Caller = o.NewCaller()
	return o
}

func (o *Account) Clock() time.Time { return o.Now }

// NewCaller stores another Account with a full-access key and returns its caller.
func (o *Account) NewCaller() *enlist.Caller {
	o.Helper()
	c := &enlist.Caller{
		Account: &enlist.Account{Name: "Account", TimeZone: "UTC", ContactLimit: enlist.NoContactLimit,
			CreationTime: o.Now.Unix()},
		Key: &enlist.Key{Name: "test key", Level: enlist.Full, CreationTime: o.Now.Unix()},
	}
	o.Update(func(tx *db.Tx) error {
		if err := accounts.Insert(tx, c.Account); err != nil {
			return err
		}
		c.Key.AccountID = c.Account.ID
		return accounts.AddKey(tx, c.Key, enlist.HashKey(enlist.NewKeyText()))
	})
	return c
}

// Restricted returns a copy of the caller. Its key may use only the given Lists.
func (o *Account) Restricted(lists ...enlist.ListID) *enlist.Caller {
	key := *o.Caller.Key
	key.Lists = append([]enlist.ListID{}, lists...)
	return &enlist.Caller{Account: o.Caller.Account, Key: &key}
}

func (o *Account) Update(fn func(*db.Tx) error) {
	o.Helper()
	if err := o.Store.Update(o.Context(), fn); err != nil {
		o.Fatal(err)
	}
}

// Refused checks that err has the given Kind and that its text contains the parameter about.
// The text must not contain square brackets.
func (o *Account) Refused(err error, kind enlist.Kind, about string) {
	o.Helper()
	e, ok := errors.AsType[*enlist.Error](err)
	if !ok || e.Kind != kind || !strings.Contains(e.Field+": "+e.Detail, about) || strings.ContainsAny(e.Detail, "[]") {
		o.Errorf("error is %#v, want the Kind %d and a text that contains %q, without square brackets", err, kind,
			about)
	}
}

func (o *Account) Must(err error) {
	o.Helper()
	if err != nil {
		o.Fatalf("%v", err)
	}
}

// Jobs returns how many jobs of a kind wait in the queue of the store.
func (o *Account) Jobs(kind string) int {
	o.Helper()
	return o.Store.(*dbtest.Store).Waiting(o.T, kind)
}

// Case runs a subtest on the same store.
func (o *Account) Case(rule string, test func()) {
	parent := o.T
	defer func() { o.T = parent }()
	parent.Run(rule, func(t *testing.T) {
		o.T = t
		test()
	})
}

func (w *Rows[T]) Begin(streaming bool) error {
	w.All, w.Streaming = nil, streaming
	return nil
}

func (w *Rows[T]) Row(r *T) error {
	w.All = append(w.All, *r)
	return nil
}

// AuditLog returns the rows of an Account, the newest first. account 0 means all rows.
func (o *Account) AuditLog(account enlist.AccountID) (rows []accounts.AuditRow) {
	o.Helper()
	q := enlist.Query{SortBy: "id", Descending: true}
	o.Must(o.App.Accounts.AuditLog(o.Context(), account, q, func(r *accounts.AuditRow) error {
		rows = append(rows, *r)
		return nil
	}))
	return rows
}

// Retrying returns a copy of the caller with an Idempotency-Key.
func (o *Account) Retrying(header string) *enlist.Caller {
	with := *o.Caller
	with.Retry = &enlist.Retry{Header: header}
	return &with
}

func (o *Account) Limit(n int64) {
	o.Helper()
	o.Must(o.App.Accounts.SetContactLimit(o.Context(), o.Caller.Account.ID, n))
	o.Update(func(tx *db.Tx) (err error) {
		o.Caller.Account, err = accounts.ByID(tx, o.Caller.Account.ID)
		return err
	})
}

// Retain sets the days of both kinds.
func (o *Account) Retain(events, deliveries int64) {
	o.Helper()
	o.Must(o.App.Privacy.SetRetention(o.Context(), o.Caller.Account.ID,
		enlist.Retention{Events: events, Deliveries: deliveries}))
}

// RemoveOld runs the steps of the job. It returns how many rows were removed or lost their texts.
func (o *Account) RemoveOld() (events, deliveries int64) {
	o.Helper()
	step := privacy.ApplyRetention{Account: o.Caller.Account.ID}
	for done := false; !done; {
		var err error
		step, done, err = o.App.Privacy.ApplyRetention(o.Context(), step)
		o.Must(err)
	}
	return step.Events, step.Deliveries
}

const Hook = "https://shop.example.com/hook"

func (o *Account) AddWebhook(object, event string, pairs ...any) enlist.WebhookID {
	o.Helper()
	pairs = append([]any{"object", object, "event", event, "url", Hook}, pairs...)
	id, err := o.App.Webhooks.AddWebhook(o.Context(), o.Caller, Details(pairs...))
	o.Must(err)
	return id
}

func (o *Account) Webhook(id enlist.WebhookID) *enlist.Webhook {
	o.Helper()
	w, err := o.App.Webhooks.Webhook(o.Context(), o.Caller, id)
	o.Must(err)
	return w
}
