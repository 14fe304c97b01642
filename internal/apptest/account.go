package apptest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/lists"
	"enlist/internal/privacy"
	"enlist/internal/reports"
	"enlist/internal/search"
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

func (o *Account) AddList(pairs ...any) enlist.ListID {
	o.Helper()
	id, err := o.App.Lists.AddList(o.Context(), o.Caller, Details(append([]any{"name", "News"}, pairs...)...))
	o.Must(err)
	return id
}

func (o *Account) List(id enlist.ListID) *enlist.List {
	o.Helper()
	l, err := o.App.Lists.List(o.Context(), o.Caller, id)
	o.Must(err)
	return l
}

func (o *Account) AddField(list enlist.ListID, pairs ...any) enlist.FieldID {
	o.Helper()
	id, err := o.App.Lists.AddField(o.Context(), o.Caller, list, Details(pairs...))
	o.Must(err)
	return id
}

func (o *Account) Field(list enlist.ListID, id enlist.FieldID) *enlist.Field {
	o.Helper()
	f, err := o.App.Lists.Field(o.Context(), o.Caller, list, id)
	o.Must(err)
	return f
}

// Fields searches the Fields of a List and returns their names.
func (o *Account) Fields(list enlist.ListID, q enlist.Query) []string {
	o.Helper()
	found, err := o.App.Lists.SearchFields(o.Context(), o.Caller, list, q)
	o.Must(err)
	names := make([]string, len(found))
	for i := range found {
		names[i] = found[i].Name
	}
	return names
}

func (o *Account) EmailField(list enlist.ListID) (id enlist.FieldID) {
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		id = schema.Email().ID
		return err
	}))
	return id
}

func (o *Account) AddFileFolder(name string) enlist.FolderID {
	o.Helper()
	id, err := o.App.Accounts.AddFolder(o.Context(), o.Caller, Details("name", name, "type", "file"))
	o.Must(err)
	return id
}

// SetSegment adds a Segment of a List, or replaces the criteria of the one with the name.
func (o *Account) SetSegment(list enlist.ListID, name string, criteria *enlist.Criteria) enlist.SegmentID {
	o.Helper()
	id, err := o.App.Contacts.SetSegment(o.Context(), o.Caller, contacts.SegmentRequest{List: list, Name: name, Criteria: criteria})
	o.Must(err)
	return id
}

func (o *Account) Subscribe(list enlist.ListID, pairs ...any) enlist.ContactID {
	o.Helper()
	r := contacts.SubscribeRequest{List: list, Details: Details(pairs...)}
	id, err := o.App.Contacts.Subscribe(o.Context(), o.Caller, r)
	o.Must(err)
	return id
}

// AddImport adds an Import of a file to a List. change may set options.
func (o *Account) AddImport(list enlist.ListID, file string,
	change func(*imports.ImportOptions)) (*imports.Import, error) {
	options := imports.ImportOptions{List: list, FileName: "people.csv"}
	if change != nil {
		change(&options)
	}
	return o.App.Imports.AddImport(o.Context(), o.Caller,
		imports.NewImport{ImportOptions: options, File: strings.NewReader(file)})
}

// ImportFile adds an Import, runs it to its end and returns it.
func (o *Account) ImportFile(list enlist.ListID, file string, change func(*imports.ImportOptions)) *imports.Import {
	o.Helper()
	i, err := o.AddImport(list, file, change)
	o.Must(err)
	o.Must(o.App.Imports.RunImport(o.Context(), i.ID))
	i, err = o.App.Imports.Import(o.Context(), o.Caller, i.ID)
	o.Must(err)
	return i
}

// Contact reads a stored Contact.
func (o *Account) Contact(list enlist.ListID, id enlist.ContactID) (c *enlist.Contact) {
	o.Helper()
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) (err error) {
		c, err = contacts.ByID(tx, list, id)
		return err
	}))
	return c
}

// Count counts the Contacts of a List that match one criterion.
func (o *Account) Count(list enlist.ListID, key, operator, value string) int64 {
	o.Helper()
	n, err := o.App.Contacts.CountContacts(o.Context(), o.Caller, list, Criterion(key, operator, value))
	o.Must(err)
	return n
}

// EditEmail changes the email address of a Contact.
func (o *Account) EditEmail(list enlist.ListID, id enlist.ContactID, email string) {
	o.Helper()
	_, err := o.App.Contacts.EditContacts(o.Context(), o.Caller, contacts.EditRequest{List: list,
		Contacts: []contacts.EditRow{{ID: id, Details: Details("Email", email)}}})
	o.Must(err)
}

// MessagesSent returns the mails to a Contact.
func (o *Account) MessagesSent(list enlist.ListID, id enlist.ContactID) []reports.ContactDelivery {
	o.Helper()
	var w Rows[reports.ContactDelivery]
	o.Must(o.App.Reports.ContactDeliveries(o.Context(), o.Caller, list, id, &w))
	return w.All
}

// All returns the IDs of a List's Contacts.
func (o *Account) All(list enlist.ListID) (ids []enlist.ContactID) {
	o.Helper()
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		ids = nil
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		return search.Contacts(tx, &enlist.Search{Schema: schema}, func(c *enlist.Contact) error {
			ids = append(ids, c.ID)
			return nil
		})
	}))
	return ids
}

// Ledger returns how many ledger rows a Contact has.
func (o *Account) Ledger(list enlist.ListID, id enlist.ContactID) int {
	o.Helper()
	var w Rows[enlist.LedgerRow]
	o.Must(o.App.Contacts.ContactConsents(o.Context(), o.Caller, contacts.LedgerQuery{List: list, Contact: id}, &w))
	return len(w.All)
}

// LedgerOf returns the ledger of a Contact, newest first, with only the method, type and IP of each row.
func (o *Account) LedgerOf(list enlist.ListID, id enlist.ContactID) (rows []enlist.LedgerRow) {
	o.Helper()
	View(o.T, o.Store, func(tx *db.Tx) error {
		all, err := contacts.LedgerRows(tx, list, id, 0, 0)
		for _, r := range all {
			rows = append(rows, enlist.LedgerRow{Method: r.Method, Type: r.Type, IP: r.IP, KeyName: r.KeyName})
		}
		return err
	})
	return rows
}
