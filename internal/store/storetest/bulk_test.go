package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/search"
	"enlist/internal/webhooks"
)

// runBulk tests the calls that take many Contacts. decisions.md: 53
func runBulk(t *testing.T, open func(t *testing.T) db.Engine) {
	t.Run("random calls have the same results as on a simple model", func(t *testing.T) {
		t.Parallel()
		bulkAsTheModel(newAccountFixture(t, open))
	})
	runRules(t, open, []accountRule{
		{"a call with an Idempotency-Key is executed once although the process crashes", bulkCrashes},
		{"a call without an Idempotency-Key keeps the Updates before a crash", bulkCrashesWithoutKey},
		{"concurrent copies of a call are executed once", bulkSameKeyAtOnce},
		{"concurrent calls never store an address twice", bulkConcurrent},
		{"a call that would exceed the Contact limit adds no Contact", bulkLimit},
		{"concurrent calls never exceed the Contact limit", bulkLimitConcurrent},
		{"a call that changes more than 100 Contacts sends one event", bulkWebhooks},
		{"if a Field changes during a call, its next Updates use the new rules", bulkFieldChange},
		{"all rows that are stored for an Idempotency-Key expire together", bulkRetryExpiry},
		{"deleting a Contact deletes its deliveries", bulkDeliveries},
		{"if each Contact causes many mails, an Update takes fewer Contacts", bulkMessages},
		{"if each Contact has many values, an Update takes fewer Contacts", bulkValues},
		{"if each Contact has long values, an Update changes fewer Contacts", bulkLongValues},
		{"rows of one call that depend on each other are edited one after the other", bulkDependentRows},
		{"a call reads and stores its rows together", bulkRowsTogether},
		{"rows that are left out do not count towards the Contact limit", bulkLimitLeftOut},
	})
}

// many is a number of Contacts for which a call needs several Updates.
const many = 1700

// contactRows returns n rows, each with its own email address.
func contactRows(n int, prefix string) [][]enlist.Detail {
	rows := make([][]enlist.Detail, n)
	for i := range rows {
		rows[i] = details("Email", fmt.Sprintf("%s%d@example.com", prefix, i))
	}
	return rows
}

// add adds Contacts and returns their IDs.
func (o *accountFixture) add(list enlist.ListID, rows [][]enlist.Detail) []enlist.ContactID {
	o.Helper()
	ids, err := o.service.Contacts.AddContacts(o.Context(), o.caller, contacts.AddRequest{List: list, Contacts: rows})
	o.must(err)
	return ids
}

// retrying returns a copy of the caller with an Idempotency-Key.
func (o *accountFixture) retrying(header string) *enlist.Caller {
	with := *o.caller
	with.Retry = &enlist.Retry{Header: header}
	return &with
}

// all returns the IDs of a List's Contacts.
func (o *accountFixture) all(list enlist.ListID) (ids []enlist.ContactID) {
	o.Helper()
	o.must(o.store.View(o.Context(), func(tx *db.Tx) error {
		ids = nil
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		return search.Contacts(tx, &enlist.Search{Schema: schema}, func(c *enlist.ByID) error {
			ids = append(ids, c.ID)
			return nil
		})
	}))
	return ids
}

// ledger returns how many ledger rows a Contact has.
func (o *accountFixture) ledger(list enlist.ListID, id enlist.ContactID) int {
	o.Helper()
	var w rows[enlist.LedgerRow]
	o.must(o.service.Contacts.ContactConsents(o.Context(), o.caller, contacts.LedgerQuery{List: list, Contact: id}, &w))
	return len(w.all)
}

// concurrently runs n calls at the same time. It fails the test if a call returns an error.
func concurrently(o *accountFixture, n int, call func(i int) error) {
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
func bulkConcurrent(o *accountFixture) {
	list := o.addList()
	begun := o.add(list, contactRows(900, "a"))
	concurrently(o, 12, func(i int) error {
		switch i % 4 {
		case 0, 1:
			r := contacts.AddRequest{List: list, Contacts: contactRows(1200, "a"), Overwrite: i%2 == 0}
			_, err := o.service.Contacts.AddContacts(o.Context(), o.caller, r)
			return err
		case 2:
			rows := make([]contacts.EditRow, len(begun))
			for j, id := range begun {
				email := fmt.Sprintf("A%d@example.com", (j+i)%1200)
				rows[j] = contacts.EditRow{ID: id, Details: details("Email", email)}
			}
			_, err := o.service.Contacts.EditContacts(o.Context(), o.caller, contacts.EditRequest{List: list, Contacts: rows})
			if enlist.KindOf(err) == enlist.NothingUpdated {
				return nil
			}
			return err
		}
		some := contacts.DeleteRequest{List: list, Contacts: begun[i*20 : i*20+600]}
		_, err := o.service.Contacts.DeleteContacts(o.Context(), o.caller, some)
		return err
	})
	seen := make(map[string]bool)
	ids := o.all(list)
	for _, id := range ids {
		c := o.contact(list, id)
		if seen[c.Key] || !c.IsFirst || !strings.EqualFold(c.Key, c.Values[0].Text) {
			o.Errorf("Contact %d is %+v, want the only Contact of its address, with the Key of its email", id, c)
		}
		seen[c.Key] = true
	}
	o.counted(list, int64(len(ids)))
}

// counted checks the counters of a List and of its Account. No other List of the Account may have
// Contacts.
func (o *accountFixture) counted(list enlist.ListID, want int64) {
	o.Helper()
	o.must(o.store.View(o.Context(), func(tx *db.Tx) error {
		inList, err := tx.ContactCount(list)
		inAccount, accountErr := tx.AccountContacts(o.caller.Account.ID)
		if inList != want || inAccount != want {
			o.Errorf("the counter of the List is %d and that of the Account %d, want %d", inList, inAccount, want)
		}
		return errors.Join(err, accountErr)
	}))
}

// bulkWebhooks tests the events of a call. If the call changes up to 100 Contacts, it sends one event
// for each Contact. If it changes more Contacts, it sends a single event for the List, even if it
// needs several Updates. decisions.md: 52
func bulkWebhooks(o *accountFixture) {
	list := o.addList()
	for _, event := range []string{"created", "updated", "removed"} {
		o.addWebhook("contact", event)
	}
	target := o.webhook(o.addWebhook("list", "bulk_updated")).Target
	wantEvents := func(what string, want map[enlist.WebhookEventType]int) {
		o.Helper()
		got := make(map[enlist.WebhookEventType]int)
		o.update(func(tx *db.Tx) error {
			events, err := webhooks.WebhookEvents(tx, target, 0, 10_000)
			clear(got)
			for _, e := range events {
				if (e.Contact == 0) != (e.Event == enlist.WebhookBulkUpdated) {
					o.Errorf("%s: event %+v, want a Contact in every event except bulk_updated", what, e)
				}
				got[e.Event]++
			}
			return errors.Join(err, webhooks.RemoveWebhookEvents(tx, target, events))
		})
		same(o.T, what, got, want)
	}
	edit := func(ids []enlist.ContactID, to string) {
		o.Helper()
		rows := make([]contacts.EditRow, len(ids))
		for i, id := range ids {
			rows[i] = contacts.EditRow{ID: id, Details: details("Mobile Phone", to)}
		}
		_, err := o.service.Contacts.EditContacts(o.Context(), o.caller, contacts.EditRequest{List: list, Contacts: rows})
		o.must(err)
	}
	remove := func(ids []enlist.ContactID) {
		o.Helper()
		_, err := o.service.Contacts.DeleteContacts(o.Context(), o.caller, contacts.DeleteRequest{List: list, Contacts: ids})
		o.must(err)
	}
	bulk := map[enlist.WebhookEventType]int{enlist.WebhookBulkUpdated: 1}

	few := o.add(list, append(contactRows(100, "a"), details("Email", "no address")))
	wantEvents("100 added", map[enlist.WebhookEventType]int{enlist.WebhookCreated: 100})
	o.add(list, append(contactRows(1000, "b"), contactRows(many, "b")...))
	wantEvents("many added", bulk)
	o.add(list, append(contactRows(many, "b"), contactRows(100, "c")...))
	wantEvents("100 added after many that exist", map[enlist.WebhookEventType]int{enlist.WebhookCreated: 100})
	edit(few[:100], "0400000000")
	wantEvents("100 edited", map[enlist.WebhookEventType]int{enlist.WebhookUpdated: 100})
	edit(few[:100], "0400000000")
	wantEvents("100 edited without a change", map[enlist.WebhookEventType]int{})
	edit(o.all(list)[:101], "0400000001")
	wantEvents("101 edited", bulk)
	remove(append([]enlist.ContactID{1 << 40}, few[:100]...))
	wantEvents("100 removed", map[enlist.WebhookEventType]int{enlist.WebhookRemoved: 100})
	remove(o.all(list))
	wantEvents("many removed", bulk)
	remove(few[:100])
	wantEvents("none removed", map[enlist.WebhookEventType]int{})
}

// bulkFieldChange tests a Field that changes while a call runs. The next Updates of the call must
// use the new rules.
func bulkFieldChange(o *accountFixture) {
	list := o.addList()
	amount := o.addField(list, "name", "Amount", "type", "text")
	rows := contactRows(many, "a")
	for i := range rows {
		rows[i] = append(rows[i], details("Amount", fmt.Sprint("x", i))...)
	}
	between := &crashingStore{Engine: o.store, at: 3, then: func() {
		_, err := o.service.Lists.EditField(o.Context(), o.caller, list, amount, details("length", 3))
		o.must(err)
	}}
	service := app.New(between, o.clock)
	ids, err := service.Contacts.AddContacts(o.Context(), o.caller, contacts.AddRequest{List: list, Contacts: rows})
	o.must(err)
	for i, id := range ids {
		if (id != 0) != (i < 1000) {
			o.Fatalf("row %d with %q got the ID %d; want IDs only for the rows before 1000", i, fmt.Sprint("x", i), id)
		}
	}
}

// bulkDeliveries tests that deleting a Contact deletes the deliveries of this Contact only.
func bulkDeliveries(o *accountFixture) {
	list := o.addList()
	ids := o.add(list, contactRows(3, "a"))
	o.update(func(tx *db.Tx) error {
		for _, id := range ids {
			key := enlist.DeliveryKey{List: list, Contact: id, Time: 1, Cause: "c"}
			if err := messages.PutDelivery(tx, &messages.Delivery{DeliveryKey: key, Status: messages.DeliverySent}); err != nil {
				return err
			}
		}
		return nil
	})
	_, err := o.service.Contacts.DeleteContacts(o.Context(), o.caller, contacts.DeleteRequest{List: list, Contacts: ids[:2]})
	o.must(err)
	o.must(o.store.View(o.Context(), func(tx *db.Tx) error {
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
