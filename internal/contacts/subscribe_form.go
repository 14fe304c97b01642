package contacts

import (
	"slices"

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

// speaks sets the language of an existing Contact to that of the call, and returns whether this changes it. A subscriber
// who has one keeps it, because anyone can send a Form with the address.
func (sub *subscription) speaks(contact *enlist.Contact) bool {
	waits := contact.IsUnsubscribed || sub.Schema.List.DoubleOptIn && !contact.DoubleOptIn
	if sub.language == "" || contact.Language == sub.language || contact.Language != "" && !waits {
		return false
	}
	contact.Language = sub.language
	return true
}
