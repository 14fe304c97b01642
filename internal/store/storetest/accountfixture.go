package storetest

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// accountFixture has a Service on a new store, one Account, and a caller with a
// full-access key. Most of its methods call the Service, and fail the test after an
// unexpected result.
type accountFixture struct {
	*testing.T
	store   db.Engine
	service *app.App
	caller  *enlist.Caller
	now     time.Time // the time on the Service's clock
}

func newAccountFixture(t *testing.T, open func(t *testing.T) db.Engine) *accountFixture {
	o := &accountFixture{T: t, store: open(t), now: time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)}
	o.service = app.New(o.store, o.clock)
	o.caller = o.newCaller()
	return o
}

func (o *accountFixture) clock() time.Time { return o.now }

// newCaller stores another Account with a full-access key and returns its caller.
func (o *accountFixture) newCaller() *enlist.Caller {
	o.Helper()
	c := &enlist.Caller{
		Account: &enlist.Account{Name: "Account", TimeZone: "UTC", ContactLimit: enlist.NoContactLimit,
			CreationTime: o.now.Unix()},
		Key: &enlist.Key{Name: "test key", Level: enlist.Full, CreationTime: o.now.Unix()},
	}
	o.update(func(tx *db.Tx) error {
		if err := accounts.Insert(tx, c.Account); err != nil {
			return err
		}
		c.Key.AccountID = c.Account.ID
		return accounts.AddKey(tx, c.Key, enlist.HashKey(enlist.NewKeyText()))
	})
	return c
}

// restricted returns a copy of the caller. Its key may use only the given Lists.
func (o *accountFixture) restricted(lists ...enlist.ListID) *enlist.Caller {
	key := *o.caller.Key
	key.Lists = append([]enlist.ListID{}, lists...)
	return &enlist.Caller{Account: o.caller.Account, Key: &key}
}

func (o *accountFixture) update(fn func(*db.Tx) error) {
	o.Helper()
	if err := o.store.Update(o.Context(), fn); err != nil {
		o.Fatal(err)
	}
}

// refused checks that err has the given Kind and that its text contains the parameter about.
// The text must not contain square brackets.
func (o *accountFixture) refused(err error, kind enlist.Kind, about string) {
	o.Helper()
	e, ok := errors.AsType[*enlist.Error](err)
	if !ok || e.Kind != kind || !strings.Contains(e.Field+": "+e.Detail, about) || strings.ContainsAny(e.Detail, "[]") {
		o.Errorf("error is %#v, want the Kind %d and a text that contains %q, without square brackets", err, kind, about)
	}
}

func (o *accountFixture) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatalf("%v", err)
	}
}

func (o *accountFixture) addList(pairs ...any) enlist.ListID {
	o.Helper()
	id, err := o.service.Lists.AddList(o.Context(), o.caller, details(append([]any{"name", "News"}, pairs...)...))
	o.must(err)
	return id
}

func (o *accountFixture) list(id enlist.ListID) *enlist.List {
	o.Helper()
	l, err := o.service.Lists.List(o.Context(), o.caller, id)
	o.must(err)
	return l
}

func (o *accountFixture) addField(list enlist.ListID, pairs ...any) enlist.FieldID {
	o.Helper()
	id, err := o.service.Lists.AddField(o.Context(), o.caller, list, details(pairs...))
	o.must(err)
	return id
}

func (o *accountFixture) field(list enlist.ListID, id enlist.FieldID) *enlist.Field {
	o.Helper()
	f, err := o.service.Lists.Field(o.Context(), o.caller, list, id)
	o.must(err)
	return f
}

// fields searches the Fields of a List and returns their names.
func (o *accountFixture) fields(list enlist.ListID, q enlist.Query) []string {
	o.Helper()
	found, err := o.service.Lists.SearchFields(o.Context(), o.caller, list, q)
	o.must(err)
	names := make([]string, len(found))
	for i := range found {
		names[i] = found[i].Name
	}
	return names
}

func (o *accountFixture) subscribe(list enlist.ListID, pairs ...any) enlist.ContactID {
	o.Helper()
	r := contacts.SubscribeRequest{List: list, Details: details(pairs...)}
	id, err := o.service.Contacts.Subscribe(o.Context(), o.caller, r)
	o.must(err)
	return id
}

// contact reads a stored Contact.
func (o *accountFixture) contact(list enlist.ListID, id enlist.ContactID) (c *enlist.ByID) {
	o.Helper()
	o.must(o.store.View(o.Context(), func(tx *db.Tx) (err error) {
		c, err = contacts.ByID(tx, list, id)
		return err
	}))
	return c
}

// run runs a subtest on the same store.
func (o *accountFixture) run(rule string, test func()) {
	parent := o.T
	defer func() { o.T = parent }()
	parent.Run(rule, func(t *testing.T) {
		o.T = t
		test()
	})
}

// count counts the Contacts of a List that match one criterion.
func (o *accountFixture) count(list enlist.ListID, key, operator, value string) int64 {
	o.Helper()
	n, err := o.service.Contacts.CountContacts(o.Context(), o.caller, list, triple(key, operator, value))
	o.must(err)
	return n
}

// details converts alternating keys and values to details.
func details(pairs ...any) []enlist.Detail {
	var all []enlist.Detail
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, enlist.Detail{Key: pairs[i].(string), Value: input(pairs[i+1])})
	}
	return all
}

// input converts a Go value to the input that a client would send as JSON.
func input(value any) enlist.Input {
	switch v := value.(type) {
	case string:
		return enlist.Input{Kind: enlist.InputText, Text: v}
	case int:
		return enlist.Input{Kind: enlist.InputNumber, Text: strconv.Itoa(v)}
	case enlist.ListID:
		return input(int(v))
	case float64:
		return enlist.Input{Kind: enlist.InputNumber, Text: strconv.FormatFloat(v, 'g', -1, 64)}
	case bool:
		if v {
			return enlist.Input{Kind: enlist.InputTrue}
		}
		return enlist.Input{Kind: enlist.InputFalse}
	case []any:
		in := enlist.Input{Kind: enlist.InputArray}
		for _, item := range v {
			in.Items = append(in.Items, input(item))
		}
		return in
	case map[string]any:
		return enlist.Input{Kind: enlist.InputObject}
	}
	return enlist.Input{Kind: enlist.InputNull}
}

// triple returns the criteria that test one key.
func triple(key, operator string, value any) *enlist.Criteria {
	return &enlist.Criteria{Key: key, Operator: operator, Value: input(value)}
}

// rows is an enlist.RowWriter that keeps the rows.
type rows[T any] struct {
	all       []T
	streaming bool
}

func (w *rows[T]) Begin(streaming bool) error {
	w.all, w.streaming = nil, streaming
	return nil
}

func (w *rows[T]) Row(r *T) error {
	w.all = append(w.all, *r)
	return nil
}
