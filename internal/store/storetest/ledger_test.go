package storetest

import (
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/messages"
)

// This file tests which changes of a subscription the consent ledger records.

// ledgerChanges tests the rows of changes without a consent. decisions.md: 89
func ledgerChanges(t *testing.T, e Engine) {
	runRules(t, e.Open, []accountRule{
		{"the ledger records confirmations and unsubscriptions, once each", changesAreRecorded},
		{"the ledger records the IP address of a visitor of a link", linksAreRecorded},
		{"the ledger records the IP address that a call sends", addressesOfCallsAreRecorded},
		{"unsubscribeContact with List 0 adds a row to each Contact with the address, and changes none", allListsAreRecorded},
		{"the ledger records the unsubscription of a complaint", complaintsAreRecorded},
		{"the newest consent stays the newest consent after an unsubscription", newestConsentStays},
	})
}

// ledgerOf returns the ledger of a Contact, newest first, with only the method, type and IP of each row.
func (o *accountFixture) ledgerOf(list enlist.ListID, id enlist.ContactID) (rows []enlist.LedgerRow) {
	o.Helper()
	view(o.T, o.store, func(tx *db.Tx) error {
		all, err := contacts.LedgerRows(tx, list, id, 0, 0)
		for _, r := range all {
			rows = append(rows, enlist.LedgerRow{Method: r.Method, Type: r.Type, IP: r.IP, KeyName: r.KeyName})
		}
		return err
	})
	return rows
}

// byKey is the ledger row of a call without a consent.
func byKey(method string) enlist.LedgerRow {
	return enlist.LedgerRow{Method: method, KeyName: "test key"}
}

var subscribed = enlist.LedgerRow{Method: "subscribeContact", Type: contacts.ConsentNotRecorded, KeyName: "test key"}

func changesAreRecorded(o *accountFixture) {
	list := o.addList()
	id := o.subscribe(list, "Email", "ann@example.com")
	for range 2 { // the second time nothing changes
		_, err := o.service.Contacts.Confirm(o.Context(), o.caller, contacts.ContactRequest{List: list, Contact: id})
		o.must(err)
	}
	for range 2 {
		_, err := o.service.Contacts.UnsubscribeByID(o.Context(), o.caller, contacts.ContactRequest{List: list, Contact: id})
		o.must(err)
	}
	o.subscribe(list, "Email", "ann@example.com")
	_, err := o.service.Contacts.Unsubscribe(o.Context(), o.caller, contacts.UnsubscribeRequest{List: list, Address: "ann@example.com"})
	o.must(err)
	same(o.T, "ledger", o.ledgerOf(list, id), []enlist.LedgerRow{
		byKey("unsubscribeContact"), subscribed, byKey("unsubscribeContactById"), byKey("confirmContact"), subscribed})
}

func linksAreRecorded(o *accountFixture) {
	list := o.addList("disallow_duplicate_contacts", false)
	first := o.subscribe(list, "Email", "ann@example.com")
	second := o.subscribe(list, "Email", "ann@example.com")
	d := enlist.DeliveryKey{List: list, Contact: first, Time: o.now.Unix(), Cause: messages.CauseConfirmation}
	for range 2 {
		_, err := o.service.Sending.ConfirmByLink(o.Context(), d, "2001:db8::1")
		o.must(err)
	}
	for range 2 {
		_, err := o.service.Sending.UnsubscribeByLink(o.Context(), d, "192.0.2.7")
		o.must(err)
	}
	left := enlist.LedgerRow{Method: contacts.MethodUnsubscribeLink, IP: "192.0.2.7"}
	same(o.T, "ledger", o.ledgerOf(list, first), []enlist.LedgerRow{
		left, {Method: contacts.MethodConfirmLink, IP: "2001:db8::1"}, subscribed})
	same(o.T, "ledger of the duplicate", o.ledgerOf(list, second), []enlist.LedgerRow{left, subscribed})
}

func addressesOfCallsAreRecorded(o *accountFixture) {
	list := o.addList("disallow_duplicate_contacts", true)
	const sent, stored = "[2001:db8::9]:443, 10.0.0.1", "2001:db8::9"
	add := contacts.AddRequest{List: list, Contacts: [][]enlist.Detail{details("Email", "ann@example.com")}, IP: sent}
	ids, err := o.service.Contacts.AddContacts(o.Context(), o.caller, add)
	o.must(err)
	one := contacts.ContactRequest{List: list, Contact: ids[0], IP: sent}
	_, err = o.service.Contacts.Confirm(o.Context(), o.caller, one)
	o.must(err)
	_, err = o.service.Contacts.UnsubscribeByID(o.Context(), o.caller, one)
	o.must(err)
	o.subscribe(list, "Email", "ann@example.com")
	all := contacts.UnsubscribeRequest{List: list, Address: "ann@example.com", IP: sent}
	_, err = o.service.Contacts.Unsubscribe(o.Context(), o.caller, all)
	o.must(err)
	from := func(method string, consent enlist.ConsentType) enlist.LedgerRow {
		return enlist.LedgerRow{Method: method, Type: consent, IP: stored, KeyName: "test key"}
	}
	want := []enlist.LedgerRow{from("unsubscribeContact", ""), subscribed, from("unsubscribeContactById", ""),
		from("confirmContact", ""), from("addContacts", contacts.ConsentNotRecorded)}
	same(o.T, "ledger", o.ledgerOf(list, ids[0]), want)

	add.IP, one.IP, all.IP = "localhost", "localhost", "localhost"
	add.Contacts[0] = details("Email", "bob@example.com")
	_, err = o.service.Contacts.AddContacts(o.Context(), o.caller, add)
	o.refused(err, enlist.InvalidParameters, "ip_address")
	_, err = o.service.Contacts.Confirm(o.Context(), o.caller, one)
	o.refused(err, enlist.InvalidParameters, "ip_address")
	_, err = o.service.Contacts.UnsubscribeByID(o.Context(), o.caller, one)
	o.refused(err, enlist.InvalidParameters, "ip_address")
	for _, all.List = range []enlist.ListID{list, 0} {
		_, err = o.service.Contacts.Unsubscribe(o.Context(), o.caller, all)
		o.refused(err, enlist.InvalidParameters, "ip_address")
	}
	same(o.T, "ledger after refused calls", o.ledgerOf(list, ids[0]), want)
	if n := o.list(list).ContactCount; n != 1 {
		o.Errorf("the List has %d Contacts, want 1", n)
	}
}

func allListsAreRecorded(o *accountFixture) {
	first, second, empty := o.addList("disallow_duplicate_contacts", false), o.addList(), o.addList()
	ann := o.subscribe(first, "Email", "ann@example.com")
	twice := o.subscribe(first, "Email", "ANN@example.com")
	other := o.subscribe(first, "Email", "bob@example.com")
	left := o.subscribe(second, "Email", "ann@example.com")
	called := o.subscribe(empty, "Mobile Phone", "0412345678")
	_, err := o.service.Contacts.UnsubscribeByID(o.Context(), o.caller, contacts.ContactRequest{List: second, Contact: left})
	o.must(err)
	r := contacts.UnsubscribeRequest{Address: "Ann@example.com", IP: "192.0.2.7"}
	caller := *o.caller
	caller.Retry = &enlist.Retry{Header: "once"}
	for range 2 { // the repeated call adds nothing
		_, err = o.service.Contacts.Unsubscribe(o.Context(), &caller, r)
		o.must(err)
	}
	row := enlist.LedgerRow{Method: contacts.MethodUnsubscribeAll, IP: "192.0.2.7", KeyName: "test key"}
	for _, id := range []enlist.ContactID{ann, twice} {
		same(o.T, "ledger", o.ledgerOf(first, id), []enlist.LedgerRow{row, subscribed})
		if o.contact(first, id).IsUnsubscribed {
			o.Errorf("the Contact %d is unsubscribed", id)
		}
	}
	same(o.T, "ledger of an unsubscribed Contact", o.ledgerOf(second, left),
		[]enlist.LedgerRow{row, byKey("unsubscribeContactById"), subscribed})
	same(o.T, "ledger of another address", o.ledgerOf(first, other), []enlist.LedgerRow{subscribed})
	_, err = o.service.Contacts.Unsubscribe(o.Context(), o.caller, contacts.UnsubscribeRequest{Address: "+61412345678"})
	o.must(err)
	same(o.T, "ledger of a mobile number", o.ledgerOf(empty, called), []enlist.LedgerRow{byKey(contacts.MethodUnsubscribeAll), subscribed})
	n, err := o.service.Contacts.CountUnsubscribers(o.Context(), o.caller, 0, triple("list_id", "exactly", 0))
	o.must(err)
	if n != 2 {
		o.Errorf("the Unsubscriber List has %d entries for all Lists, want 2", n)
	}
	_, err = o.service.Contacts.Unsubscribe(o.Context(), o.restricted(first), r)
	o.refused(err, enlist.Denied, "")
}

func complaintsAreRecorded(o *accountFixture) {
	list := o.addList()
	id := o.subscribe(list, "Email", "ann@example.com")
	_, err := o.service.Sending.Complained(o.Context(), enlist.DeliveryKey{List: list, Contact: id, Time: 1, Cause: "c"}, "abuse")
	o.must(err)
	same(o.T, "ledger", o.ledgerOf(list, id), []enlist.LedgerRow{{Method: contacts.MethodComplaint}, subscribed})
}

// The notification of a subscription and its page show a consent, never another change.
func newestConsentStays(o *accountFixture) {
	list, at := o.addList(), o.now.Unix()
	id := o.subscribe(list, "Email", "ann@example.com")
	_, err := o.service.Contacts.UnsubscribeByID(o.Context(), o.caller, contacts.ContactRequest{List: list, Contact: id})
	o.must(err)
	d := enlist.DeliveryKey{List: list, Contact: id, Time: at}
	page, err := o.service.Sending.ViewContactPage(o.Context(), d)
	o.must(err)
	n, err := o.service.Messages.Notifications(o.Context(), []events.Notify{{List: list, Contact: id, Event: enlist.EventSubscribe, Time: at}})
	o.must(err)
	for what, row := range map[string]*enlist.LedgerRow{"page": page.Consent, "notification": n[0].Consent} {
		if row == nil || row.Method != "subscribeContact" {
			o.Errorf("the %s shows the consent %+v, want the one of subscribeContact", what, row)
		}
	}
	for changes, want := range map[bool]int{false: 1, true: 2} {
		var w rows[enlist.LedgerRow]
		o.must(o.service.Contacts.ContactConsents(o.Context(), o.caller, contacts.LedgerQuery{List: list, Contact: id, Changes: changes}, &w))
		if len(w.all) != want {
			o.Errorf("with changes %v, the ledger has %d rows, want %d", changes, len(w.all), want)
		}
	}
}
