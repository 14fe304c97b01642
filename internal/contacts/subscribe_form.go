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

// FormAct is what a person does with a Form: the column of form_day that counts it.
type FormAct string

// The acts.
const (
	FormShown     FormAct = "shown"
	FormSent      FormAct = "sent"
	FormConfirmed FormAct = "confirmed"
)

// CountForm adds one to the acts of a Form on a day. It counts nothing if the List has no such Form: records of another
// service keep the ID of their form.
func CountForm(tx *db.Tx, schema *enlist.Schema, id enlist.FormID, now int64, act FormAct) error {
	numbers := map[FormAct]int64{act: 1}
	return tx.Do(`INSERT INTO form_day (form_id, day, shown, sent, confirmed)
		SELECT id, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT) FROM form
			WHERE id = ? AND list_id = ?
		ON CONFLICT (form_id, day) DO UPDATE SET shown = form_day.shown + excluded.shown,
			sent = form_day.sent + excluded.sent, confirmed = form_day.confirmed + excluded.confirmed`,
		enlist.DayOf(now, schema.TimeZone), numbers[FormShown], numbers[FormSent], numbers[FormConfirmed],
		int64(id), int64(schema.List.ID))
}

// RemoveFormDays removes the days of a Form.
func RemoveFormDays(tx *db.Tx, id enlist.FormID) error {
	return tx.Do("DELETE FROM form_day WHERE form_id = ?", int64(id))
}
