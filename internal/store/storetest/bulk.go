package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/audience"
)

// Bulk tests the calls about many Contacts on a store. decisions.md: 53
func Bulk(t *testing.T, open func(t *testing.T) audience.Store) {
	t.Run("model", func(t *testing.T) { bulkAsTheModel(newAccountFixture(t, open)) })
	for name, test := range map[string]func(*accountFixture){
		"crashes": bulkCrashes, "crashes without a key": bulkCrashesWithoutKey, "twins": bulkSameKeyAtOnce, "at once": bulkConcurrent,
		"limit": bulkLimit, "limit at once": bulkLimitConcurrent, "webhooks": bulkWebhooks, "other Fields": bulkFieldChange,
		"a day later": bulkRetryExpiry, "deliveries": bulkDeliveries, "messages": bulkMessages,
	} {
		t.Run(name, func(t *testing.T) { test(newAccountFixture(t, open)) })
	}
}

// many is a number of Contacts that takes several Updates.
const many = 1700

// contactRows returns n rows, each with its own email address.
func contactRows(n int, prefix string) [][]audience.Detail {
	rows := make([][]audience.Detail, n)
	for i := range rows {
		rows[i] = details("Email", fmt.Sprintf("%s%d@example.com", prefix, i))
	}
	return rows
}

// add adds Contacts and returns their IDs.
func (o *accountFixture) add(list audience.ListID, rows [][]audience.Detail) []audience.ContactID {
	o.Helper()
	ids, err := o.service.AddContacts(o.Context(), o.caller, audience.AddRequest{List: list, Contacts: rows})
	o.must(err)
	return ids
}

// retrying returns the caller with an Idempotency-Key.
func (o *accountFixture) retrying(header string) *audience.Caller {
	with := *o.caller
	with.Retry = &audience.Retry{Header: header}
	return &with
}

// all returns the IDs of a List's Contacts.
func (o *accountFixture) all(list audience.ListID) (ids []audience.ContactID) {
	o.Helper()
	o.must(o.store.View(o.Context(), func(tx audience.Tx) error {
		ids = nil
		schema, err := tx.Schema(list)
		if err != nil {
			return err
		}
		return tx.SearchContacts(&audience.Search{Schema: schema}, func(c *audience.Contact) error {
			ids = append(ids, c.ID)
			return nil
		})
	}))
	return ids
}

// ledger returns the number of a Contact's ledger rows.
func (o *accountFixture) ledger(list audience.ListID, id audience.ContactID) int {
	o.Helper()
	rows, err := o.service.ContactConsents(o.Context(), o.caller, list, id, 0, 0)
	o.must(err)
	return len(rows)
}

// crashingStore is a Store whose nth Update fails, either before it runs or after its commit.
type crashingStore struct {
	audience.Store
	at    int
	after bool
	then  func() // instead of failing
	seen  int
}

var errCrash = errors.New("the process died")

func (c *crashingStore) Update(ctx context.Context, fn func(audience.Tx) error, hint ...audience.InsertsContact) error {
	c.seen++
	if c.seen != c.at {
		return c.Store.Update(ctx, fn, hint...)
	}
	if c.then != nil {
		c.then()
		return c.Store.Update(ctx, fn, hint...)
	}
	if !c.after {
		return errCrash
	}
	if err := c.Store.Update(ctx, fn, hint...); err != nil {
		return err
	}
	return errCrash
}

// crashes repeats a call until it succeeds. Each attempt simulates a process that dies one
// Update later than the one before.
func crashes[R any](o *accountFixture, call func(*audience.Service) (R, error)) R {
	o.Helper()
	for i := 2; ; i++ {
		store := &crashingStore{Store: o.store, at: i / 2, after: i%2 == 1}
		result, err := call(audience.NewService(store, o.clock))
		if err == nil {
			if i < 6 {
				o.Errorf("died only %d times", i-2)
			}
			return result
		}
		if !errors.Is(err, errCrash) {
			o.Fatal(err)
		}
	}
}

// bulkCrashes tests that a call with an Idempotency-Key executes each row once, however often
// the process dies, and that its reply is that of a call without crashes.
func bulkCrashes(o *accountFixture) {
	list := o.addList("disallow_duplicate_contacts", false)
	rows := contactRows(many, "a")
	rows[700] = details("Email", "no address")
	ids := crashes(o, func(s *audience.Service) ([]audience.ContactID, error) {
		return s.AddContacts(o.Context(), o.retrying("add"), audience.AddRequest{List: list, Contacts: rows})
	})
	left := slices.DeleteFunc(slices.Clone(ids), func(id audience.ContactID) bool { return id == 0 })
	if len(ids) != many || len(left) != many-1 || ids[700] != 0 {
		o.Fatalf("%d IDs, %d not 0, %d of the bad row", len(ids), len(left), ids[700])
	}
	same(o.T, "Contacts", o.all(list), left)
	for _, id := range left {
		if n := o.ledger(list, id); n != 1 {
			o.Fatalf("Contact %d has %d ledger rows", id, n)
		}
	}

	edits := make([]audience.EditRow, len(left))
	for i, id := range left {
		edits[i] = audience.EditRow{ID: id, Details: details("Mobile Phone", fmt.Sprintf("04%08d", i))}
	}
	edits[3].ID = 1 << 40
	edited := crashes(o, func(s *audience.Service) ([]audience.Outcome, error) {
		return s.EditContacts(o.Context(), o.retrying("edit"), audience.EditRequest{List: list, Contacts: edits})
	})
	for i, e := range edited {
		if e.Contact != edits[i].ID || e.Done != (i != 3) {
			o.Fatalf("edit %d: %+v", i, e)
		}
	}
	if n := o.count(list, "Mobile Phone", "starts_with", "04"); n != int64(len(left))-1 {
		o.Errorf("%d have a number", n)
	}

	// The 1,500 newest Contacts. A second search would find others, so the call must use its first result.
	newest := audience.DeleteRequest{List: list, Query: audience.Query{
		Criteria: &audience.Criteria{Key: "id", Operator: "greater_than", Value: input(0)}, Limit: 1500, SortBy: "id", Descending: true}}
	removed := crashes(o, func(s *audience.Service) ([]audience.Outcome, error) {
		return s.DeleteContacts(o.Context(), o.retrying("delete"), newest)
	})
	old := len(left) - 1500
	if len(removed) != 1500 || slices.ContainsFunc(removed, func(r audience.Outcome) bool { return !r.Done }) || removed[0].Contact != left[old] {
		o.Errorf("%d removed, from %v on", len(removed), removed[0])
	}
	same(o.T, "Contacts that are left", o.all(list), left[:old])

	if again, err := o.service.DeleteContacts(o.Context(), o.retrying("delete"), newest); err != nil || !slices.Equal(again, removed) {
		o.Errorf("the retry: %d outcomes, %v", len(again), err)
	}
	same(o.T, "Contacts after the retry", o.all(list), left[:old])
}

// bulkCrashesWithoutKey tests that a call without an Idempotency-Key keeps its committed
// Updates after a crash. The repeated call adds the other rows.
func bulkCrashesWithoutKey(o *accountFixture) {
	list := o.addList()
	rows := contactRows(many, "a")
	dying := audience.NewService(&crashingStore{Store: o.store, at: 3}, o.clock)
	if _, err := dying.AddContacts(o.Context(), o.caller, audience.AddRequest{List: list, Contacts: rows}); !errors.Is(err, errCrash) {
		o.Fatal(err)
	}
	begun := o.all(list)
	if len(begun) == 0 || len(begun) == many {
		o.Fatalf("%d were added before the crash", len(begun))
	}
	ids := o.add(list, rows)
	for i, id := range ids {
		if (id == 0) != (i < len(begun)) {
			o.Fatalf("row %d got the ID %d after %d were added before", i, id, len(begun))
		}
	}
	same(o.T, "Contacts", o.all(list), append(begun, ids[len(begun):]...))
}

// bulkSameKeyAtOnce: one concurrent copies of a call with one Idempotency-Key are executed
// once, and each gets the whole reply.
func bulkSameKeyAtOnce(o *accountFixture) {
	list := o.addList("disallow_duplicate_contacts", false)
	rows := contactRows(many, "a")
	const calls = 8
	added := make([][]audience.ContactID, calls)
	concurrently(o, calls, func(i int) (err error) {
		added[i], err = o.service.AddContacts(o.Context(), o.retrying("add"), audience.AddRequest{List: list, Contacts: rows})
		return err
	})
	for i := range added {
		same(o.T, "reply", added[i], added[0])
	}
	same(o.T, "Contacts", o.all(list), added[0])

	removed := make([][]audience.Outcome, calls)
	some := audience.Query{Criteria: &audience.Criteria{Key: "Email", Operator: "starts_with", Value: input("a")}, Limit: 900, SortBy: "Email"}
	concurrently(o, calls, func(i int) (err error) {
		removed[i], err = o.service.DeleteContacts(o.Context(), o.retrying("delete"), audience.DeleteRequest{List: list, Query: some})
		return err
	})
	for i := range removed {
		same(o.T, "reply", removed[i], removed[0])
	}
	if left := len(o.all(list)); left != many-900 || len(removed[0]) != 900 {
		o.Errorf("%d are left, and the reply names %d", left, len(removed[0]))
	}
}

// concurrently runs n calls at once and fails the test on an error.
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

// bulkConcurrent: concurrent calls that add, edit and delete the same Contacts never store
// an address twice, and the counters stay exact.
func bulkConcurrent(o *accountFixture) {
	list := o.addList()
	begun := o.add(list, contactRows(900, "a"))
	concurrently(o, 12, func(i int) error {
		switch i % 4 {
		case 0, 1:
			_, err := o.service.AddContacts(o.Context(), o.caller, audience.AddRequest{List: list, Contacts: contactRows(1200, "a"), Overwrite: i%2 == 0})
			return err
		case 2:
			rows := make([]audience.EditRow, len(begun))
			for j, id := range begun {
				rows[j] = audience.EditRow{ID: id, Details: details("Email", fmt.Sprintf("A%d@example.com", (j+i)%1200))}
			}
			_, err := o.service.EditContacts(o.Context(), o.caller, audience.EditRequest{List: list, Contacts: rows})
			if audience.KindOf(err) == audience.NothingUpdated {
				return nil
			}
			return err
		}
		_, err := o.service.DeleteContacts(o.Context(), o.caller, audience.DeleteRequest{List: list, Contacts: begun[i*20 : i*20+600]})
		return err
	})
	seen := make(map[string]bool)
	ids := o.all(list)
	for _, id := range ids {
		c := o.contact(list, id)
		if seen[c.Key] || !c.IsFirst || !strings.EqualFold(c.Key, c.Values[0].Text) {
			o.Errorf("Contact %d: %+v", id, c)
		}
		seen[c.Key] = true
	}
	o.counted(list, int64(len(ids)))
}

// counted checks the counters of a List and of the Account that has only it.
func (o *accountFixture) counted(list audience.ListID, want int64) {
	o.Helper()
	o.must(o.store.View(o.Context(), func(tx audience.Tx) error {
		inList, err := tx.ContactCount(list)
		inAccount, accountErr := tx.AccountContacts(o.caller.Account.ID)
		if inList != want || inAccount != want {
			o.Errorf("counted %d in the List and %d in the Account, want %d", inList, inAccount, want)
		}
		return errors.Join(err, accountErr)
	}))
}

// bulkLimit: a call that exceeds the Contact limit adds no Contact. decisions.md: 42
func bulkLimit(o *accountFixture) {
	list := o.addList()
	o.limit(many)
	o.add(list, contactRows(1000, "a"))
	_, err := o.service.AddContacts(o.Context(), o.caller, audience.AddRequest{List: list, Contacts: contactRows(many+1, "a")})
	o.refused(err, audience.ContactLimit, "1700 Contacts and has 1000")
	o.counted(list, 1000)
	if ids := o.add(list, contactRows(many, "a")); ids[999] != 0 || ids[1000] == 0 || ids[many-1] == 0 {
		o.Error("what fits was not added")
	}
	o.counted(list, many)
}

// bulkLimitConcurrent: concurrent calls never exceed the Contact limit, and a
// refused call adds no Contact.
func bulkLimitConcurrent(o *accountFixture) {
	list := o.addList()
	const limit, calls = 1500, 6
	o.limit(limit)
	var mu sync.Mutex
	added := int64(0)
	concurrently(o, calls, func(i int) error {
		ids, err := o.service.AddContacts(o.Context(), o.caller, audience.AddRequest{List: list, Contacts: contactRows(700, string(rune('a'+i)))})
		if audience.KindOf(err) == audience.ContactLimit {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		for _, id := range ids {
			if id != 0 {
				added++
			}
		}
		return err
	})
	if added > limit {
		o.Errorf("%d were added", added)
	}
	o.counted(list, added)
}

func (o *accountFixture) limit(n int64) {
	o.Helper()
	o.must(o.service.SetContactLimit(o.Context(), o.caller.Account.ID, n))
	o.update(func(tx audience.Tx) (err error) {
		o.caller.Account, err = tx.Account(o.caller.Account.ID)
		return err
	})
}

// bulkWebhooks: a call sends one event for each of up to 100 Contacts. For more it sends one
// event for the List, also if it takes several Updates. decisions.md: 52
func bulkWebhooks(o *accountFixture) {
	list := o.addList()
	for _, event := range []string{"created", "updated", "removed"} {
		o.addWebhook("contact", event)
	}
	target := o.webhook(o.addWebhook("list", "bulk_updated")).Target
	told := func(what string, want map[audience.WebhookEventType]int) {
		o.Helper()
		got := make(map[audience.WebhookEventType]int)
		o.update(func(tx audience.Tx) error {
			events, err := tx.WebhookEvents(target, 0, 10_000)
			clear(got)
			for _, e := range events {
				if (e.Contact == 0) != (e.Event == audience.WebhookBulkUpdated) {
					o.Errorf("%s: %+v", what, e)
				}
				got[e.Event]++
			}
			return errors.Join(err, tx.RemoveWebhookEvents(target, events))
		})
		same(o.T, what, got, want)
	}
	edit := func(ids []audience.ContactID, to string) {
		o.Helper()
		rows := make([]audience.EditRow, len(ids))
		for i, id := range ids {
			rows[i] = audience.EditRow{ID: id, Details: details("Mobile Phone", to)}
		}
		_, err := o.service.EditContacts(o.Context(), o.caller, audience.EditRequest{List: list, Contacts: rows})
		o.must(err)
	}
	remove := func(ids []audience.ContactID) {
		o.Helper()
		_, err := o.service.DeleteContacts(o.Context(), o.caller, audience.DeleteRequest{List: list, Contacts: ids})
		o.must(err)
	}
	bulk := map[audience.WebhookEventType]int{audience.WebhookBulkUpdated: 1}

	few := o.add(list, append(contactRows(100, "a"), details("Email", "nobody")))
	told("100 added", map[audience.WebhookEventType]int{audience.WebhookCreated: 100})
	o.add(list, append(contactRows(1000, "b"), contactRows(many, "b")...))
	told("many added", bulk)
	o.add(list, append(contactRows(many, "b"), contactRows(100, "c")...))
	told("100 added after many that are there", map[audience.WebhookEventType]int{audience.WebhookCreated: 100})
	edit(few[:100], "0400000000")
	told("100 edited", map[audience.WebhookEventType]int{audience.WebhookUpdated: 100})
	edit(few[:100], "0400000000")
	told("100 that stay as they are", map[audience.WebhookEventType]int{})
	edit(o.all(list)[:101], "0400000001")
	told("101 edited", bulk)
	remove(append([]audience.ContactID{1 << 40}, few[:100]...))
	told("100 removed", map[audience.WebhookEventType]int{audience.WebhookRemoved: 100})
	remove(o.all(list))
	told("many removed", bulk)
	remove(few[:100])
	told("none removed", map[audience.WebhookEventType]int{})
}

// bulkFieldChange: after a Field changes while a call runs, the next Updates of the call apply the new rules.
func bulkFieldChange(o *accountFixture) {
	list := o.addList()
	amount := o.addField(list, "name", "Amount", "type", "text")
	rows := contactRows(many, "a")
	for i := range rows {
		rows[i] = append(rows[i], details("Amount", fmt.Sprint("x", i))...)
	}
	between := &crashingStore{Store: o.store, at: 3, then: func() {
		_, err := o.service.EditField(o.Context(), o.caller, list, amount, details("length", 3))
		o.must(err)
	}}
	ids, err := audience.NewService(between, o.clock).AddContacts(o.Context(), o.caller, audience.AddRequest{List: list, Contacts: rows})
	o.must(err)
	for i, id := range ids {
		if (id != 0) != (i < 1000) {
			o.Fatalf("row %d with %q got the ID %d", i, fmt.Sprint("x", i), id)
		}
	}
}

// bulkRetryExpiry: all that is stored for an Idempotency-Key expires together, although several
// Updates stored it. decisions.md: 30
func bulkRetryExpiry(o *accountFixture) {
	list := o.addList()
	ids := o.add(list, contactRows(4, "a"))
	oldest := audience.DeleteRequest{List: list, Query: audience.Query{
		Criteria: &audience.Criteria{Key: "id", Operator: "greater_than", Value: input(0)}, Limit: 1, SortBy: "id"}}
	remove := func(s *audience.Service, want audience.ContactID) {
		o.Helper()
		got, err := s.DeleteContacts(o.Context(), o.retrying("oldest"), oldest)
		o.must(err)
		same(o.T, "removed", got, []audience.Outcome{{Contact: want, Done: true}})
	}
	slow := &crashingStore{Store: o.store, at: 2, then: func() { o.now = o.now.Add(5 * time.Second) }}
	remove(audience.NewService(slow, o.clock), ids[0])
	o.now = o.now.Add(audience.RetryLife*time.Second - 7*time.Second)
	remove(o.service, ids[0])
	o.now = o.now.Add(4 * time.Second) // the plan is a day old, the end of the call is not
	remove(o.service, ids[1])
	remove(o.service, ids[1])
	same(o.T, "Contacts", o.all(list), ids[2:])
	o.must(o.service.DeleteList(o.Context(), o.caller, list))
	remove(o.service, ids[1])
}

// bulkDeliveries: deleting a Contact deletes its deliveries and no others.
func bulkDeliveries(o *accountFixture) {
	list := o.addList()
	ids := o.add(list, contactRows(3, "a"))
	o.update(func(tx audience.Tx) error {
		for _, id := range ids {
			key := audience.DeliveryKey{List: list, Contact: id, Time: 1, Cause: "c"}
			if err := tx.PutDelivery(&audience.Delivery{DeliveryKey: key, Status: audience.DeliverySent}); err != nil {
				return err
			}
		}
		return nil
	})
	_, err := o.service.DeleteContacts(o.Context(), o.caller, audience.DeleteRequest{List: list, Contacts: ids[:2]})
	o.must(err)
	o.must(o.store.View(o.Context(), func(tx audience.Tx) error {
		for i, id := range ids {
			sent, err := tx.Deliveries(list, id, 0)
			ledger, ledgerErr := tx.LedgerRows(list, id, 0, 0)
			if (len(sent) == 1) != (i == 2) || len(ledger) != 1 {
				o.Errorf("Contact %d: %d deliveries, %d ledger rows", i, len(sent), len(ledger))
			}
			if err := errors.Join(err, ledgerErr); err != nil {
				return err
			}
		}
		return nil
	}))
}

// bulkMessages: if each Contact causes several mails, an Update takes fewer Contacts, and
// all mails are stored.
func bulkMessages(o *accountFixture) {
	list := o.addList("on_update_address", "a@example.com,b@example.com,c@example.com,d@example.com,e@example.com,f@example.com,g@example.com,h@example.com")
	ids := o.add(list, contactRows(350, "a"))
	rows := make([]audience.EditRow, len(ids))
	for i, id := range ids {
		rows[i] = audience.EditRow{ID: id, Details: details("Mobile Phone", "0400000000")}
	}
	counting := &countingStore{Store: o.store}
	_, err := audience.NewService(counting, o.clock).EditContacts(o.Context(), o.caller, audience.EditRequest{List: list, Contacts: rows, Trigger: true})
	o.must(err)
	if counting.effects != 8*350 || counting.most > 8*100 {
		o.Errorf("%d messages, %d in one Update", counting.effects, counting.most)
	}
}

// countingStore counts the effects that its Updates enqueue.
type countingStore struct {
	audience.Store
	effects, most int
}

func (c *countingStore) Update(ctx context.Context, fn func(audience.Tx) error, hint ...audience.InsertsContact) error {
	n := 0
	err := c.Store.Update(ctx, func(tx audience.Tx) error {
		n = 0
		return fn(countingTx{tx, &n})
	}, hint...)
	c.effects, c.most = c.effects+n, max(c.most, n)
	return err
}

type countingTx struct {
	audience.Tx
	n *int
}

func (c countingTx) Enqueue(e audience.Effect) error {
	*c.n++
	return c.Tx.Enqueue(e)
}
