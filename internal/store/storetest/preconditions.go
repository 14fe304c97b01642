package storetest

import (
	"context"

	"enlist/internal/audience"
)

// watchedStore is a store that calls after at the end of each ViewPrimary, and searched
// for each search inside an Update.
type watchedStore struct {
	audience.Store
	after    func() // nil: none
	searched func(*audience.Search)
}

func (w *watchedStore) ViewPrimary(ctx context.Context, fn func(audience.Tx) error) error {
	err := w.Store.ViewPrimary(ctx, fn)
	if w.after != nil {
		w.after()
	}
	return err
}

func (w *watchedStore) Update(ctx context.Context, fn func(audience.Tx) error, hint ...audience.InsertsContact) error {
	return w.Store.Update(ctx, func(tx audience.Tx) error { return fn(&watchedTx{tx, w.searched}) }, hint...)
}

type watchedTx struct {
	audience.Tx
	searched func(*audience.Search)
}

func (t *watchedTx) SearchContacts(s *audience.Search, each func(*audience.Contact) error) error {
	t.searched(s)
	return t.Tx.SearchContacts(s, each)
}

func (t *watchedTx) CountContacts(s *audience.Search) (int64, error) {
	t.searched(s)
	return t.Tx.CountContacts(s)
}

// preconditions tests that the Service checks all Contacts of a List before it changes a
// definition, and that it does so outside the Update, which blocks other writers. The Update
// checks only the Contacts that changed since, so it finds a Contact stored during the check.
func preconditions(o *accountFixture) {
	for _, c := range []struct {
		name   string
		list   []any // details of the List
		late   []any // details of a Contact that violates the precondition, stored during the check
		about  string
		change func(list audience.ListID, age audience.FieldID) error
	}{
		{"type", nil, []any{"Email", "late@x.io", "Age", "old"}, "type: Contacts that hold a value that the new type refuses: 1",
			func(list audience.ListID, age audience.FieldID) error {
				_, err := o.service.EditField(o.Context(), o.caller, list, age, details("type", "decimal"))
				return err
			}},
		{"address type", nil, []any{"Email", "late@x.io", "Mobile Phone", "0412 345 678"}, "hold a value in the Field: 1",
			func(list audience.ListID, age audience.FieldID) error {
				_, err := o.service.EditField(o.Context(), o.caller, list, age-1, details("address_type", "none"))
				return err
			}},
		{"only address", nil, []any{"Mobile Phone", "0412 345 678"}, "have no other address: 1",
			func(list audience.ListID, age audience.FieldID) error {
				return o.service.DeleteField(o.Context(), o.caller, list, age-1)
			}},
		{"national mobile numbers", nil, []any{"Email", "late@x.io", "Mobile Phone", "0412 345 678"}, "hold a national number that would mean another: 1",
			func(list audience.ListID, age audience.FieldID) error {
				_, err := o.service.EditList(o.Context(), o.caller, list, details("country_code", 49))
				return err
			}},
		{"duplicates", []any{"disallow_duplicate_contacts", false}, []any{"Email", "early@x.io"}, "more than one Contact has: 1;",
			func(list audience.ListID, age audience.FieldID) error {
				_, err := o.service.EditList(o.Context(), o.caller, list, details("disallow_duplicate_contacts", true))
				return err
			}},
	} {
		list := o.addList(c.list...)
		age := o.addField(list, "name", "Age", "type", "text")
		o.subscribe(list, "Email", "early@x.io", "Age", "12")
		store, checks := o.store, 0
		w := &watchedStore{Store: store,
			after: func() {
				if checks++; checks == 1 {
					_, err := audience.NewService(store, o.clock).Subscribe(o.Context(), o.caller,
						audience.SubscribeRequest{List: list, Details: details(c.late...)})
					o.must(err)
				}
			},
			searched: func(s *audience.Search) {
				if s.Where == nil || len(s.Where.All) == 0 || s.Where.All[0].Key == nil || s.Where.All[0].Key.Name != "last_modified_time" {
					o.Errorf("%s: an Update searches all Contacts: %+v", c.name, s.Where)
				}
			},
		}
		o.service = audience.NewService(w, o.clock)
		o.refused(c.change(list, age), audience.InvalidParameters, c.about)
		if checks == 0 {
			o.Errorf("%s: the Service did not check outside the Update", c.name)
		}
		o.must(o.service.ClearList(o.Context(), o.caller, list))
		w.searched = func(*audience.Search) {}
		if err := c.change(list, age); err != nil {
			o.Errorf("%s: the change of an empty List: %v", c.name, err)
		}
		o.service = audience.NewService(store, o.clock)
	}
}
