package privacy_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/privacy"
)

// This file tests in which of an Account's many Lists an export and an erasure find a person, and in which order.

// covers: decision 90, decision 99
func TestPersonInManyLists(t *testing.T) {
	apptest.Run(t, apptest.Own, newManyLists, []apptest.Rule[*manyLists]{
		{Name: "an export has the Contacts in the order of their Lists, then of their IDs", Test: (*manyLists).exportInOrder},
		{Name: "an export has mails to the address of all Lists, in the order of Lists, then of Contacts", Test: (*manyLists).exportMailsInOrder},
		{Name: "a number without its country is found in Lists of several countries", Test: (*manyLists).exportNumbers},
		{Name: "an erasure removes the Contacts of all Lists, each in a transaction", Test: (*manyLists).erasesAllLists},
		{Name: "an erasure names other Contacts in the order of Lists, at most 100 of each", Test: (*manyLists).namesInOrder},
		{Name: "an erasure also finds Contacts that are added while it runs", Test: (*manyLists).findsAdded},
	})
}

// manyLists has Lists with and without Ann. The Contacts of later Lists have lower IDs.
type manyLists struct {
	*apptest.Batches
	empty, twice, german, without, quoted, last, deleted enlist.ListID

	foreign *enlist.Caller // of another Account
	theirs  enlist.ListID  // of that Account
	ann     []enlist.PersonKey
}

func newManyLists(t *testing.T, store db.Engine) *manyLists {
	f := &manyLists{Batches: apptest.NewBatches(t, store)}
	f.empty, f.twice = f.AddList(), f.AddList("disallow_duplicate_contacts", false)
	f.german, f.without = f.AddList("country_code", 49), f.AddList()
	f.quoted, f.deleted, f.last = f.AddList(), f.AddList(), f.AddList()
	f.foreign = f.NewCaller()
	var err error
	f.theirs, err = f.App.Lists.AddList(f.Context(), f.foreign, apptest.Details("name", "Theirs"))
	f.Must(err)
	f.asForeign(func() { f.Subscribe(f.theirs, "Email", "ann@example.com") })
	f.Subscribe(f.without, "Email", "joann@example.com")
	for _, c := range []struct {
		list  enlist.ListID
		email string
	}{{f.last, "ann@EXAMPLE.com"}, {f.deleted, "ann@example.com"}, {f.quoted, `"Ann"@example.com`}, {f.german, "Ann@Example.com"},
		{f.twice, "ann@example.com"}, {f.twice, "ann@example.com"}, {f.twice, `"a\nn"@example.com`}} {
		id := f.Subscribe(c.list, "Email", c.email)
		f.Subscribe(c.list, "Email", fmt.Sprintf("bob%d@example.com", id))
		f.ann = append(f.ann, enlist.PersonKey{List: c.list, Contact: id})
	}
	f.Must(f.App.Contacts.DeleteList(f.Context(), f.Caller, f.deleted))
	f.ann = slices.DeleteFunc(f.ann, func(k enlist.PersonKey) bool { return k.List == f.deleted })
	slices.SortFunc(f.ann, func(a, b enlist.PersonKey) int {
		return cmp.Or(cmp.Compare(a.List, b.List), cmp.Compare(a.Contact, b.Contact))
	})
	return f
}

// asForeign runs fn as a caller of the other Account.
func (f *manyLists) asForeign(fn func()) {
	own := f.Caller
	defer func() { f.Caller = own }()
	f.Caller = f.foreign
	fn()
}

// contactRows returns a text of each Contact's row in an export.
func contactRows(all []enlist.PersonKey) (rows []string) {
	for _, k := range all {
		rows = append(rows, fmt.Sprintf("list_id=%d id=%d ", k.List, k.Contact))
	}
	return rows
}

func (f *manyLists) exportInOrder() {
	for _, text := range []string{"ann@example.com", " ANN@example.COM", `"ann"@example.com`, `"\A\n\n"@example.com`} {
		rows := export(f.Account, f.Caller, text)
		wantRows(f.Account, rows, privacy.PersonContacts, contactRows(f.ann)...)
		var consents []string
		for _, k := range f.ann {
			consents = append(consents, fmt.Sprintf("list_id=%d contact_id=%d ", k.List, k.Contact))
		}
		wantRows(f.Account, rows, privacy.PersonConsents, consents...)
	}
	rows := export(f.Account, f.foreign, "ann@example.com")
	wantRows(f.Account, rows, privacy.PersonContacts, fmt.Sprintf("list_id=%d ", f.theirs))
	err := f.App.Privacy.ExportPerson(f.Context(), f.Restricted(f.twice, f.german, f.last), "ann@example.com", new(personRows))
	f.Refused(err, enlist.Denied, "")
}

// exportMailsInOrder sends mails to Ann's address. Some belong to Contacts that have another address now.
func (f *manyLists) exportMailsInOrder() {
	eve := make(map[enlist.ListID]enlist.ContactID)
	for i, list := range []enlist.ListID{f.last, f.without, f.empty} {
		if list != f.last {
			eve[list] = f.Subscribe(list, "Email", "Ann@example.com")
		}
		f.Add(apptest.Whole(list)) // the Batch i + 1
		f.SendAll(nil)
		if list == f.last {
			eve[list] = f.Subscribe(list, "Email", "eve@example.com")
		} else {
			f.EditEmail(list, eve[list], fmt.Sprintf("eve%d@example.com", i))
		}
	}
	row := func(list enlist.ListID, contact enlist.ContactID) string {
		return fmt.Sprintf("list_id=%d contact_id=%d ", list, contact)
	}
	f.mail(f.last, eve[f.last], "ANN@example.com")
	f.mail(f.without, eve[f.without], "ann@example.com")
	f.mail(f.without, eve[f.without]-1, "Ann@example.com") // stored later, but has a lower ID
	f.mail(f.empty, eve[f.empty], `"Ann"@example.com`)     // the spelling of the Contact in another List
	f.mail(f.without, 1, "joann@example.com")
	f.mail(f.theirs, 1, "ann@example.com")
	first, last := f.ann[0], f.ann[len(f.ann)-1]
	f.mail(last.List, last.Contact, "ann@example.com")
	f.mail(first.List, first.Contact, "new@example.com")
	rows := export(f.Account, f.Caller, "ann@example.com")
	wantRows(f.Account, rows, privacy.PersonMails, row(first.List, first.Contact), row(last.List, last.Contact),
		row(f.empty, eve[f.empty]), row(f.without, eve[f.without]-1), row(f.without, eve[f.without]), row(f.last, eve[f.last]))
	wantRows(f.Account, rows, privacy.PersonBatchMails, row(last.List, last.Contact)+"batch_id=1 ",
		row(f.empty, eve[f.empty])+"batch_id=3 ", row(f.without, eve[f.without])+"batch_id=2 ")
	erase(f.Account, "ann@example.com")
	wantErased(f.Account, "ann@example.com")
	rows = export(f.Account, f.foreign, "ann@example.com")
	wantRows(f.Account, rows, privacy.PersonMails, row(f.theirs, 1))
}

// mail stores the record of a mail to a Contact.
func (f *manyLists) mail(list enlist.ListID, contact enlist.ContactID, address string) {
	f.Update(func(tx *db.Tx) error {
		return (&messages.Delivery{Address: address, Status: messages.DeliverySent,
			DeliveryKey: enlist.DeliveryKey{List: list, Contact: contact, Time: 5, Cause: "c"}}).Put(tx)
	})
}

func (f *manyLists) exportNumbers() {
	dutch, french := f.AddList("country_code", 31), f.AddList("country_code", 33)
	dutchToo, frenchToo := f.AddList("country_code", 31), f.AddList("country_code", 33)
	var found []enlist.PersonKey
	add := func(list enlist.ListID, mobile string) enlist.PersonKey {
		return enlist.PersonKey{List: list, Contact: f.Subscribe(list, "Mobile Phone", mobile)}
	}
	found = append(found, add(frenchToo, "06 12 34 56 78"), add(dutchToo, "0612345678"), add(french, "+33612345678"),
		add(dutch, "06-12345678"))
	slices.Reverse(found)
	abroad := add(f.last, "+33 6 12 34 56 78")
	add(f.last, "0412345678")
	rows := export(f.Account, f.Caller, "06 12 34 56 78")
	wantRows(f.Account, rows, privacy.PersonContacts, contactRows(found)...)
	rows = export(f.Account, f.Caller, "+33 612345678")
	wantRows(f.Account, rows, privacy.PersonContacts, contactRows([]enlist.PersonKey{abroad, found[1], found[3]})...)
	rows = export(f.Account, f.Caller, "+31 6 12345678")
	wantRows(f.Account, rows, privacy.PersonContacts, contactRows([]enlist.PersonKey{found[0], found[2]})...)
}

func (f *manyLists) erasesAllLists() {
	plan, err := f.App.Privacy.PlanErasure(f.Context(), f.Caller, "ann@example.com")
	f.Must(err)
	store := &ledgerStore{Engine: f.Store}
	erased, err := app.New(store, f.Clock).Privacy.ErasePerson(f.Context(), f.Caller, "ann@example.com")
	f.Must(err)
	if fmt.Sprint(erased) != fmt.Sprint(plan) || plan.Rows[0].Rows != int64(len(f.ann)) {
		f.Errorf("erased %v, want what was planned: %v, with %d Contacts", erased, plan, len(f.ann))
	}
	var want [][]enlist.PersonKey
	for _, k := range f.ann {
		want = append(want, []enlist.PersonKey{k})
	}
	apptest.Same(f.T, "the Contacts that each transaction removed", store.erased, want)
	wantErased(f.Account, "ann@example.com")
	for list, others := range map[enlist.ListID]int64{f.empty: 0, f.twice: 3, f.german: 1, f.without: 1, f.quoted: 1, f.last: 1} {
		if n := f.List(list).ContactCount; n != others {
			f.Errorf("the List %d has %d Contacts, want %d of other persons", list, n, others)
		}
	}
	f.asForeign(func() {
		if n := f.List(f.theirs).ContactCount; n != 1 {
			f.Errorf("the List of another Account has %d Contacts, want 1", n)
		}
	})
	f.Must(f.Store.View(f.Context(), func(tx *db.Tx) error {
		found, err := contacts.ByAddress(tx, f.deleted, "ann@example.com", "", 0, 10)
		if len(found) != 1 {
			f.Errorf("the deleted List has %d Contacts with the address, want 1: a job removes them", len(found))
		}
		return err
	}))
}

// ledgerStore is a Store that keeps the Contacts whose rows of the ledger were erased, for each Update that did so.
type ledgerStore struct {
	db.Engine
	erased [][]enlist.PersonKey
}

func (s *ledgerStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	var erased []enlist.PersonKey
	err := s.Engine.Update(ctx, func(tx *db.Tx) error {
		erased = nil // the function can run twice
		return apptest.Watch{Statement: func(query string, args []any) error {
			if strings.HasPrefix(query, "UPDATE consent SET text") {
				erased = append(erased, enlist.PersonKey{List: enlist.ListID(args[0].(int64)),
					Contact: enlist.ContactID(args[1].(int64))})
			}
			return nil
		}}.Run(fn)(tx)
	})
	if len(erased) > 0 {
		s.erased = append(s.erased, erased)
	}
	return err
}

func (f *manyLists) namesInOrder() {
	var want []string
	for _, list := range []enlist.ListID{f.last, f.twice, f.empty} {
		f.AddField(list, "name", "Partner", "type", "text")
		n := map[enlist.ListID]int{f.twice: 101}[list] + 1
		rows := make([][]enlist.Detail, n)
		for i := range rows {
			rows[i] = apptest.Details("Email", fmt.Sprintf("c%d@example.com", i), "Partner", "Ann@example.com")
		}
		_, err := f.App.Contacts.AddContacts(f.Context(), f.Caller, contacts.AddRequest{List: list, Contacts: rows})
		f.Must(err)
		var named []string
		f.Must(f.Store.View(f.Context(), func(tx *db.Tx) error {
			for i := range min(n, 100) {
				c, err := contacts.ByKey(tx, list, fmt.Sprintf("c%d@example.com", i))
				if err != nil {
					return err
				}
				named = append(named, fmt.Sprintf("contact %d of list %d", c.ID, list))
			}
			return nil
		}))
		want = append(named, want...)
	}
	if plan, err := f.App.Privacy.PlanErasure(f.Context(), f.Caller, "ann@example.com"); err != nil || !slices.Equal(plan.Left, want) {
		f.Errorf("the plan names %q, error %v; want %q", plan.Left, err, want)
	}
}

// findsAdded adds a Contact before each Update of an erasure. The last two Updates only end it.
func (f *manyLists) findsAdded() {
	for at, more := 1, true; more; at++ {
		counted := &apptest.CountingStore{Engine: f.Store}
		more = false
		var added enlist.ContactID
		store := &apptest.CrashingStore{Engine: counted, At: at, Then: func() {
			more, added = true, f.Subscribe(f.empty, "Email", "ann@example.com")
		}}
		f.Subscribe(f.without, "Email", "ann@example.com")
		_, err := app.New(store, f.Clock).Privacy.ErasePerson(f.Context(), f.Caller, "ann@example.com")
		f.Must(err)
		if at <= counted.Updates-2 {
			wantErased(f.Account, "ann@example.com")
		} else if more {
			f.Contact(f.empty, added) // is still there
		}
		if !more && at < 6 {
			f.Errorf("the erasure has %d Updates, want at least 5", at-1)
		}
	}
}
