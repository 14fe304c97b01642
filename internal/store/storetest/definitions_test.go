package storetest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"

	"github.com/google/go-cmp/cmp"
)

// This file tests the calls about Lists and preferences. fields.go tests the calls about
// Fields.

// runDefinitions tests the calls about Lists, Fields, preferences, Folders and Messages.
// reference.md: auth.restricted, Lists, Fields; decisions.md: 24
func runDefinitions(t *testing.T, e Engine) {
	// These change or list what all Accounts have, or see statements that depend on the cache of the store.
	runRules(t, e.Open, []accountRule{
		{"preconditions are checked before the Update", preconditions},
		{"a Folder for files is deleted without reading the Account's Lists", deleteFileFolder},
		{"a type change converts the stored values", conversion},
		{"Accounts of an older version get a Folder of each type", missingFolders},
		{"needless quotes are removed from the addresses of Contacts", quotedContacts},
		{"needless quotes are removed from the addresses of many duplicates", quotedDuplicates},
		{"needless quotes are removed from the Unsubscriber List", quotedUnsubscribers},
		{"the key of a sending domain signs until the operator switches to the next", sendingDomainKeys},
		{"no Account sends from the sending domain of another", domainsOfOtherAccounts},
		{"an Account with sending domains sends from these only", fromAddresses},
	})
	runRules(t, e.Shared, []accountRule{
		{"a new List has defaults for attributes that the call does not send", addList},
		{"AddList refuses bad attributes", addListRefuses},
		{"EditList changes the attributes that the call sends", editList},
		{"duplicates can be disallowed only while the List has no duplicates", duplicates},
		{"SearchLists finds the Lists that the key may read", searchLists},
		{"ClearList removes the Contacts and keeps the ledger", clearList},
		{"DeleteList removes a List, and its ID is never used again", deleteList},
		{"a caller cannot use a List that its key may not read", otherLists},
		{"a new Field has defaults for attributes that the call does not send", addField},
		{"AddField refuses bad attributes", addFieldRefuses},
		{"a Field has the attributes that apply to its type", applicableAttributes},
		{"a List has at most 1,000 Fields", fieldLimit},
		{"SearchFields finds Fields by their attributes", searchFields},
		{"EditField changes the attributes that the call sends", editField},
		{"the type of a Field cannot change while its values do not fit the new type", typeChange},
		{"a Contact can change before its values are converted", beforeConversion},
		{"an address type can change only while no Contact has a value", addressTypeChange},
		{"DeleteField deletes the values, and the ID is never used again", deleteField},
		{"deleting the mobile Field deletes the normalised numbers", deleteMobile},
		{"a new Contact gets the Fields' default values", defaults},
		{"a change of definitions takes several Updates if the List has many Contacts", manyContactsOfDefinitions},
		{"the names of a List's preferences are unique", preferences},
		{"Folders are found by their type", folders},
		{"Messages and autoresponders have limits", messageLimits},
	})
}

func addList(o *accountFixture) {
	id := o.addList("unknown", "ignored", "id", 99, "contact_count", 99)
	list := *o.list(id)
	want := enlist.List{
		ID: id, AccountID: o.caller.Account.ID, CreatorKeyID: o.caller.Key.ID, CreatorName: "test key", Name: "News",
		CreationTime: o.now.Unix(), LastModifiedTime: o.now.Unix(), DisallowDuplicates: true,
		FolderID: list.FolderID, FolderName: list.FolderName,
		CountryCode: 61, SMSResponseAction: "do_nothing", AddressTypes: "email,mobile",
	}
	if diff := cmp.Diff(want, list); diff != "" || list.FolderID == 0 || list.FolderName == "" {
		o.Errorf("a List with default attributes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Email", "Mobile Phone"}, o.fields(id, enlist.Query{})); diff != "" {
		o.Errorf("the Fields of a new List (-want +got):\n%s", diff)
	}

	id = o.addList("name", []any{"  Club  "},
		"on_register_address", " A@x.io, b@x.io,,a@X.io ", "on_update_address", []any{"c@x.io", "d@x.io"},
		"disallow_duplicate_contacts", "0", "is_gdpr_compliant", 1, "country_code", "44", "address_types", "mobile, email",
		"from_name", "The Club", "from_address", "club@x.io", "track_opens", true, "folder_id", 0, "sms_stop_words", nil)
	want.ID, want.Name, want.OnRegister, want.OnUpdate = id, "Club", "A@x.io,b@x.io", "c@x.io,d@x.io"
	want.DisallowDuplicates, want.GDPR, want.CountryCode, want.TrackOpens = false, true, 44, true
	want.FromName, want.FromAddress = "The Club", "club@x.io"
	if diff := cmp.Diff(want, *o.list(id)); diff != "" {
		o.Errorf("a List with attributes (-want +got):\n%s", diff)
	}
}

func addListRefuses(o *accountFixture) {
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
		{"at most 100 addresses", []any{"on_register_address", addresses(101)}},
		{"at most 65536 bytes", []any{"on_update_address", strings.Repeat(",", 65_537)}},
		{"from_name", []any{"from_name", "a\r\nBcc: b"}},
	} {
		_, err := o.service.Lists.AddList(o.Context(), o.caller, details(append([]any{"name", "News"}, c.pairs...)...))
		o.refused(err, enlist.InvalidParameters, c.about)
	}
	_, err := o.service.Lists.AddList(o.Context(), o.caller, nil)
	o.refused(err, enlist.InvalidParameters, "name")
	_, err = o.service.Lists.AddList(o.Context(), o.restricted(1), details("name", "News"))
	o.refused(err, enlist.Denied, "")
	if lists, err := o.service.Lists.SearchLists(o.Context(), o.caller, enlist.Query{}); err != nil || len(lists) != 0 {
		o.Errorf("after refused calls: %d Lists, error %v; want 0 Lists", len(lists), err)
	}
}

// addresses returns n different addresses, separated by commas.
func addresses(n int) string {
	var list []string
	for i := range n {
		list = append(list, strconv.Itoa(i)+"@x.io")
	}
	return strings.Join(list, ",")
}

func editList(o *accountFixture) {
	id := o.addList("on_register_address", "a@x.io", "is_gdpr_compliant", true)
	before := *o.list(id)
	o.now = o.now.Add(1e9)
	_, err := o.service.Lists.EditList(o.Context(), o.caller, id, details("id", int(id), "name", "Club",
		"on_register_address", "", "is_gdpr_compliant", nil, "creation_time", 5))
	o.must(err)
	want := before
	want.Name, want.OnRegister, want.LastModifiedTime = "Club", "", o.now.Unix()
	if diff := cmp.Diff(want, *o.list(id)); diff != "" {
		o.Errorf("the edited List (-want +got):\n%s", diff)
	}
	for _, pair := range [][]any{{"name", ""}, {"folder_id", 999}, {"track_opens", "x"}} {
		_, err := o.service.Lists.EditList(o.Context(), o.caller, id, details(pair...))
		o.refused(err, enlist.InvalidParameters, pair[0].(string))
	}
	if diff := cmp.Diff(want, *o.list(id)); diff != "" {
		o.Errorf("the List after refused calls (-want +got):\n%s", diff)
	}
	_, err = o.service.Lists.EditList(o.Context(), o.caller, 999, details("name", "x"))
	o.refused(err, enlist.NoList, "")
}

// duplicates tests when a List may disallow duplicates. decisions.md: 24
func duplicates(o *accountFixture) {
	id := o.addList("disallow_duplicate_contacts", false)
	for range 3 {
		o.subscribe(id, "Email", "a@x.io")
	}
	o.subscribe(id, "Email", "b@x.io")
	_, err := o.service.Lists.EditList(o.Context(), o.caller, id, details("disallow_duplicate_contacts", true))
	o.refused(err, enlist.InvalidParameters, "more than one Contact has: 1;")
	id = o.addList("disallow_duplicate_contacts", false)
	o.subscribe(id, "Email", "a@x.io")
	_, err = o.service.Lists.EditList(o.Context(), o.caller, id, details("disallow_duplicate_contacts", true))
	o.must(err)
}

func searchLists(o *accountFixture) {
	a, b, c := o.addList(), o.addList("name", "Club"), o.addList("name", "Shop", "is_gdpr_compliant", true)
	o.subscribe(b, "Email", "a@x.io")
	ids := func(caller *enlist.Caller, q enlist.Query) (ids []enlist.ListID) {
		lists, err := o.service.Lists.SearchLists(o.Context(), caller, q)
		o.must(err)
		for i := range lists {
			ids = append(ids, lists[i].ID)
		}
		return ids
	}
	where := func(key, operator, value string) enlist.Query {
		return enlist.Query{Criteria: triple(key, operator, value)}
	}
	for _, test := range []struct {
		caller *enlist.Caller
		query  enlist.Query
		want   []enlist.ListID
	}{
		{o.caller, enlist.Query{}, []enlist.ListID{a, b, c}},
		{o.caller, enlist.Query{SortBy: "name", Limit: 2}, []enlist.ListID{b, a}},
		{o.caller, where("name", "exactly", "club"), []enlist.ListID{b}},
		{o.caller, where("is_gdpr_compliant", "exactly", "1"), []enlist.ListID{c}},
		{o.caller, where("contact_count", "greater_than", "0"), []enlist.ListID{b}},
		{o.restricted(c, 999), enlist.Query{}, []enlist.ListID{c}},
		{o.restricted(), enlist.Query{}, nil},
		{o.newCaller(), enlist.Query{}, nil},
	} {
		if diff := cmp.Diff(test.want, ids(test.caller, test.query)); diff != "" {
			o.Errorf("%v (-want +got):\n%s", test.query, diff)
		}
	}
	_, err := o.service.Lists.SearchLists(o.Context(), o.caller, where("on_register_address", "exactly", "x"))
	o.refused(err, enlist.InvalidSearch, "")
}

func clearList(o *accountFixture) {
	id, other := o.addList(), o.addList()
	first := o.subscribe(id, "Email", "0@x.io")
	o.subscribe(id, "Email", "1@x.io")
	o.subscribe(other, "Email", "a@x.io")
	o.must(o.service.Contacts.ClearList(o.Context(), o.caller, id))
	if n, m := o.list(id).ContactCount, o.list(other).ContactCount; n != 0 || m != 1 {
		o.Errorf("%d Contacts are in the cleared List and %d in the other List, want 0 and 1", n, m)
	}
	o.must(o.store.View(o.Context(), func(tx *db.Tx) error {
		rows, err := contacts.LedgerRows(tx, id, first, 0, 0)
		if len(rows) != 1 {
			o.Errorf("a removed Contact has %d ledger rows, want 1", len(rows))
		}
		return err
	}))
	// If a Contact is added after the call, it is not removed, even if the job of the call runs
	// again.
	late := o.subscribe(id, "Email", "0@x.io")
	done, err := o.service.Contacts.RemoveContacts(o.Context(), contacts.RemoveContacts{List: id, Upto: late - 1})
	if err != nil || !done || o.contact(id, late).ID != late {
		o.Errorf("the job runs again: done %v, error %v; want the new Contact to be kept", done, err)
	}
	o.must(o.service.Contacts.ClearList(o.Context(), o.caller, o.addList())) // a List without Contacts
	o.refused(o.service.Contacts.ClearList(o.Context(), o.caller, 999), enlist.NoList, "")
}

func deleteList(o *accountFixture) {
	id := o.addList()
	last := o.subscribe(id, "Email", "a@x.io")
	o.must(o.service.Contacts.DeleteList(o.Context(), o.caller, id))
	_, err := o.service.Lists.List(o.Context(), o.caller, id)
	o.refused(err, enlist.NoList, "")
	o.refused(o.service.Contacts.DeleteList(o.Context(), o.caller, id), enlist.NoList, "")
	for range 2 { // a job can run twice
		done, err := o.service.Contacts.RemoveContacts(o.Context(), contacts.RemoveContacts{List: id, Upto: last, Delete: true})
		if err != nil || !done {
			o.Errorf("RemoveContacts: done %v, error %v; want done and no error", done, err)
		}
	}
	if again := o.addList(); again <= id {
		o.Errorf("the new List has the ID %d, want more than the ID of the deleted List, %d", again, id)
	}
}

// manyContactsOfDefinitions changes definitions of a List with more Contacts than one Update takes.
func manyContactsOfDefinitions(o *accountFixture) {
	const many = 1001
	list := o.addList()
	email, mobile, age := o.emailField(list), o.emailField(list)+1, o.addField(list, "name", "Age", "type", "text")
	o.update(func(tx *db.Tx) error {
		for i := range many {
			n := strconv.Itoa(i)
			c := enlist.ByID{ListID: list, Key: n + "@x.io", Mobile: n, IsFirst: true,
				Values: enlist.Values{{Field: email, Text: n + "@x.io"}, {Field: mobile, Text: n}, {Field: age, Text: "0" + n}}}
			if inserted, err := contacts.Insert(tx, &c); err != nil || !inserted {
				return fmt.Errorf("contact %d: inserted %v, %w", i, inserted, err)
			}
		}
		return nil
	})
	_, err := o.service.Lists.EditField(o.Context(), o.caller, list, age, details("type", "decimal"))
	o.must(err)
	if n := o.count(list, "Age", "starts_with", "0"); n != 1 { // only the number 0 starts with 0
		o.Errorf("the values of %d Contacts were not converted", n-1)
	}
	for _, e := range []lists.DeleteFieldValues{{List: list, Field: mobile, Mobile: true}, {List: list, Field: age}} {
		o.must(o.service.Lists.DeleteField(o.Context(), o.caller, list, e.Field))
		batches := 0
		for done := false; !done; batches++ {
			e, done, err = o.service.Contacts.DeleteFieldValues(o.Context(), e)
			o.must(err)
		}
		if batches < 2 {
			o.Errorf("the values were deleted in %d batches, want at least 2", batches)
		}
	}
	o.must(o.store.View(o.Context(), func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		all := enlist.Search{Schema: schema, Columns: enlist.Columns{All: true}}
		return search.Contacts(tx, &all, func(c *enlist.ByID) error {
			if len(c.Values) != 1 {
				return fmt.Errorf("contact %d still has the values %v, want only the email", c.ID, c.Values)
			}
			return nil
		})
	}))
	o.must(o.service.Contacts.ClearList(o.Context(), o.caller, list))
	if n := o.list(list).ContactCount; n != 0 {
		o.Errorf("%d Contacts are left, want 0", n)
	}
}

// otherLists makes each call about a List twice: with a key of another Account, and with a key for
// other Lists. reference.md: auth.restricted
func otherLists(o *accountFixture) {
	id := o.addList()
	otherAccount, otherKey := o.newCaller(), o.restricted(999)
	for i, call := range []func(c *enlist.Caller) error{
		func(c *enlist.Caller) error { _, err := o.service.Lists.List(o.Context(), c, id); return err },
		func(c *enlist.Caller) error { _, err := o.service.Lists.EditList(o.Context(), c, id, nil); return err },
		func(c *enlist.Caller) error { return o.service.Contacts.ClearList(o.Context(), c, id) },
		func(c *enlist.Caller) error { return o.service.Contacts.DeleteList(o.Context(), c, id) },
		func(c *enlist.Caller) error {
			_, err := o.service.Lists.AddField(o.Context(), c, id, details("name", "x", "type", "text"))
			return err
		},
		func(c *enlist.Caller) error {
			_, err := o.service.Lists.EditField(o.Context(), c, id, 1, nil)
			return err
		},
		func(c *enlist.Caller) error { return o.service.Lists.DeleteField(o.Context(), c, id, 1) },
		func(c *enlist.Caller) error { _, err := o.service.Lists.Field(o.Context(), c, id, 1); return err },
		func(c *enlist.Caller) error {
			_, err := o.service.Lists.SearchFields(o.Context(), c, id, enlist.Query{})
			return err
		},
		func(c *enlist.Caller) error {
			_, err := o.service.Lists.AddPreference(o.Context(), c, id, "x")
			return err
		},
		func(c *enlist.Caller) error { return o.service.Lists.DeletePreference(o.Context(), c, id, 1) },
		func(c *enlist.Caller) error {
			_, err := o.service.Lists.SearchPreferences(o.Context(), c, id, enlist.Query{})
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

func preferences(o *accountFixture) {
	list := o.addList()
	weekly, err := o.service.Lists.AddPreference(o.Context(), o.caller, list, "  Weekly ")
	o.must(err)
	_, err = o.service.Lists.AddPreference(o.Context(), o.caller, list, "weekly")
	o.must(err)
	for _, name := range []string{"", " ", "Weekly", "a\tb", strings.Repeat("x", 256)} {
		_, err := o.service.Lists.AddPreference(o.Context(), o.caller, list, name)
		o.refused(err, enlist.InvalidParameters, "name")
	}
	names := func(q enlist.Query) (names []string) {
		found, err := o.service.Lists.SearchPreferences(o.Context(), o.caller, list, q)
		o.must(err)
		for _, p := range found {
			names = append(names, p.Name)
		}
		return names
	}
	if diff := cmp.Diff([]string{"Weekly", "weekly"}, names(enlist.Query{})); diff != "" {
		o.Errorf("(-want +got):\n%s", diff)
	}
	o.must(o.service.Lists.DeletePreference(o.Context(), o.caller, list, weekly))
	o.refused(o.service.Lists.DeletePreference(o.Context(), o.caller, list, weekly), enlist.InvalidParameters, "")
	if diff := cmp.Diff([]string{"weekly"}, names(enlist.Query{SortBy: "name"})); diff != "" {
		o.Errorf("(-want +got):\n%s", diff)
	}
}
