package contacts_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/messages"
)

// The tests make calls fail between any two Updates, run calls concurrently, and reach the limit of Contacts.
//
// covers: spec bulk.steps, addContacts.limit, deleteContacts.kept, decision 53
func TestCallsWithManyContacts(t *testing.T) {
	apptest.Run(t, apptest.Slow, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a call with an Idempotency-Key is executed once although the process crashes", Test: bulkCrashes},
		{Name: "a call without an Idempotency-Key keeps the Updates before a crash", Test: bulkCrashesWithoutKey},
		{Name: "concurrent copies of a call are executed once", Test: bulkSameKeyAtOnce},
		{Name: "concurrent calls never store an address twice", Test: bulkConcurrent},
		{Name: "a call that would exceed the Contact limit adds no Contact", Test: bulkLimit},
		{Name: "concurrent calls never exceed the Contact limit", Test: bulkLimitConcurrent},
		{Name: "a call that changes more than 100 Contacts sends one event", Test: bulkWebhooks},
		{Name: "if a Field changes during a call, its next Updates use the new rules", Test: bulkFieldChange},
		{Name: "all rows that are stored for an Idempotency-Key expire together", Test: bulkRetryExpiry},
		{Name: "deleting a Contact deletes its deliveries", Test: bulkDeliveries},
		{Name: "if each Contact causes many mails, an Update takes fewer Contacts", Test: bulkMessages},
		{Name: "if each Contact has many values, an Update takes fewer Contacts", Test: bulkValues},
		{Name: "if each Contact has long values, an Update changes fewer Contacts", Test: bulkLongValues},
		{Name: "rows of one call that depend on each other are edited one after the other", Test: bulkDependentRows},
		{Name: "a call reads and stores its rows together", Test: bulkRowsTogether},
		{Name: "rows that are left out do not count towards the Contact limit", Test: bulkLimitLeftOut},
	})
}

// covers: spec bulk.steps, deleteContacts.kept
func TestRandomCallsEqualAModel(t *testing.T) {
	apptest.Run(t, apptest.Slow, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "random calls have the same results as on a simple model", Test: bulkAsTheModel},
	})
}

// many is a number of Contacts for which a call needs several Updates.
const many = 1700

// contactRows returns n rows, each with its own email address.
func contactRows(n int, prefix string) [][]enlist.Detail {
	rows := make([][]enlist.Detail, n)
	for i := range rows {
		rows[i] = apptest.Details("Email", fmt.Sprintf("%s%d@example.com", prefix, i))
	}
	return rows
}

// add adds Contacts and returns their IDs.
func add(o *apptest.Account, list enlist.ListID, rows [][]enlist.Detail) []enlist.ContactID {
	o.Helper()
	ids, err := o.App.Contacts.AddContacts(o.Context(), o.Caller, contacts.AddRequest{List: list, Contacts: rows})
	o.Must(err)
	return ids
}

// concurrently runs n calls at the same time. It fails the test if a call returns an error.
func concurrently(o *apptest.Account, n int, call func(i int) error) {
	o.Helper()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if err := call(i); err != nil {
				o.Error(err)
			}
		})
	}
	wg.Wait()
}

// bulkConcurrent runs concurrent calls that add, edit and delete the same Contacts. No address may
// be stored twice, and the counters must be exact.
func bulkConcurrent(o *apptest.Account) {
	list := o.AddList()
	begun := add(o, list, contactRows(900, "a"))
	concurrently(o, 12, func(i int) error {
		switch i % 4 {
		case 0, 1:
			r := contacts.AddRequest{List: list, Contacts: contactRows(1200, "a"), Overwrite: i%2 == 0}
			_, err := o.App.Contacts.AddContacts(o.Context(), o.Caller, r)
			return err
		case 2:
			rows := make([]contacts.EditRow, len(begun))
			for j, id := range begun {
				email := fmt.Sprintf("A%d@example.com", (j+i)%1200)
				rows[j] = contacts.EditRow{ID: id, Details: apptest.Details("Email", email)}
			}
			_, err := o.App.Contacts.EditContacts(o.Context(), o.Caller, contacts.EditRequest{List: list, Contacts: rows})
			if enlist.KindOf(err) == enlist.NothingUpdated {
				return nil
			}
			return err
		}
		some := contacts.DeleteRequest{List: list, Contacts: begun[i*20 : i*20+600]}
		_, err := o.App.Contacts.DeleteContacts(o.Context(), o.Caller, some)
		return err
	})
	seen := make(map[string]bool)
	ids := o.All(list)
	for _, id := range ids {
		c := o.Contact(list, id)
		if seen[c.Key] || !c.IsFirst || !strings.EqualFold(c.Key, c.Values[0].Text) {
			o.Errorf("Contact %d is %+v, want the only Contact of its address, with the Key of its email", id, c)
		}
		seen[c.Key] = true
	}
	counted(o, list, int64(len(ids)))
}

// counted checks the counters of a List and of its Account. No other List of the Account may have
// Contacts.
func counted(o *apptest.Account, list enlist.ListID, want int64) {
	o.Helper()
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		inList, err := tx.ContactCount(list)
		inAccount, accountErr := tx.AccountContacts(o.Caller.Account.ID)
		if inList != want || inAccount != want {
			o.Errorf("the counter of the List is %d and that of the Account %d, want %d", inList, inAccount, want)
		}
		return errors.Join(err, accountErr)
	}))
}

// bulkWebhooks tests the events of a call. If the call changes up to 100 Contacts, it sends one event
// for each Contact. If it changes more Contacts, it sends a single event for the List, even if it
// needs several Updates. decisions.md: 52
func bulkWebhooks(o *apptest.Account) {
	list := o.AddList()
	for _, event := range []string{"created", "updated", "removed"} {
		o.AddWebhook("contact", event)
	}
	target := o.Webhook(o.AddWebhook("list", "bulk_updated")).Target
	wantEvents := func(what string, want map[enlist.WebhookEventType]int) {
		o.Helper()
		got := make(map[enlist.WebhookEventType]int)
		o.Update(func(tx *db.Tx) error {
			waiting, err := events.WebhookEvents(tx, target, 0, 10_000)
			clear(got)
			for _, e := range waiting {
				if (e.Contact == 0) != (e.Event == enlist.WebhookBulkUpdated) {
					o.Errorf("%s: event %+v, want a Contact in every event except bulk_updated", what, e)
				}
				got[e.Event]++
			}
			return errors.Join(err, events.RemoveWebhookEvents(tx, target, waiting))
		})
		apptest.Same(o.T, what, got, want)
	}
	edit := func(ids []enlist.ContactID, to string) {
		o.Helper()
		rows := make([]contacts.EditRow, len(ids))
		for i, id := range ids {
			rows[i] = contacts.EditRow{ID: id, Details: apptest.Details("Mobile Phone", to)}
		}
		_, err := o.App.Contacts.EditContacts(o.Context(), o.Caller, contacts.EditRequest{List: list, Contacts: rows})
		o.Must(err)
	}
	remove := func(ids []enlist.ContactID) {
		o.Helper()
		_, err := o.App.Contacts.DeleteContacts(o.Context(), o.Caller, contacts.DeleteRequest{List: list, Contacts: ids})
		o.Must(err)
	}
	bulk := map[enlist.WebhookEventType]int{enlist.WebhookBulkUpdated: 1}

	few := add(o, list, append(contactRows(100, "a"), apptest.Details("Email", "no address")))
	wantEvents("100 added", map[enlist.WebhookEventType]int{enlist.WebhookCreated: 100})
	add(o, list, append(contactRows(1000, "b"), contactRows(many, "b")...))
	wantEvents("many added", bulk)
	add(o, list, append(contactRows(many, "b"), contactRows(100, "c")...))
	wantEvents("100 added after many that exist", map[enlist.WebhookEventType]int{enlist.WebhookCreated: 100})
	edit(few[:100], "0400000000")
	wantEvents("100 edited", map[enlist.WebhookEventType]int{enlist.WebhookUpdated: 100})
	edit(few[:100], "0400000000")
	wantEvents("100 edited without a change", map[enlist.WebhookEventType]int{})
	edit(o.All(list)[:101], "0400000001")
	wantEvents("101 edited", bulk)
	edit(o.All(list)[:101], "0400000001")
	wantEvents("101 edited without a change", map[enlist.WebhookEventType]int{})
	same := append(contactRows(101, "b"), apptest.Details("Email", "new@example.com"))
	_, err := o.App.Contacts.AddContacts(o.Context(), o.Caller, contacts.AddRequest{List: list, Contacts: same, Overwrite: true})
	o.Must(err)
	wantEvents("101 added again without a change, and a new one", map[enlist.WebhookEventType]int{enlist.WebhookCreated: 1})
	remove(append([]enlist.ContactID{1 << 40}, few[:100]...))
	wantEvents("100 removed", map[enlist.WebhookEventType]int{enlist.WebhookRemoved: 100})
	remove(o.All(list))
	wantEvents("many removed", bulk)
	remove(few[:100])
	wantEvents("none removed", map[enlist.WebhookEventType]int{})
}

// bulkFieldChange tests a Field that changes while a call runs. The next Updates of the call must
// use the new rules.
func bulkFieldChange(o *apptest.Account) {
	list := o.AddList()
	amount := o.AddField(list, "name", "Amount", "type", "text")
	rows := contactRows(many, "a")
	for i := range rows {
		rows[i] = append(rows[i], apptest.Details("Amount", fmt.Sprint("x", i))...)
	}
	between := &apptest.CrashingStore{Engine: o.Store, At: 3, Then: func() {
		_, err := o.App.Lists.EditField(o.Context(), o.Caller, list, amount, apptest.Details("length", 3))
		o.Must(err)
	}}
	service := app.New(between, o.Clock)
	ids, err := service.Contacts.AddContacts(o.Context(), o.Caller, contacts.AddRequest{List: list, Contacts: rows})
	o.Must(err)
	for i, id := range ids {
		if (id != 0) != (i < 1000) {
			o.Fatalf("row %d with %q got the ID %d; want IDs only for the rows before 1000", i, fmt.Sprint("x", i), id)
		}
	}
}

// bulkDeliveries tests that deleting a Contact deletes the deliveries of this Contact only.
func bulkDeliveries(o *apptest.Account) {
	list := o.AddList()
	ids := add(o, list, contactRows(3, "a"))
	o.Update(func(tx *db.Tx) error {
		for _, id := range ids {
			key := enlist.DeliveryKey{List: list, Contact: id, Time: 1, Cause: "c"}
			if err := (&messages.Delivery{DeliveryKey: key, Status: messages.DeliverySent}).Put(tx); err != nil {
				return err
			}
		}
		return nil
	})
	_, err := o.App.Contacts.DeleteContacts(o.Context(), o.Caller, contacts.DeleteRequest{List: list, Contacts: ids[:2]})
	o.Must(err)
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		for i, id := range ids {
			sent, err := messages.Deliveries(tx, list, id, 1000, 0)
			ledger, ledgerErr := contacts.LedgerRows(tx, list, id, 0, 0)
			if (len(sent) == 1) != (i == 2) || len(ledger) != 1 {
				o.Errorf("Contact %d has %d deliveries and %d ledger rows; want deliveries only for Contact 2, and 1 ledger row", i, len(sent), len(ledger))
			}
			if err := errors.Join(err, ledgerErr); err != nil {
				return err
			}
		}
		return nil
	}))
}
