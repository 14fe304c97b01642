package contacts_test

import (
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/messages"
)

// This file tests which changes of a subscription the consent ledger records.

// covers: decision 89
func TestConsentLedger(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "the ledger records confirmations and unsubscriptions, once each", Test: changesAreRecorded},
		{Name: "the ledger records the IP address of a visitor of a link", Test: linksAreRecorded},
		{Name: "the ledger records the IP address that a call sends", Test: addressesOfCallsAreRecorded},
		{Name: "unsubscribeContact with List 0 adds a row to each Contact with the address, and changes none", Test: allListsAreRecorded},
		{Name: "the ledger records the unsubscription of a complaint", Test: complaintsAreRecorded},
		{Name: "the newest consent stays the newest consent after an unsubscription", Test: newestConsentStays},
	})
}

// byKey is the ledger row of a call without a consent.
func byKey(method string) enlist.LedgerRow {
	return enlist.LedgerRow{Method: method, KeyName: "test key"}
}

var subscribed = enlist.LedgerRow{Method: "subscribeContact", Type: contacts.ConsentNotRecorded, KeyName: "test key"}

func changesAreRecorded(o *apptest.Account) {
	list := o.AddList()
	id := o.Subscribe(list, "Email", "ann@example.com")
	for range 2 { // the second time nothing changes
		_, err := o.App.Contacts.Confirm(o.Context(), o.Caller, contacts.ContactRequest{List: list, Contact: id})
		o.Must(err)
	}
	for range 2 {
		_, err := o.App.Contacts.UnsubscribeByID(o.Context(), o.Caller, contacts.ContactRequest{List: list, Contact: id})
		o.Must(err)
	}
	o.Subscribe(list, "Email", "ann@example.com")
	_, err := o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{List: list, Address: "ann@example.com"})
	o.Must(err)
	apptest.Same(o.T, "ledger", o.LedgerOf(list, id), []enlist.LedgerRow{
		byKey("unsubscribeContact"), subscribed, byKey("unsubscribeContactById"), byKey("confirmContact"), subscribed})
}

func linksAreRecorded(o *apptest.Account) {
	list := o.AddList("disallow_duplicate_contacts", false)
	first := o.Subscribe(list, "Email", "ann@example.com")
	second := o.Subscribe(list, "Email", "ann@example.com")
	d := enlist.DeliveryKey{List: list, Contact: first, Time: o.Now.Unix(), Cause: messages.CauseConfirmation}
	for range 2 {
		_, err := o.App.Sending.ConfirmByLink(o.Context(), d, "2001:db8::1", nil)
		o.Must(err)
	}
	for range 2 {
		_, err := o.App.Sending.UnsubscribeByLink(o.Context(), d, "192.0.2.7")
		o.Must(err)
	}
	left := enlist.LedgerRow{Method: contacts.MethodUnsubscribeLink, IP: "192.0.2.7"}
	apptest.Same(o.T, "ledger", o.LedgerOf(list, first), []enlist.LedgerRow{
		left, {Method: contacts.MethodConfirmLink, IP: "2001:db8::1"}, subscribed})
	apptest.Same(o.T, "ledger of the duplicate", o.LedgerOf(list, second), []enlist.LedgerRow{left, subscribed})
}

func addressesOfCallsAreRecorded(o *apptest.Account) {
	list := o.AddList("disallow_duplicate_contacts", true)
	const sent, stored = "[2001:db8::9]:443, 10.0.0.1", "2001:db8::9"
	add := contacts.AddRequest{List: list, Contacts: [][]enlist.Detail{apptest.Details("Email", "ann@example.com")}, IP: sent}
	ids, err := o.App.Contacts.AddContacts(o.Context(), o.Caller, add)
	o.Must(err)
	one := contacts.ContactRequest{List: list, Contact: ids[0], IP: sent}
	_, err = o.App.Contacts.Confirm(o.Context(), o.Caller, one)
	o.Must(err)
	_, err = o.App.Contacts.UnsubscribeByID(o.Context(), o.Caller, one)
	o.Must(err)
	o.Subscribe(list, "Email", "ann@example.com")
	all := contacts.UnsubscribeRequest{List: list, Address: "ann@example.com", IP: sent}
	_, err = o.App.Contacts.Unsubscribe(o.Context(), o.Caller, all)
	o.Must(err)
	from := func(method string, consent enlist.ConsentType) enlist.LedgerRow {
		return enlist.LedgerRow{Method: method, Type: consent, IP: stored, KeyName: "test key"}
	}
	want := []enlist.LedgerRow{from("unsubscribeContact", ""), subscribed, from("unsubscribeContactById", ""),
		from("confirmContact", ""), from("addContacts", contacts.ConsentNotRecorded)}
	apptest.Same(o.T, "ledger", o.LedgerOf(list, ids[0]), want)

	add.IP, one.IP, all.IP = "localhost", "localhost", "localhost"
	add.Contacts[0] = apptest.Details("Email", "bob@example.com")
	_, err = o.App.Contacts.AddContacts(o.Context(), o.Caller, add)
	o.Refused(err, enlist.InvalidParameters, "ip_address")
	_, err = o.App.Contacts.Confirm(o.Context(), o.Caller, one)
	o.Refused(err, enlist.InvalidParameters, "ip_address")
	_, err = o.App.Contacts.UnsubscribeByID(o.Context(), o.Caller, one)
	o.Refused(err, enlist.InvalidParameters, "ip_address")
	for _, all.List = range []enlist.ListID{list, 0} {
		_, err = o.App.Contacts.Unsubscribe(o.Context(), o.Caller, all)
		o.Refused(err, enlist.InvalidParameters, "ip_address")
	}
	apptest.Same(o.T, "ledger after refused calls", o.LedgerOf(list, ids[0]), want)
	if n := o.List(list).ContactCount; n != 1 {
		o.Errorf("the List has %d Contacts, want 1", n)
	}
}

func allListsAreRecorded(o *apptest.Account) {
	first, second, empty := o.AddList("disallow_duplicate_contacts", false), o.AddList(), o.AddList()
	ann := o.Subscribe(first, "Email", "ann@example.com")
	twice := o.Subscribe(first, "Email", "ANN@example.com")
	other := o.Subscribe(first, "Email", "bob@example.com")
	left := o.Subscribe(second, "Email", "ann@example.com")
	called := o.Subscribe(empty, "Mobile Phone", "0412345678")
	_, err := o.App.Contacts.UnsubscribeByID(o.Context(), o.Caller, contacts.ContactRequest{List: second, Contact: left})
	o.Must(err)
	r := contacts.UnsubscribeRequest{Address: "Ann@example.com", IP: "192.0.2.7"}
	caller := *o.Caller
	caller.Retry = &enlist.Retry{Header: "once"}
	for range 2 { // the repeated call adds nothing
		_, err = o.App.Contacts.Unsubscribe(o.Context(), &caller, r)
		o.Must(err)
	}
	row := enlist.LedgerRow{Method: contacts.MethodUnsubscribeAll, IP: "192.0.2.7", KeyName: "test key"}
	for _, id := range []enlist.ContactID{ann, twice} {
		apptest.Same(o.T, "ledger", o.LedgerOf(first, id), []enlist.LedgerRow{row, subscribed})
		if o.Contact(first, id).IsUnsubscribed {
			o.Errorf("the Contact %d is unsubscribed", id)
		}
	}
	apptest.Same(o.T, "ledger of an unsubscribed Contact", o.LedgerOf(second, left),
		[]enlist.LedgerRow{row, byKey("unsubscribeContactById"), subscribed})
	apptest.Same(o.T, "ledger of another address", o.LedgerOf(first, other), []enlist.LedgerRow{subscribed})
	_, err = o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{Address: "+61412345678"})
	o.Must(err)
	apptest.Same(o.T, "ledger of a mobile number", o.LedgerOf(empty, called), []enlist.LedgerRow{byKey(contacts.MethodUnsubscribeAll), subscribed})
	n, err := o.App.Contacts.CountUnsubscribers(o.Context(), o.Caller, 0, apptest.Criterion("list_id", "exactly", 0))
	o.Must(err)
	if n != 2 {
		o.Errorf("the Unsubscriber List has %d entries for all Lists, want 2", n)
	}
	_, err = o.App.Contacts.Unsubscribe(o.Context(), o.Restricted(first), r)
	o.Refused(err, enlist.Denied, "")
}

func complaintsAreRecorded(o *apptest.Account) {
	list := o.AddList()
	id := o.Subscribe(list, "Email", "ann@example.com")
	_, err := o.App.Sending.Complained(o.Context(), enlist.DeliveryKey{List: list, Contact: id, Time: 1, Cause: "c"}, "abuse")
	o.Must(err)
	apptest.Same(o.T, "ledger", o.LedgerOf(list, id), []enlist.LedgerRow{{Method: contacts.MethodComplaint}, subscribed})
}

// The notification of a subscription and its page show a consent, never another change.
func newestConsentStays(o *apptest.Account) {
	list, at := o.AddList(), o.Now.Unix()
	id := o.Subscribe(list, "Email", "ann@example.com")
	_, err := o.App.Contacts.UnsubscribeByID(o.Context(), o.Caller, contacts.ContactRequest{List: list, Contact: id})
	o.Must(err)
	d := enlist.DeliveryKey{List: list, Contact: id, Time: at}
	page, err := o.App.Sending.ViewContactPage(o.Context(), d)
	o.Must(err)
	n, err := o.App.Messages.Notifications(o.Context(), []events.Notify{{List: list, Contact: id, Event: enlist.EventSubscribe, Time: at}})
	o.Must(err)
	for what, row := range map[string]*enlist.LedgerRow{"page": page.Consent, "notification": n[0].Consent} {
		if row == nil || row.Method != "subscribeContact" {
			o.Errorf("the %s shows the consent %+v, want the one of subscribeContact", what, row)
		}
	}
	for changes, want := range map[bool]int{false: 1, true: 2} {
		var w apptest.Rows[enlist.LedgerRow]
		o.Must(o.App.Contacts.ContactConsents(o.Context(), o.Caller, contacts.LedgerQuery{List: list, Contact: id, Changes: changes}, &w))
		if len(w.All) != want {
			o.Errorf("with changes %v, the ledger has %d rows, want %d", changes, len(w.All), want)
		}
	}
}
