package storetest

import (
	"testing"

	"enlist/internal/audience"
)

// This file tests which changes of a subscription the consent ledger records.

// ledgerChanges tests the rows of changes without a consent. decisions.md: 89
func ledgerChanges(t *testing.T, e Engine) {
	runRules(t, e.Open, []accountRule{
		{"the ledger records confirmations and unsubscriptions, once each", changesAreRecorded},
		{"the ledger records the IP address of a visitor of a link", linksAreRecorded},
		{"the ledger records the unsubscription of a complaint", complaintsAreRecorded},
		{"the newest consent stays the newest consent after an unsubscription", newestConsentStays},
	})
}

// ledgerOf returns the ledger of a Contact, newest first, with only the method, type and IP of each row.
func (o *accountFixture) ledgerOf(list audience.ListID, id audience.ContactID) (rows []audience.LedgerRow) {
	o.Helper()
	view(o.T, o.store, func(tx audience.Tx) error {
		all, err := tx.LedgerRows(list, id, 0, 0)
		for _, r := range all {
			rows = append(rows, audience.LedgerRow{Method: r.Method, Type: r.Type, IP: r.IP, KeyName: r.KeyName})
		}
		return err
	})
	return rows
}

// byKey is the ledger row of a call without a consent.
func byKey(method string) audience.LedgerRow {
	return audience.LedgerRow{Method: method, KeyName: "test key"}
}

var subscribed = audience.LedgerRow{Method: "subscribeContact", Type: audience.ConsentNotRecorded, KeyName: "test key"}

func changesAreRecorded(o *accountFixture) {
	list := o.addList()
	id := o.subscribe(list, "Email", "ann@example.com")
	for range 2 { // the second time nothing changes
		_, err := o.service.Confirm(o.Context(), o.caller, list, id)
		o.must(err)
	}
	for range 2 {
		_, err := o.service.UnsubscribeByID(o.Context(), o.caller, list, id)
		o.must(err)
	}
	o.subscribe(list, "Email", "ann@example.com")
	_, err := o.service.Unsubscribe(o.Context(), o.caller, list, "ann@example.com")
	o.must(err)
	same(o.T, "ledger", o.ledgerOf(list, id), []audience.LedgerRow{
		byKey("unsubscribeContact"), subscribed, byKey("unsubscribeContactById"), byKey("confirmContact"), subscribed})
}

func linksAreRecorded(o *accountFixture) {
	list := o.addList("disallow_duplicate_contacts", false)
	first := o.subscribe(list, "Email", "ann@example.com")
	second := o.subscribe(list, "Email", "ann@example.com")
	d := audience.DeliveryKey{List: list, Contact: first, Time: o.now.Unix(), Cause: audience.CauseConfirmation}
	for range 2 {
		_, err := o.service.ConfirmByLink(o.Context(), d, "2001:db8::1")
		o.must(err)
	}
	for range 2 {
		_, err := o.service.UnsubscribeByLink(o.Context(), d, "192.0.2.7")
		o.must(err)
	}
	left := audience.LedgerRow{Method: audience.MethodUnsubscribeLink, IP: "192.0.2.7"}
	same(o.T, "ledger", o.ledgerOf(list, first), []audience.LedgerRow{
		left, {Method: audience.MethodConfirmLink, IP: "2001:db8::1"}, subscribed})
	same(o.T, "ledger of the duplicate", o.ledgerOf(list, second), []audience.LedgerRow{left, subscribed})
}

func complaintsAreRecorded(o *accountFixture) {
	list := o.addList()
	id := o.subscribe(list, "Email", "ann@example.com")
	_, err := o.service.Complained(o.Context(), audience.DeliveryKey{List: list, Contact: id, Time: 1, Cause: "c"}, "abuse")
	o.must(err)
	same(o.T, "ledger", o.ledgerOf(list, id), []audience.LedgerRow{{Method: audience.MethodComplaint}, subscribed})
}

// The notification of a subscription and its page show a consent, never another change.
func newestConsentStays(o *accountFixture) {
	list, at := o.addList(), o.now.Unix()
	id := o.subscribe(list, "Email", "ann@example.com")
	_, err := o.service.UnsubscribeByID(o.Context(), o.caller, list, id)
	o.must(err)
	d := audience.DeliveryKey{List: list, Contact: id, Time: at}
	page, err := o.service.ViewContactPage(o.Context(), d)
	o.must(err)
	n, err := o.service.Notifications(o.Context(), []audience.Notify{{List: list, Contact: id, Event: audience.EventSubscribe, Time: at}})
	o.must(err)
	for what, row := range map[string]*audience.LedgerRow{"page": page.Consent, "notification": n[0].Consent} {
		if row == nil || row.Method != "subscribeContact" {
			o.Errorf("the %s shows the consent %+v, want the one of subscribeContact", what, row)
		}
	}
	for changes, want := range map[bool]int{false: 1, true: 2} {
		var w rows[audience.LedgerRow]
		o.must(o.service.ContactConsents(o.Context(), o.caller, audience.LedgerQuery{List: list, Contact: id, Changes: changes}, &w))
		if len(w.all) != want {
			o.Errorf("with changes %v, the ledger has %d rows, want %d", changes, len(w.all), want)
		}
	}
}
