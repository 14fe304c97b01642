package contacts_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/lists"
)

// This file tests that changes of many stored Contacts work on sets of Contacts, and that these sets are small
// if the Contacts are large.

// bulkLongValues edits the Contacts of a List whose values are long, changes the type of a Field and deletes it.
// In each of these, an Update must change few Contacts.
func bulkLongValues(o *apptest.Account) {
	list := o.AddList()
	text := o.AddField(list, "name", "Text", "type", "comment")
	number := o.AddField(list, "name", "Number", "type", "text")
	mobile := o.EmailField(list) + 1
	rows, random := contactRows(30, "a"), rand.NewChaCha8([32]byte{})
	for i := range rows {
		long := make([]byte, 210_000)
		random.Read(long) // no engine can compress it much
		rows[i] = append(rows[i], apptest.Details("Text", base64.StdEncoding.EncodeToString(long), "Number", fmt.Sprint(i))...)
	}
	ids := add(o, list, rows)
	counting := &apptest.CountingStore{Engine: o.Store}
	o.App = app.New(counting, o.Clock)
	few := func(what string) {
		o.Helper()
		if counting.Writes != 30 || counting.MostWrites > 20 {
			o.Errorf("%s: %d Contacts in total, at most %d in one Update; want 30 and at most 20", what, counting.Writes,
				counting.MostWrites)
		}
		counting.Writes, counting.MostWrites = 0, 0
	}
	edits := make([]contacts.EditRow, len(ids))
	for i, id := range ids {
		edits[i] = contacts.EditRow{ID: id, Details: apptest.Details("Mobile Phone", "0400000000")}
	}
	_, err := o.App.Contacts.EditContacts(o.Context(), o.Caller, contacts.EditRequest{List: list, Contacts: edits})
	o.Must(err)
	few("editContacts")
	_, err = o.App.Lists.EditField(o.Context(), o.Caller, list, number, apptest.Details("type", "decimal"))
	o.Must(err)
	few("a new type")
	for _, e := range []lists.DeleteFieldValues{
		{List: list, Field: mobile, Mobile: true}, {List: list, Field: number}, {List: list, Field: text},
	} {
		o.Must(o.App.Lists.DeleteField(o.Context(), o.Caller, list, e.Field))
		for done := false; !done; {
			e, done, err = o.App.Contacts.DeleteFieldValues(o.Context(), e)
			o.Must(err)
		}
		few(fmt.Sprintf("deletion of Field %d", e.Field))
	}
	if c := o.Contact(list, ids[29]); len(c.Values) != 1 || c.Mobile != "" {
		o.Errorf("the Contact has %d values and the mobile number %q, want only its email", len(c.Values), c.Mobile)
	}
}

// bulkDependentRows edits Contacts in ways in which the result of a row depends on an earlier row.
func bulkDependentRows(o *apptest.Account) {
	list := o.AddList("disallow_duplicate_contacts", false)
	ids := add(o, list, contactRows(4, "p")) // p0 to p3
	edit := func(pairs ...any) string {
		o.Helper()
		var r contacts.EditRequest
		r.List = list
		for i := 0; i < len(pairs); i += 2 {
			r.Contacts = append(r.Contacts, contacts.EditRow{ID: ids[pairs[i].(int)],
				Details: apptest.Details("Email", fmt.Sprintf("%s@example.com", pairs[i+1]))})
		}
		outcomes, err := o.App.Contacts.EditContacts(o.Context(), o.Caller, r)
		o.Must(err)
		var got []string
		for _, id := range ids {
			c := o.Contact(list, id)
			first := map[bool]string{true: "!"}[c.IsFirst]
			got = append(got, strings.TrimSuffix(c.Key, "@example.com")+first)
		}
		for _, outcome := range outcomes {
			if !outcome.Done {
				got = append(got, fmt.Sprint("refused ", outcome.Contact-ids[0]))
			}
		}
		return strings.Join(got, " ")
	}
	for _, c := range []struct {
		name  string
		pairs []any
		want  string
	}{
		{"two Contacts swap their addresses", []any{0, "p1", 1, "p0"}, "p1! p0! p2! p3!"},
		{"a Contact gets an address that an earlier row left", []any{0, "x", 2, "p1"}, "x! p0! p1! p3!"},
		{"two Contacts get one address", []any{3, "y", 2, "y"}, "x! p0! y y!"},
		{"the first Contact of an address leaves it, and one comes", []any{3, "z", 0, "y"}, "y p0! y! z!"},
		{"a Contact changes twice", []any{0, "q", 1, "r", 0, "s"}, "s! r! y! z!"},
		{"and back", []any{0, "y", 0, "s", 0, "s"}, "s! r! y! z!"},
	} {
		if got := edit(c.pairs...); got != c.want {
			o.Errorf("%s: the addresses are %s, want %s", c.name, got, c.want)
		}
	}
	_, err := o.App.Lists.EditList(o.Context(), o.Caller, list, apptest.Details("disallow_duplicate_contacts", true))
	o.Must(err)
	for _, c := range []struct {
		name  string
		pairs []any
		want  string
	}{
		{"a swap is refused", []any{0, "r", 1, "s", 2, "t"}, "s! r! t! z! refused 0 refused 1"},
		{"a chain of free addresses is not", []any{0, "u", 1, "s", 2, "r"}, "u! s! r! z!"},
		{"a chain in the other order is", []any{2, "s", 1, "u", 0, "v"}, "v! s! r! z! refused 2 refused 1"},
	} {
		if got := edit(c.pairs...); got != c.want {
			o.Errorf("%s: the addresses are %s, want %s", c.name, got, c.want)
		}
	}
}

// bulkRowsTogether counts how often calls read and store Contacts.
func bulkRowsTogether(o *apptest.Account) {
	list := o.AddList()
	ids := add(o, list, contactRows(400, "a"))
	counting := &setStore{CountingStore: apptest.CountingStore{Engine: o.Store}}
	o.App = app.New(counting, o.Clock)
	rows := make([]contacts.EditRow, len(ids))
	for i, id := range ids {
		rows[i] = contacts.EditRow{ID: id, Details: apptest.Details("Email", fmt.Sprintf("b%d@example.com", i))}
	}
	_, err := o.App.Contacts.EditContacts(o.Context(), o.Caller, contacts.EditRequest{List: list, Contacts: rows})
	o.Must(err)
	if counting.sets != counting.want || counting.Updates != 1 {
		o.Errorf("editContacts stored 400 Contacts in %d sets and %d Updates, want %d and 1", counting.sets, counting.Updates, counting.want)
	}
	add := contacts.AddRequest{List: list, Contacts: contactRows(400, "B"), Overwrite: true}
	counting.sets = 0
	if _, err := o.App.Contacts.AddContacts(o.Context(), o.Caller, add); err != nil || counting.sets != counting.want {
		o.Errorf("addContacts overwrote 400 Contacts in %d sets, error %v; want %d", counting.sets, err, counting.want)
	}
}

// setStore also counts the statements that change several stored Contacts. SQLite has no such statement.
type setStore struct {
	apptest.CountingStore
	sets, want int
}

func (s *setStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	watch := apptest.Watch{Statement: func(query string, _ []any) error {
		if strings.Contains(query, "ON CONFLICT (list_id, id) DO UPDATE") {
			s.sets++
		}
		return nil
	}}
	return s.CountingStore.Update(ctx, func(tx *db.Tx) error {
		tx.Watched(func(c db.Conn) db.Conn {
			s.want = map[bool]int{true: 1}[c.Dialect().ConcurrentWriters]
			return c
		}, nil)
		return watch.Run(fn)(tx)
	})
}
