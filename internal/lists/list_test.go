package lists_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"

	"github.com/google/go-cmp/cmp"
)

// This file tests the calls about Lists and preferences. field_test.go tests the calls about
// Fields.

// covers: spec auth.restricted, addList.fields, name.rule, list.on_register_address, list.id, clearList.kept
// covers: decision 24
func TestLists(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a new List has defaults for attributes that the call does not send", Test: addList},
		{Name: "AddList refuses bad attributes", Test: addListRefuses},
		{Name: "EditList changes the attributes that the call sends", Test: editList},
		{Name: "duplicates can be disallowed only while the List has no duplicates", Test: duplicates},
		{Name: "SearchLists finds the Lists that the key may read", Test: searchLists},
		{Name: "ClearList removes the Contacts and keeps the ledger", Test: clearList},
		{Name: "DeleteList removes a List, and its ID is never used again", Test: deleteList},
		{Name: "a caller cannot use a List that its key may not read", Test: otherLists},
		{Name: "a change of definitions takes several Updates if the List has many Contacts", Test: manyContactsOfDefinitions},
		{Name: "the names of a List's preferences are unique", Test: preferences},
	})
}

func TestPreconditions(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "preconditions are checked before the Update", Test: preconditions},
	})
}

func addList(o *apptest.Account) {
	id := o.AddList("unknown", "ignored", "id", 99, "contact_count", 99)
	list := *o.List(id)
	want := enlist.List{
		ID: id, AccountID: o.Caller.Account.ID, CreatorKeyID: o.Caller.Key.ID, CreatorName: "test key", Name: "News",
		CreationTime: o.Now.Unix(), LastModifiedTime: o.Now.Unix(), DisallowDuplicates: true,
		FolderID: list.FolderID, FolderName: list.FolderName,
		CountryCode: 61, SMSResponseAction: "do_nothing", AddressTypes: "email,mobile",
	}
	if diff := cmp.Diff(want, list); diff != "" || list.FolderID == 0 || list.FolderName == "" {
		o.Errorf("a List with default attributes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Email", "Mobile Phone"}, o.Fields(id, enlist.Query{})); diff != "" {
		o.Errorf("the Fields of a new List (-want +got):\n%s", diff)
	}

	id = o.AddList("name", []any{"  Club  "},
		"on_register_address", " A@x.io, b@x.io,,a@X.io ", "on_update_address", []any{"c@x.io", "d@x.io"},
		"disallow_duplicate_contacts", "0", "is_gdpr_compliant", 1, "country_code", "44", "address_types", "mobile, email",
		"from_name", "The Club", "from_address", "club@x.io", "track_opens", true, "folder_id", 0, "sms_stop_words", nil)
	want.ID, want.Name, want.OnRegister, want.OnUpdate = id, "Club", "A@x.io,b@x.io", "c@x.io,d@x.io"
	want.DisallowDuplicates, want.GDPR, want.CountryCode, want.TrackOpens = false, true, 44, true
	want.FromName, want.FromAddress = "The Club", "club@x.io"
	if diff := cmp.Diff(want, *o.List(id)); diff != "" {
		o.Errorf("a List with attributes (-want +got):\n%s", diff)
	}
}

func addListRefuses(o *apptest.Account) {
	for _, c := range []struct {
		about string
		pairs []any
	}{
		{"name", []any{"name", ""}},
		{"name", []any{"name", " "}},
		{"name", []any{"name", strings.Repeat("ä", 256)}},
		{"name", []any{"name", "a\nb"}},
		{"name", []any{"name", map[string]any{}}},
		{"\"no address\"", []any{"on_register_address", "a@x.io,no address"}},
		{"(x)", []any{"on_unsubscribe_address", "a@[x]"}},
		{"on_update_address", []any{"on_update_address", "a"}},
		{"folder_id", []any{"folder_id", 999}},
		{"folder_id", []any{"folder_id", "x"}},
		{"country_code", []any{"country_code", 999}},
		{"country_code", []any{"country_code", 61.5}},
		{"is_gdpr_compliant", []any{"is_gdpr_compliant", "maybe"}},
		{"is_gdpr_compliant", []any{"is_gdpr_compliant", 2}},
		{"address_types", []any{"address_types", "fax"}},
		{"from_address", []any{"from_address", "me"}},
		{"at most 100 addresses", []any{"on_register_address", apptest.Addresses(101)}},
		{"at most 65536 bytes", []any{"on_update_address", strings.Repeat(",", 65_537)}},
		{"from_name", []any{"from_name", "a\r\nBcc: b"}},
	} {
		_, err := o.App.Lists.AddList(o.Context(), o.Caller, apptest.Details(append([]any{"name", "News"}, c.pairs...)...))
		o.Refused(err, enlist.InvalidParameters, c.about)
	}
	_, err := o.App.Lists.AddList(o.Context(), o.Caller, nil)
	o.Refused(err, enlist.InvalidParameters, "name")
	_, err = o.App.Lists.AddList(o.Context(), o.Restricted(1), apptest.Details("name", "News"))
	o.Refused(err, enlist.Denied, "")
	if lists, err := o.App.Lists.SearchLists(o.Context(), o.Caller, enlist.Query{}); err != nil || len(lists) != 0 {
		o.Errorf("after refused calls: %d Lists, error %v; want 0 Lists", len(lists), err)
	}
}

func editList(o *apptest.Account) {
	id := o.AddList("on_register_address", "a@x.io", "is_gdpr_compliant", true)
	before := *o.List(id)
	o.Now = o.Now.Add(1e9)
	_, err := o.App.Lists.EditList(o.Context(), o.Caller, id, apptest.Details("id", int(id), "name", "Club",
		"on_register_address", "", "is_gdpr_compliant", nil, "creation_time", 5))
	o.Must(err)
	want := before
	want.Name, want.OnRegister, want.LastModifiedTime = "Club", "", o.Now.Unix()
	if diff := cmp.Diff(want, *o.List(id)); diff != "" {
		o.Errorf("the edited List (-want +got):\n%s", diff)
	}
	for _, pair := range [][]any{{"name", ""}, {"folder_id", 999}, {"track_opens", "x"}} {
		_, err := o.App.Lists.EditList(o.Context(), o.Caller, id, apptest.Details(pair...))
		o.Refused(err, enlist.InvalidParameters, pair[0].(string))
	}
	if diff := cmp.Diff(want, *o.List(id)); diff != "" {
		o.Errorf("the List after refused calls (-want +got):\n%s", diff)
	}
	_, err = o.App.Lists.EditList(o.Context(), o.Caller, 999, apptest.Details("name", "x"))
	o.Refused(err, enlist.NoList, "")
}

// duplicates tests when a List may disallow duplicates. decisions.md: 24
func duplicates(o *apptest.Account) {
	id := o.AddList("disallow_duplicate_contacts", false)
	for range 3 {
		o.Subscribe(id, "Email", "a@x.io")
	}
	o.Subscribe(id, "Email", "b@x.io")
	_, err := o.App.Lists.EditList(o.Context(), o.Caller, id, apptest.Details("disallow_duplicate_contacts", true))
	o.Refused(err, enlist.InvalidParameters, "more than one Contact has: 1;")
	id = o.AddList("disallow_duplicate_contacts", false)
	o.Subscribe(id, "Email", "a@x.io")
	_, err = o.App.Lists.EditList(o.Context(), o.Caller, id, apptest.Details("disallow_duplicate_contacts", true))
	o.Must(err)
}

func searchLists(o *apptest.Account) {
	a, b, c := o.AddList(), o.AddList("name", "Club"), o.AddList("name", "Shop", "is_gdpr_compliant", true)
	o.Subscribe(b, "Email", "a@x.io")
	ids := func(caller *enlist.Caller, q enlist.Query) (ids []enlist.ListID) {
		lists, err := o.App.Lists.SearchLists(o.Context(), caller, q)
		o.Must(err)
		for i := range lists {
			ids = append(ids, lists[i].ID)
		}
		return ids
	}
	where := func(key, operator, value string) enlist.Query {
		return enlist.Query{Criteria: apptest.Criterion(key, operator, value)}
	}
	for _, test := range []struct {
		caller *enlist.Caller
		query  enlist.Query
		want   []enlist.ListID
	}{
		{o.Caller, enlist.Query{}, []enlist.ListID{a, b, c}},
		{o.Caller, enlist.Query{SortBy: "name", Limit: 2}, []enlist.ListID{b, a}},
		{o.Caller, where("name", "exactly", "club"), []enlist.ListID{b}},
		{o.Caller, where("is_gdpr_compliant", "exactly", "1"), []enlist.ListID{c}},
		{o.Caller, where("contact_count", "greater_than", "0"), []enlist.ListID{b}},
		{o.Restricted(c, 999), enlist.Query{}, []enlist.ListID{c}},
		{o.Restricted(), enlist.Query{}, nil},
		{o.NewCaller(), enlist.Query{}, nil},
	} {
		if diff := cmp.Diff(test.want, ids(test.caller, test.query)); diff != "" {
			o.Errorf("%v (-want +got):\n%s", test.query, diff)
		}
	}
	_, err := o.App.Lists.SearchLists(o.Context(), o.Caller, where("on_register_address", "exactly", "x"))
	o.Refused(err, enlist.InvalidSearch, "")
}

func clearList(o *apptest.Account) {
	id, other := o.AddList(), o.AddList()
	first := o.Subscribe(id, "Email", "0@x.io")
	o.Subscribe(id, "Email", "1@x.io")
	o.Subscribe(other, "Email", "a@x.io")
	o.Must(o.App.Contacts.ClearList(o.Context(), o.Caller, id))
	if n, m := o.List(id).ContactCount, o.List(other).ContactCount; n != 0 || m != 1 {
		o.Errorf("%d Contacts are in the cleared List and %d in the other List, want 0 and 1", n, m)
	}
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		rows, err := contacts.LedgerRows(tx, id, first, 0, 0)
		if len(rows) != 1 {
			o.Errorf("a removed Contact has %d ledger rows, want 1", len(rows))
		}
		return err
	}))
	// If a Contact is added after the call, it is not removed, even if the job of the call runs
	// again.
	late := o.Subscribe(id, "Email", "0@x.io")
	done, err := o.App.Contacts.RemoveContacts(o.Context(), contacts.RemoveContacts{List: id, Upto: late - 1})
	if err != nil || !done || o.Contact(id, late).ID != late {
		o.Errorf("the job runs again: done %v, error %v; want the new Contact to be kept", done, err)
	}
	o.Must(o.App.Contacts.ClearList(o.Context(), o.Caller, o.AddList())) // a List without Contacts
	o.Refused(o.App.Contacts.ClearList(o.Context(), o.Caller, 999), enlist.NoList, "")
}

func deleteList(o *apptest.Account) {
	id := o.AddList()
	last := o.Subscribe(id, "Email", "a@x.io")
	o.Must(o.App.Contacts.DeleteList(o.Context(), o.Caller, id))
	_, err := o.App.Lists.List(o.Context(), o.Caller, id)
	o.Refused(err, enlist.NoList, "")
	o.Refused(o.App.Contacts.DeleteList(o.Context(), o.Caller, id), enlist.NoList, "")
	for range 2 { // a job can run twice
		done, err := o.App.Contacts.RemoveContacts(o.Context(), contacts.RemoveContacts{List: id, Upto: last, Delete: true})
		if err != nil || !done {
			o.Errorf("RemoveContacts: done %v, error %v; want done and no error", done, err)
		}
	}
	if again := o.AddList(); again <= id {
		o.Errorf("the new List has the ID %d, want more than the ID of the deleted List, %d", again, id)
	}
}

// manyContactsOfDefinitions changes definitions of a List with more Contacts than one Update takes.
func manyContactsOfDefinitions(o *apptest.Account) {
	const many = 1001
	list := o.AddList()
	email, mobile, age := o.EmailField(list), o.EmailField(list)+1, o.AddField(list, "name", "Age", "type", "text")
	o.Update(func(tx *db.Tx) error {
		for i := range many {
			n := strconv.Itoa(i)
			c := enlist.Contact{ListID: list, Key: n + "@x.io", Mobile: n, IsFirst: true,
				Values: enlist.Values{{Field: email, Text: n + "@x.io"}, {Field: mobile, Text: n}, {Field: age, Text: "0" + n}}}
			if inserted, err := contacts.Insert(tx, &c); err != nil || !inserted {
				return fmt.Errorf("contact %d: inserted %v, %w", i, inserted, err)
			}
		}
		return nil
	})
	_, err := o.App.Lists.EditField(o.Context(), o.Caller, list, age, apptest.Details("type", "decimal"))
	o.Must(err)
	if n := o.Count(list, "Age", "starts_with", "0"); n != 1 { // only the number 0 starts with 0
		o.Errorf("the values of %d Contacts were not converted", n-1)
	}
	for _, e := range []lists.DeleteFieldValues{{List: list, Field: mobile, Mobile: true}, {List: list, Field: age}} {
		o.Must(o.App.Lists.DeleteField(o.Context(), o.Caller, list, e.Field))
		batches := 0
		for done := false; !done; batches++ {
			e, done, err = o.App.Contacts.DeleteFieldValues(o.Context(), e)
			o.Must(err)
		}
		if batches < 2 {
			o.Errorf("the values were deleted in %d batches, want at least 2", batches)
		}
	}
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		all := enlist.Search{Schema: schema, Columns: enlist.Columns{All: true}}
		return search.Contacts(tx, &all, func(c *enlist.Contact) error {
			if len(c.Values) != 1 {
				return fmt.Errorf("contact %d still has the values %v, want only the email", c.ID, c.Values)
			}
			return nil
		})
	}))
	o.Must(o.App.Contacts.ClearList(o.Context(), o.Caller, list))
	if n := o.List(list).ContactCount; n != 0 {
		o.Errorf("%d Contacts are left, want 0", n)
	}
}

// otherLists makes each call about a List twice: with a key of another Account, and with a key for
// other Lists. reference.md: auth.restricted
func otherLists(o *apptest.Account) {
	id := o.AddList()
	otherAccount, otherKey := o.NewCaller(), o.Restricted(999)
	for i, call := range []func(c *enlist.Caller) error{
		func(c *enlist.Caller) error { _, err := o.App.Lists.List(o.Context(), c, id); return err },
		func(c *enlist.Caller) error { _, err := o.App.Lists.EditList(o.Context(), c, id, nil); return err },
		func(c *enlist.Caller) error { return o.App.Contacts.ClearList(o.Context(), c, id) },
		func(c *enlist.Caller) error { return o.App.Contacts.DeleteList(o.Context(), c, id) },
		func(c *enlist.Caller) error {
			_, err := o.App.Lists.AddField(o.Context(), c, id, apptest.Details("name", "x", "type", "text"))
			return err
		},
		func(c *enlist.Caller) error {
			_, err := o.App.Lists.EditField(o.Context(), c, id, 1, nil)
			return err
		},
		func(c *enlist.Caller) error { return o.App.Lists.DeleteField(o.Context(), c, id, 1) },
		func(c *enlist.Caller) error { _, err := o.App.Lists.Field(o.Context(), c, id, 1); return err },
		func(c *enlist.Caller) error {
			_, err := o.App.Lists.SearchFields(o.Context(), c, id, enlist.Query{})
			return err
		},
		func(c *enlist.Caller) error {
			_, err := o.App.Lists.AddPreference(o.Context(), c, id, "x")
			return err
		},
		func(c *enlist.Caller) error { return o.App.Lists.DeletePreference(o.Context(), c, id, 1) },
		func(c *enlist.Caller) error {
			_, err := o.App.Lists.SearchPreferences(o.Context(), c, id, enlist.Query{})
			return err
		},
	} {
		if kind := enlist.KindOf(call(otherAccount)); kind != enlist.NoList {
			o.Errorf("call %d with a key of another Account: Kind %d, want NoList", i, kind)
		}
		if kind := enlist.KindOf(call(otherKey)); kind != enlist.Denied {
			o.Errorf("call %d with a key for other Lists: Kind %d, want Denied", i, kind)
		}
	}
}

func preferences(o *apptest.Account) {
	list := o.AddList()
	weekly, err := o.App.Lists.AddPreference(o.Context(), o.Caller, list, "  Weekly ")
	o.Must(err)
	_, err = o.App.Lists.AddPreference(o.Context(), o.Caller, list, "weekly")
	o.Must(err)
	for _, name := range []string{"", " ", "Weekly", "a\tb", strings.Repeat("x", 256)} {
		_, err := o.App.Lists.AddPreference(o.Context(), o.Caller, list, name)
		o.Refused(err, enlist.InvalidParameters, "name")
	}
	names := func(q enlist.Query) (names []string) {
		found, err := o.App.Lists.SearchPreferences(o.Context(), o.Caller, list, q)
		o.Must(err)
		for _, p := range found {
			names = append(names, p.Name)
		}
		return names
	}
	if diff := cmp.Diff([]string{"Weekly", "weekly"}, names(enlist.Query{})); diff != "" {
		o.Errorf("(-want +got):\n%s", diff)
	}
	o.Must(o.App.Lists.DeletePreference(o.Context(), o.Caller, list, weekly))
	o.Refused(o.App.Lists.DeletePreference(o.Context(), o.Caller, list, weekly), enlist.InvalidParameters, "")
	if diff := cmp.Diff([]string{"weekly"}, names(enlist.Query{SortBy: "name"})); diff != "" {
		o.Errorf("(-want +got):\n%s", diff)
	}
}
