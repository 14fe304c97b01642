package contacts

import (
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has what is different if a person subscribes with a Form: anyone can type any address. Package forms has
// the Forms.

// distrust limits what the call changes of an existing Contact. Values and answers about preferences that the Contact
// has stay, and the ledger does not say otherwise. A Contact that has left must confirm again, if the List asks for it,
// because an earlier confirmation says nothing about this visitor.
// decisions.md: 132
func (sub *subscription) distrust(contact *enlist.Contact) {
	p := *sub.ParsedContact // the transaction can run again with the original
	p.Values = slices.DeleteFunc(slices.Clone(p.Values), func(v parsedValue) bool {
		return contact.Values.Get(v.Field.ID) != "" || v.Text == ""
	})
	p.consent.Preferences = slices.DeleteFunc(slices.Clone(p.consent.Preferences), func(c enlist.PreferenceChoice) bool {
		old, answered := contact.Prefs[sub.Schema.Preference(c.Name).ID]
		return answered && old != c.Agree
	})
	sub.ParsedContact = &p
	if contact.IsUnsubscribed && sub.Schema.List.DoubleOptIn {
		contact.DoubleOptIn, contact.DoubleOptInTime = false, 0
	}
}

// tick stores that the visitor allows to record opens and clicks. Where the List asks to confirm, only the ledger has it
// until the person confirms; a Contact that has confirmed is not asked again, so its tick says nothing. Elsewhere it
// changes no decision that the address has, and holds in this List only. decisions.md: 160
func (sub *subscription) tick(contact *enlist.Contact, published enlist.ListID) error {
	if sub.ticked == nil {
		return nil
	}
	ticked, list := *sub.ticked, &sub.Schema.List
	ticked.Published = published
	d := &ticked
	switch {
	case list.DoubleOptIn && contact.DoubleOptIn, !list.DoubleOptIn && contact.TrackingConsent != enlist.TrackingUnknown:
		return nil
	case list.DoubleOptIn:
		return AddLedgerRow(sub.tx, &enlist.LedgerRow{ListID: list.ID, ContactID: contact.ID, Time: sub.now,
			Method: MethodTick, Text: d.By.Text, IP: d.By.IP, Tracking: d.Consent, TextVersion: d.Version})
	}
	return eachWithAddress(sub.tx, []enlist.ListID{list.ID}, contact.Key, func(c *enlist.Contact) error {
		return decideOne(sub.tx, c, d, sub.now)
	})
}

// TickToConfirm returns the row of the ledger of the tick in the last Form that the person has sent, or nil if there is
// none or the Contact has this decision.
func TickToConfirm(tx *db.Tx, contact *enlist.Contact) (*enlist.LedgerRow, error) {
	rows, err := ledger(tx, " AND (tracking_consent <> 0 OR type <> '')", contact.ListID, contact.ID, 1, 0)
	if err != nil || len(rows) == 0 || rows[0].Method != MethodTick || rows[0].Tracking == contact.TrackingConsent {
		return nil, err
	}
	return &rows[0], nil
}
