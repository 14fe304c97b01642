package lists_test

import (
	"context"
	"regexp"
	"strings"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests preconditions: checks of all Contacts of a List before one of its definitions
// changes.

// watchedStore is a store that calls two functions. It calls the function after at the end of
// each ViewPrimary. It calls the function searched before each search inside an Update.
type watchedStore struct {
	db.Engine
	after    func() // nil: not called
	searched func(query string)
}

func (w *watchedStore) ViewPrimary(ctx context.Context, fn func(*db.Tx) error) error {
	err := w.Engine.ViewPrimary(ctx, fn)
	if w.after != nil {
		w.after()
	}
	return err
}

func (w *watchedStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	return w.Engine.Update(ctx, apptest.Watch{Statement: func(query string, _ []any) error {
		if isSearch(query) {
			w.searched(query)
		}
		return nil
	}}.Run(fn))
}

// isSearch reports whether a statement looks for Contacts of a List by other columns than an ID or an address. The
// planner's samples have a LIMIT.
func isSearch(query string) bool {
	return strings.Contains(query, "FROM contact") && !strings.Contains(query, "LIMIT") && !byKeyOrID.MatchString(query)
}

var byKeyOrID = regexp.MustCompile(`\bid (=|IN)|dedupe_key (=|IN)|duplicate_key IS NOT NULL`)

// preconditions tests that the Service checks all Contacts of a List before it changes a
// definition. This check runs before the Update, because the Update blocks other writers. The
// Update then checks only the Contacts that changed after the first check began. So it finds a
// Contact that was stored during the first check.
func preconditions(o *apptest.Account) {
	for _, c := range []struct {
		name   string
		list   []any // details of the List
		late   []any // details of a Contact that is stored during the check and violates the precondition
		about  string
		change func(list enlist.ListID, age enlist.FieldID) error
	}{
		{"a type that refuses a stored value", nil, []any{"Email", "late@x.io", "Age", "old"},
			"type: Contacts that hold a value that the new type refuses: 1",
			func(list enlist.ListID, age enlist.FieldID) error {
				_, err := o.App.Lists.EditField(o.Context(), o.Caller, list, age, apptest.Details("type", "decimal"))
				return err
			}},
		{"an address type of a Field with values", nil, []any{"Email", "late@x.io", "Mobile Phone", "0412 345 678"},
			"hold a value in the Field: 1",
			func(list enlist.ListID, _ enlist.FieldID) error {
				_, err := o.App.Lists.EditField(o.Context(), o.Caller, list, mobile(o, list), apptest.Details("address_type", "none"))
				return err
			}},
		{"the only address of a Contact", nil, []any{"Mobile Phone", "0412 345 678"},
			"have no other address: 1",
			func(list enlist.ListID, _ enlist.FieldID) error {
				return o.App.Lists.DeleteField(o.Context(), o.Caller, list, mobile(o, list))
			}},
		{"the country of national numbers", nil, []any{"Email", "late@x.io", "Mobile Phone", "0412 345 678"},
			"have a national number, which would become another number: 1",
			func(list enlist.ListID, age enlist.FieldID) error {
				_, err := o.App.Lists.EditList(o.Context(), o.Caller, list, apptest.Details("country_code", 49))
				return err
			}},
		{"duplicates", []any{"disallow_duplicate_contacts", false}, []any{"Email", "early@x.io"},
			"more than one Contact has: 1;",
			func(list enlist.ListID, age enlist.FieldID) error {
				_, err := o.App.Lists.EditList(o.Context(), o.Caller, list, apptest.Details("disallow_duplicate_contacts", true))
				return err
			}},
	} {
		o.Case(c.name, func() {
			list := o.AddList(c.list...)
			age := o.AddField(list, "name", "Age", "type", "text")
			o.Subscribe(list, "Email", "early@x.io", "Age", "12")
			change := func() error { return c.change(list, age) }
			wantPrecondition(o, list, c.late, c.about, change)
			if err := change(); err != nil {
				o.Errorf("the change of an empty List: error %v, want none", err)
			}
		})
	}
}

// mobile returns the ID of a List's Field Mobile Phone.
func mobile(o *apptest.Account, list enlist.ListID) (id enlist.FieldID) {
	o.Helper()
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		if err == nil {
			id = schema.Mobile().ID
		}
		return err
	}))
	return id
}

// wantPrecondition checks that a change is refused because of a Contact that is stored during the
// check. Then it removes all Contacts of the List.
func wantPrecondition(o *apptest.Account, list enlist.ListID, late []any, about string, change func() error) {
	checks, service := 0, o.App
	w := &watchedStore{Engine: o.Store,
		after: func() {
			checks++
			if checks == 1 {
				r := contacts.SubscribeRequest{List: list, Details: apptest.Details(late...)}
				_, err := service.Contacts.Subscribe(o.Context(), o.Caller, r)
				o.Must(err)
			}
		},
		searched: func(query string) {
			if !strings.Contains(query, "last_modified_time >") {
				o.Errorf("an Update searched all Contacts: %s; want a search by last_modified_time", query)
			}
		},
	}
	o.App = app.New(w, o.Clock)
	o.Refused(change(), enlist.InvalidParameters, about)
	if checks == 0 {
		o.Error("the Service did not check the Contacts before the Update")
	}
	o.App = service
	o.Must(o.App.Contacts.ClearList(o.Context(), o.Caller, list))
}
