package postgres

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/pgtest"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/lists"
)

// The tests in this file run changes of several processes at the same time. A second Store
// on the same database takes the place of a second process.

// Two processes add, change and remove Contacts of four addresses in a List that allows
// duplicates. After that each address has exactly one primary Contact, and the counts of
// Contacts are exact.
func TestEachAddressKeepsOnePrimaryContact(t *testing.T) {
	if testing.Short() {
		t.Skip("provokes what happens seldom: run it with \"make check\"")
	}
	url := database(t)
	d := newListFixture(t, openAt(t, url, Options{}))
	if _, err := d.service.Lists.EditList(t.Context(), d.caller, d.list, []enlist.Detail{detail("disallow_duplicate_contacts", "0")}); err != nil {
		t.Fatal(err)
	}
	services := []*app.App{d.service, app.New(openAt(t, url, Options{}), time.Now)}
	var mu sync.Mutex
	var ids []enlist.ContactID
	some := func() enlist.ContactID {
		mu.Lock()
		defer mu.Unlock()
		if len(ids) == 0 {
			return 1
		}
		return ids[rand.IntN(len(ids))]
	}
	email := func() enlist.Detail { return detail("Email", fmt.Sprintf("a%d@example.com", rand.IntN(4))) }
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	var all sync.WaitGroup
	for i := range 12 {
		service := services[i%2]
		all.Go(func() {
			for range rounds {
				var err error
				switch rand.IntN(4) {
				case 0, 1:
					var id enlist.ContactID
					id, err = service.Contacts.Subscribe(t.Context(), d.caller, contacts.SubscribeRequest{List: d.list, Details: []enlist.Detail{email()}})
					mu.Lock()
					ids = append(ids, id)
					mu.Unlock()
				case 2:
					_, err = service.Contacts.EditContacts(t.Context(), d.caller, contacts.EditRequest{List: d.list, Contacts: []contacts.EditRow{
						{ID: some(), Details: []enlist.Detail{email()}}}})
				default:
					_, err = service.Contacts.DeleteContacts(t.Context(), d.caller, contacts.DeleteRequest{List: d.list, Contacts: []enlist.ContactID{some(), some(), some()}})
				}
				if err != nil && enlist.KindOf(err) != enlist.NothingUpdated {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	rows, err := d.store.jobs.Query(t.Context(), `SELECT coalesce(dedupe_key, duplicate_key), count(dedupe_key), count(*) FROM contact GROUP BY 1`)
	d.must(err)
	defer rows.Close()
	contacts := int64(0)
	for rows.Next() {
		var address string
		var first, count int64
		d.must(rows.Scan(&address, &first, &count))
		if first != 1 {
			t.Errorf("%d of the %d Contacts with the address %s are primary, want 1", first, count, address)
		}
		contacts += count
	}
	d.must(rows.Err())
	d.wantCount(contacts)
	problems, err := d.store.Check(t.Context())
	d.must(err)
	for _, p := range problems {
		if !strings.Contains(p, "setting") { // the PostgreSQL server of the tests runs with fsync off
			t.Error(p)
		}
	}
}

// Four calls change the same Contacts, each in its own random order. The calls may
// deadlock and then take longer, but every call succeeds.
func TestBulkChangesInAnyOrderSucceed(t *testing.T) {
	if testing.Short() {
		t.Skip(`slow on PostgreSQL: run it with "make check"`)
	}
	url := database(t)
	first := newListFixture(t, openAt(t, url, Options{}))
	request := contacts.AddRequest{List: first.list}
	for i := range 800 {
		request.Contacts = append(request.Contacts, []enlist.Detail{detail("Email", fmt.Sprintf("a%d@example.com", i))})
	}
	ids, err := first.service.Contacts.AddContacts(t.Context(), first.caller, request)
	first.must(err)
	services := []*app.App{first.service, app.New(openAt(t, url, Options{}), time.Now)}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			edit := contacts.EditRequest{List: first.list}
			for _, place := range rand.Perm(len(ids)) {
				edit.Contacts = append(edit.Contacts, contacts.EditRow{ID: ids[place], Details: []enlist.Detail{detail("Mobile Phone", "041234567"+strconv.Itoa(i))}})
			}
			if _, err := services[i%2].Contacts.EditContacts(t.Context(), first.caller, edit); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// The first step of addContacts locks the List before the Account, as the later steps do. So it does not
// deadlock with a later step of another call, if the Account has a Contact limit.
func TestFirstAndLaterStepsOfAddContactsDoNotDeadlock(t *testing.T) {
	if testing.Short() {
		t.Skip("provokes what happens seldom: run it with \"make check\"")
	}
	s := open(t)
	d := newListFixture(t, s)
	d.must(d.service.Accounts.SetContactLimit(t.Context(), d.caller.Account.ID, 1000))
	d.caller.Account.ContactLimit = 1000
	s.deadlock.Store(time.Now().UnixNano()) // so that bulk changes of a List run one after another
	before := s.deadlock.Load()
	first := make(chan error, 1)
	started := false
	d.must(s.Update(t.Context(), func(tx *db.Tx) error { // does what a later step does
		if err := tx.LockListForBulk(d.list); err != nil {
			return err
		}
		if _, err := contacts.ByID(tx, d.list, 1); enlist.KindOf(err) != enlist.NoContact { // sends the lock to the server
			return err
		}
		if !started {
			started = true
			go func() {
				_, err := d.service.Contacts.AddContacts(t.Context(), d.caller, contacts.AddRequest{List: d.list,
					Contacts: [][]enlist.Detail{{detail("Email", "a@example.com")}}})
				first <- err
			}()
		}
		for waiting := false; !waiting; {
			const query = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)"
			if err := s.jobs.QueryRow(t.Context(), query).Scan(&waiting); err != nil {
				return err
			}
		}
		_, err := tx.AccountContacts(d.caller.Account.ID)
		return err
	}))
	d.must(<-first)
	if s.deadlock.Load() != before {
		t.Error("the two calls deadlocked")
	}
}

// A call that adds or overwrites many Contacts needs few round trips, whatever the number of its rows. With
// a round trip for each row, a transaction of 500 rows takes longer than its time limit when the machine
// is busy.
func TestManyContactsNeedFewRoundTrips(t *testing.T) {
	url := database(t)
	proxy := pgtest.NewProxy(t, url)
	d := newListFixture(t, openAt(t, proxy.URL(url), Options{}))
	request := contacts.AddRequest{List: d.list}
	for i := range 1200 {
		request.Contacts = append(request.Contacts, []enlist.Detail{detail("Email", fmt.Sprintf("a%d@example.com", i))})
	}
	add := func(what string, overwrite, stored bool, skip int64) {
		t.Helper()
		request.Overwrite, request.Skip = overwrite, skip
		before := proxy.RoundTrips()
		ids, err := d.service.Contacts.AddContacts(t.Context(), d.caller, request)
		d.must(err)
		if n := proxy.RoundTrips() - before; n > 40 {
			t.Errorf("%s: %d round trips for 1,200 rows, want at most 40", what, n)
		}
		if slices.Contains(ids, 0) == stored {
			t.Errorf("%s: IDs %v, want %t for every row", what, ids[:3], stored)
		}
	}
	add("new addresses", false, true, contacts.SkipUnsubscribedFromAny)
	add("known addresses", false, false, contacts.SkipNone)
	for i := range request.Contacts {
		request.Contacts[i] = append(request.Contacts[i], detail("Mobile Phone", fmt.Sprintf("04%08d", i)))
	}
	add("overwritten Contacts", true, true, contacts.SkipUnsubscribed)
	_, err := d.service.Lists.EditList(t.Context(), d.caller, d.list, []enlist.Detail{detail("disallow_duplicate_contacts", "0")})
	d.must(err)
	add("duplicates", false, true, contacts.SkipNone)
	d.must(d.store.View(t.Context(), func(tx *db.Tx) error {
		n, err := lists.Duplicates(tx, d.list)
		if n != 1200 {
			t.Errorf("%d addresses have duplicates, want 1,200", n)
		}
		return err
	}))
}

// After one process has changed a definition, another process uses the new definition in
// its next transaction.
func TestDefinitionsOfAnotherProcessAreUsedAtOnce(t *testing.T) {
	url := database(t)
	d := newListFixture(t, openAt(t, url, Options{}))
	other := app.New(openAt(t, url, Options{}), time.Now)
	subscribe := func(s *app.App, key, value string) error {
		_, err := s.Contacts.Subscribe(t.Context(), d.caller, contacts.SubscribeRequest{List: d.list,
			Details: []enlist.Detail{detail("Email", "a@example.com"), detail(key, value)}})
		return err
	}
	d.must(subscribe(other, "Age", "x"))
	for i := range 20 {
		name := fmt.Sprintf("Age %d", i)
		id, err := d.service.Lists.AddField(t.Context(), d.caller, d.list, []enlist.Detail{detail("name", name), detail("type", "decimal")})
		d.must(err)
		if err := subscribe(other, name, "x"); enlist.KindOf(err) != enlist.InvalidParameters {
			t.Errorf("a text for a decimal Field that another process has added: error %v, want InvalidParameters", err)
		}
		d.must(d.service.Lists.DeleteField(t.Context(), d.caller, d.list, id))
		d.must(subscribe(other, name, "x"))
	}
}

// A Field of type text becomes a decimal while callers write values to it. After that
// every value of this Field is a number.
func TestNewFieldTypeLeavesNoOldValues(t *testing.T) {
	url := database(t)
	d := newListFixture(t, openAt(t, url, Options{}))
	other := app.New(openAt(t, url, Options{}), time.Now)
	for round := range 8 {
		name := fmt.Sprintf("Age %d", round)
		id, err := d.service.Lists.AddField(t.Context(), d.caller, d.list, []enlist.Detail{detail("name", name), detail("type", "text")})
		d.must(err)
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				for j := range 10 {
					_, err := other.Contacts.Subscribe(t.Context(), d.caller, contacts.SubscribeRequest{List: d.list, Details: []enlist.Detail{
						detail("Email", fmt.Sprintf("a%d.%d.%d@example.com", round, i, j)), detail(name, []string{"12", "old"}[min(1, j/9)])}})
					if err != nil && enlist.KindOf(err) != enlist.InvalidParameters {
						t.Error(err)
					}
				}
			})
		}
		_, changed := d.service.Lists.EditField(t.Context(), d.caller, d.list, id, []enlist.Detail{detail("type", "decimal")})
		if changed != nil && enlist.KindOf(changed) != enlist.InvalidParameters {
			t.Error(changed)
		}
		all.Wait()
		var old int
		d.must(d.store.jobs.QueryRow(t.Context(), "SELECT count(*) FROM contact WHERE field_values ->> $1 = 'old'", fmt.Sprint(id)).Scan(&old))
		if changed == nil && old > 0 {
			t.Errorf("%d Contacts have a text in a Field of type decimal, want none", old)
		}
	}
}

// If the function of an Update reads no result, its statements are sent before the store
// can compare the version of the catalogue. If the version was old, the store must roll
// back before the function runs again. Otherwise the row would be stored twice.
func TestStaleUpdateIsStoredOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("provokes what happens seldom: run it with \"make check\"")
	}
	url := database(t)
	d := newListFixture(t, openAt(t, url, Options{}))
	elsewhere := app.New(openAt(t, url, Options{}), time.Now)
	for i := range 5 {
		_, err := elsewhere.Lists.EditList(t.Context(), d.caller, d.list, []enlist.Detail{detail("name", fmt.Sprintf("List %d", i))})
		d.must(err)
		row := enlist.LedgerRow{ListID: d.list, ContactID: 1, Method: "subscribeContact", Text: "yes"}
		d.must(d.store.Update(t.Context(), func(tx *db.Tx) error { return contacts.AddLedgerRow(tx, &row) }))
	}
	d.must(d.store.View(t.Context(), func(tx *db.Tx) error {
		rows, err := contacts.LedgerRows(tx, d.list, 1, 0, 0)
		if len(rows) != 5 {
			t.Errorf("the ledger has %d rows, want 5", len(rows))
		}
		return err
	}))
}

// whileOneWaits runs first in a transaction, and second as soon as first has run. It commits when second waits for a
// lock, and returns when both have ended.
func (d *listFixture) whileOneWaits(first func(*db.Tx) error, second func()) {
	d.Helper()
	var ran, all sync.WaitGroup
	ran.Add(1)
	once := sync.OnceFunc(ran.Done)
	all.Go(func() {
		err := d.store.Update(d.Context(), func(tx *db.Tx) error {
			defer once()
			if err := first(tx); err != nil {
				return err
			}
			if _, err := tx.ContactCount(d.list); err != nil { // sends what first has queued
				return err
			}
			once()
			for waiting := 0; waiting == 0; {
				err := d.store.jobs.QueryRow(d.Context(), `SELECT count(*) FROM pg_stat_activity
					WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			d.Error(err)
		}
	})
	ran.Wait()
	second()
	all.Wait()
}

// At the Contact limit, a subscription and an Import find the Contact that another call adds at the same time.
//
// covers: spec limit.contacts
func TestLimitDoesNotRefuseAnAddressThatAnotherCallAdds(t *testing.T) {
	d := newListFixture(t, open(t))
	for i, call := range []func(email string) error{
		func(email string) error { _, err := d.subscribe(t.Context(), email, ""); return err },
		func(email string) error {
			n := imports.NewImport{ImportOptions: imports.ImportOptions{List: d.list, FileName: "people.csv"},
				File: strings.NewReader("Email\n" + email + "\n")}
			added, err := d.service.Imports.AddImport(t.Context(), d.caller, n)
			d.must(err)
			d.must(d.service.Imports.RunImport(t.Context(), added.ID))
			ended, err := d.service.Imports.Import(t.Context(), d.caller, added.ID)
			if err == nil && ended.Unchanged != 1 {
				err = fmt.Errorf("the outcomes of the row are %+v, want unchanged", ended.ImportCounts)
			}
			return err
		},
	} {
		var err error
		d.must(d.service.Accounts.SetContactLimit(t.Context(), d.caller.Account.ID, int64(i+1)))
		d.caller, err = d.service.Accounts.Operator(t.Context(), d.caller.Account.ID)
		d.must(err)
		email := fmt.Sprintf("a%d@example.com", i)
		d.whileOneWaits(func(tx *db.Tx) error {
			if _, err := tx.AccountContacts(d.caller.Account.ID); err != nil {
				return err
			}
			_, err := d.insert(tx, email)
			return err
		}, func() { err = call(email) })
		if err != nil {
			t.Errorf("call %d: %v", i+1, err)
		}
		d.wantCount(int64(i + 1))
	}
}

// A call unsubscribes an address while another call gives its Contact another address. The Contact stays subscribed.
// covers: spec unsubscribeContact.address
func TestUnsubscribeLeavesAContactWithANewAddress(t *testing.T) {
	d := newListFixture(t, open(t))
	id, err := d.subscribe(t.Context(), "a@example.com", "")
	d.must(err)
	d.whileOneWaits(func(tx *db.Tx) error {
		c, err := contacts.ByID(tx, d.list, id)
		if err != nil {
			return err
		}
		c.Key = "b@example.com"
		return contacts.UpdateContacts(tx, []*enlist.Contact{c})
	}, func() {
		_, err = d.service.Contacts.Unsubscribe(t.Context(), d.caller, contacts.UnsubscribeRequest{List: d.list, Address: "a@example.com"})
	})
	d.must(err)
	d.must(d.store.View(t.Context(), func(tx *db.Tx) error {
		c, err := contacts.ByID(tx, d.list, id)
		if err == nil && c.IsUnsubscribed {
			t.Error("the call has unsubscribed a Contact that has another address")
		}
		return err
	}))
}
