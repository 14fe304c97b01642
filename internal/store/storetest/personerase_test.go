package storetest

import (
	"fmt"
	"strings"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/messages"
	"enlist/internal/privacy"
)

// This file tests the erasure of everything that is stored about a person.

// personSections has the sections of an export in which every row is about the person.
var personSections = []privacy.PersonSection{privacy.PersonContacts, privacy.PersonConsents, privacy.PersonUnsubscribed,
	privacy.PersonMails, privacy.PersonBatchMails, privacy.PersonBatchEvents, privacy.PersonWebhookEvents,
	privacy.PersonJobs, privacy.PersonImports, privacy.PersonSavedResults}

func (o *accountFixture) erase(address string) *privacy.Erasure {
	o.Helper()
	erased, err := o.service.Privacy.ErasePerson(o.Context(), o.caller, address)
	o.must(err)
	return erased
}

// wantErased checks that an export finds nothing in the sections.
func (o *accountFixture) wantErased(address string) {
	o.Helper()
	rows := o.export(o.caller, address)
	for _, s := range personSections {
		o.wantRows(rows, s)
	}
}

// personWithEverything stores rows of all sections about ann@example.com, and returns the IDs of Ann in the List, and of
// a Contact that had her address before.
func (f *batchFixture) personWithEverything() (ann, bob enlist.ContactID) {
	f.Helper()
	_, err := f.service.Webhooks.AddWebhook(f.Context(), f.caller, details("object", "contact", "event", "subscribed", "url", "https://hooks.example.com/"))
	f.must(err)
	_, err = f.service.Contacts.Subscribe(f.Context(), f.caller, contacts.SubscribeRequest{List: f.news, Details: details("Email", "Ann@example.com", "Mobile Phone", "0412 345 678"),
		Consent: contacts.Consent{Type: enlist.ConsentGDPR, Text: "I, Ann, agree.", IP: "192.0.2.1"}})
	f.must(err)
	ann = f.all(f.news)[0]
	bob = f.subscribe(f.news, "Email", "bob@example.com")
	f.add(whole(f.news))
	f.sendAll(nil)
	f.add(batches.PopulationRequest{List: f.news, Type: "contacts", Contacts: []enlist.ContactID{ann}}) // waits
	f.update(func(tx *db.Tx) error {
		for i, contact := range []enlist.ContactID{ann, bob} {
			d := messages.Delivery{DeliveryKey: enlist.DeliveryKey{List: f.news, Contact: contact, Time: int64(i), Cause: "c"},
				Address: "ann@example.com", Subject: "Ann, please confirm", Status: messages.DeliverySent, SentTime: 6}
			if err := messages.PutDelivery(tx, &d); err != nil {
				return err
			}
		}
		r, err := batches.LoadRecipient(tx, f.news, 1, bob)
		if err != nil {
			return err
		}
		r.Address, r.Detail = "ANN@example.com", "550 no mailbox for ann@example.com"
		return batches.SetRecipient(tx, r)
	})
	i, err := f.service.Imports.AddImport(f.Context(), f.caller, imports.NewImport{ImportOptions: imports.ImportOptions{List: f.news, FileName: "p.csv"},
		File: strings.NewReader("Email\nann@example.com\nann@example.com@example.com\ncarl@example.com\n")})
	f.must(err)
	f.must(f.service.Imports.RunImport(f.Context(), i.ID))
	f.update(func(tx *db.Tx) error {
		return tx.SaveRetry(f.caller.Account.ID, f.caller.Key.ID, &enlist.Retry{Header: "h"}, []byte(`{"to":"ann@example.com"}`), f.now.Unix())
	})
	_, err = f.service.Contacts.Unsubscribe(f.Context(), f.caller, contacts.UnsubscribeRequest{List: f.news, Address: "ann@example.com"})
	f.must(err)
	return ann, bob
}

func eraseLeavesNothing(o *accountFixture) {
	f := &batchFixture{accountFixture: o}
	o.service.Messages.SetComposer(&f.composer)
	f.message, f.news = f.addMessage("May"), f.addList("on_register_address", "owner@example.com", "track_opens", true)
	ann, bob := f.personWithEverything()
	o.must(o.service.Sending.Opened(o.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: enlist.DeliveryKey{List: f.news, Contact: ann,
		Time: o.now.Unix(), Cause: batches.CauseBatch(1)}}, personAgent))
	before, counts := o.export(o.caller, "ann@example.com"), f.batch(1).BatchCounts
	plan, err := o.service.Privacy.PlanErasure(o.Context(), o.caller, "ann@example.com")
	o.must(err)
	for i, s := range personSections {
		if len(before[s]) == 0 {
			o.Errorf("the test stores nothing in the section %s", s)
		}
		if plan.Rows[i] != (privacy.ErasedRows{Section: s, Rows: int64(len(before[s]))}) {
			o.Errorf("the plan has %+v, want %d rows of %s", plan.Rows[i], len(before[s]), s)
		}
	}
	others := o.export(o.caller, "bob@example.com")
	ledger := o.ledgerOf(f.news, ann)
	if erased := o.erase("ANN@example.com"); fmt.Sprint(erased) != fmt.Sprint(plan) {
		o.Errorf("erased %v, want what was planned: %v", erased, plan)
	}
	o.wantErased("ann@example.com")
	if b := f.batch(1).BatchCounts; b != counts || b.Sent != 2 {
		o.Errorf("the Batch has the counts %+v, want as before: %+v", b, counts)
	}
	after := o.export(o.caller, "bob@example.com")
	for _, s := range []privacy.PersonSection{privacy.PersonContacts, privacy.PersonConsents, privacy.PersonJobs} {
		o.wantRows(after, s, others[s]...)
	}
	o.wantRows(after, privacy.PersonMails, "address=erased subject= ")
	kept := o.ledgerOf(f.news, ann)
	if len(kept) != len(ledger)+1 || kept[0].Method != contacts.MethodErasure {
		o.Fatalf("the ledger has %+v, want the rows as before and one of the erasure", kept)
	}
	for i, r := range kept[1:] {
		if r.Text != "" || r.IP != "" || r.Preferences != nil || r.Method != ledger[i].Method || r.Time != ledger[i].Time || r.Type != ledger[i].Type {
			o.Errorf("the ledger has %+v, want %+v without what says something about the person", r, ledger[i])
		}
	}
	o.run("a link in a mail to the erased address shows nothing", func() {
		v, err := o.service.Sending.ViewLink(o.Context(), enlist.DeliveryKey{List: f.news, Contact: bob, Time: 1, Cause: "c"})
		if err != nil || v.Contact != nil {
			o.Errorf("the link shows %+v, error %v", v.Contact, err)
		}
	})
}

func erasedStaysUnsubscribed(o *accountFixture) {
	list, other := o.addList(), o.addList()
	o.subscribe(list, "Email", "ann@example.com", "Mobile Phone", "0412345678")
	o.erase("ann@example.com")
	o.subscribe(list, "Email", "bea@example.com")
	added, err := o.service.Contacts.AddContacts(o.Context(), o.caller, contacts.AddRequest{List: other, Skip: contacts.SkipUnsubscribed, Contacts: [][]enlist.Detail{
		details("Email", "Ann@Example.com"), details("Mobile Phone", "0412 345 678"), details("Email", "carl@example.com")}})
	o.must(err)
	if added[0]+added[1] != 0 || o.list(other).ContactCount != 1 {
		o.Errorf("addContacts added %v, want only carl", added)
	}
	f := &importFixture{accountFixture: o, id: other}
	if i := f.runs("Email\nann@example.com\ndora@example.com\n", nil); i.Added != 1 || i.Skipped != 1 {
		o.Errorf("the import has %+v, want one row added and one skipped", i.ImportCounts)
	}
	if i := f.runs("Email\nann@example.com\n", func(o *imports.ImportOptions) { o.Skip, o.DryRun = imports.SkipNoAddress, true }); i.Added != 1 {
		o.Errorf("the import without skip has %+v, want the address added, as its caller says", i.ImportCounts)
	}
	if i := f.runs("Email\nann@example.com\n", func(o *imports.ImportOptions) { o.As = imports.AsUnsubscribers }); i.Skipped+i.Unchanged != 1 {
		o.Errorf("the import of unsubscribers has %+v, want the address as known", i.ImportCounts)
	}
	found, err := collectUnsubscribers(o)
	if err != nil || len(found) != 2 || strings.Contains(found[0]+found[1], "ann") || !strings.HasPrefix(found[0], "mobile 0 0 erased:") {
		o.Errorf("the Unsubscriber List has %q, error %v; want two erased addresses", found, err)
	}
	for address, want := range map[string]int64{"ANN@example.com": 1, "0412345678": 1, "+61412345678": 1, "bea@example.com": 0} {
		n, err := o.service.Contacts.CountUnsubscribers(o.Context(), o.caller, 0, triple("address", "exactly", address))
		if err != nil || n != want {
			o.Errorf("a search of the Unsubscriber List for %s finds %d entries, error %v; want %d", address, n, err, want)
		}
	}
	if n, err := o.service.Contacts.CountUnsubscribers(o.Context(), o.caller, 0, triple("address", "in", []any{"ann@example.com", "bea@example.com"})); err != nil || n != 1 {
		o.Errorf("a search for two addresses finds %d entries, error %v; want 1", n, err)
	}
	_, err = o.service.Contacts.Unsubscribe(o.Context(), o.caller, contacts.UnsubscribeRequest{List: 0, Address: "Ann@example.com"})
	o.must(err)
	if again, err := collectUnsubscribers(o); err != nil || fmt.Sprint(again) != fmt.Sprint(found) {
		o.Errorf("after unsubscribeContact the Unsubscriber List has %q, error %v; want no other entry", again, err)
	}
	foreign := o.newCaller()
	o.update(func(tx *db.Tx) error {
		known, err := contacts.UnsubscribedAmong(tx, foreign.Account.ID, 0, []string{"ann@example.com"})
		if len(known) > 0 {
			o.Error("the address counts as erased in another Account")
		}
		return err
	})
	o.subscribe(list, "Email", "ann@example.com") // the person's own will
	if n := o.count(list, "Email", "exactly", "ann@example.com"); n != 1 {
		o.Errorf("after the subscription there are %d Contacts, want 1", n)
	}
}

func collectUnsubscribers(o *accountFixture) (found []string, err error) {
	return found, o.store.View(o.Context(), func(tx *db.Tx) error {
		return contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: o.caller.Account.ID}, func(u *contacts.Unsubscriber) error {
			found = append(found, fmt.Sprintf("%s %d %d %s", u.AddressType, u.ListID, u.ContactID, u.Address))
			return nil
		})
	})
}

func eraseFormerContacts(o *accountFixture) {
	list := o.addList()
	id := o.subscribe(list, "Email", "ann@example.com")
	_, err := o.service.Contacts.Unsubscribe(o.Context(), o.caller, contacts.UnsubscribeRequest{List: list, Address: "ann@example.com"})
	o.must(err)
	o.update(func(tx *db.Tx) error {
		return contacts.AddLedgerRow(tx, &enlist.LedgerRow{ListID: list, ContactID: id, Text: "I, Ann, agree.", IP: "192.0.2.1"})
	})
	_, err = o.service.Contacts.DeleteContacts(o.Context(), o.caller, contacts.DeleteRequest{List: list, Contacts: []enlist.ContactID{id}})
	o.must(err)
	if rows := o.export(o.caller, "ann@example.com")[privacy.PersonConsents]; len(rows) != 3 {
		o.Errorf("the export has %d consents, want 3: %q", len(rows), rows)
	}
	o.erase("ann@example.com")
	for _, r := range o.ledgerOf(list, id) {
		if r.Text != "" || r.IP != "" {
			o.Errorf("the ledger still has %+v", r)
		}
	}
	o.wantErased("ann@example.com")
}

func eraseContinues(o *accountFixture) {
	f := &batchFixture{accountFixture: o}
	o.service.Messages.SetComposer(&f.composer)
	f.message, f.news = f.addMessage("May"), f.addList()
	f.personWithEverything()
	crashes(o, func(s *app.App) (*privacy.Erasure, error) {
		return s.Privacy.ErasePerson(o.Context(), o.caller, "ann@example.com")
	})
	o.wantErased("ann@example.com")
	if found, err := collectUnsubscribers(o); err != nil || len(found) < 2 || strings.Contains(fmt.Sprint(found), "ann") {
		o.Errorf("the Unsubscriber List has %q, error %v", found, err)
	}
	if kept := o.ledgerOf(f.news, 1); len(kept) == 0 || kept[len(kept)-1].IP != "" {
		o.Errorf("the ledger has %+v", kept)
	}
}

func eraseIsRefused(o *accountFixture) {
	list := o.addList("on_register_address", "ann@example.com")
	o.subscribe(list, "Email", "ann@example.com")
	_, err := o.service.Privacy.ErasePerson(o.Context(), o.caller, "not-an-address")
	o.refused(err, enlist.InvalidParameters, "address")
	_, err = o.service.Privacy.ErasePerson(o.Context(), o.restricted(list), "ann@example.com")
	o.refused(err, enlist.Denied, "")
	i, err := o.service.Imports.AddImport(o.Context(), o.caller, imports.NewImport{ImportOptions: imports.ImportOptions{List: list, FileName: "p.csv"}, File: strings.NewReader("Email\nann@example.com\n")})
	o.must(err)
	_, err = o.service.Privacy.ErasePerson(o.Context(), o.caller, "ann@example.com")
	o.refused(err, enlist.Busy, fmt.Sprintf("import %d has not ended", i.ID))
	o.must(o.service.Imports.CancelImport(o.Context(), o.caller, i.ID))
	if left := o.erase("ann@example.com").Left; fmt.Sprint(left) != fmt.Sprintf("[list %d]", list) {
		o.Errorf("left is %q, want the List that has the address as its own", left)
	}
	o.update(func(tx *db.Tx) error {
		if released, err := privacy.ReleasedContents(tx, o.caller.Account.ID); err != nil || len(released) > 0 {
			o.Errorf("the contents %v of files are still there, error %v", released, err)
		}
		return nil
	})
}
