package contacts

import (
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file says what this package has of a person. Package privacy exports and erases it.

// The tables with data about persons.
var (
	PersonContacts = db.PersonTable{Name: "contact", Contact: "list_id = ? AND id = ?",
		Columns: `list_id id creation_time last_modified_time double_opt_in double_opt_in_time is_active
			is_bounce_deactivated is_unsubscribed last_click_time last_message_time last_open_time subscribed_via
			webform_id language confirmation_time subscription_waits bounce_time tracking_consent tracking_time`}
	PersonConsents = db.PersonTable{Name: "consent", Contact: "list_id = ? AND contact_id = ?", Order: " ORDER BY number",
		Former: true,
		Columns: `list_id contact_id number time method type text ip preferences:json key_id import_id import_row
			tracking_consent text_version`}
	PersonDepartures = db.PersonTable{Name: "departure", Contact: "list_id = ? AND contact_id = ?",
		Columns: "list_id contact_id time reason words"}
	PersonEntries = db.PersonTable{Name: "unsubscriber",
		Columns: "list_id contact_id address_key id account_id address_type address time"}
)

// EntriesOfPerson calls each for the entries of the Unsubscriber List with the address, and for those with another
// address of one of the Contacts that are about this Contact.
func EntriesOfPerson(tx *db.Tx, p *enlist.Person, each func([]enlist.PersonValue) error) error {
	test, keys, err := tx.OneOfTexts(slices.Concat(p.Keys, p.Others))
	if err != nil {
		return err
	}
	return PersonEntries.Where(tx, func(row []enlist.PersonValue) error { // it begins with List, Contact and address_key
		list, contact := enlist.ListID(row[0].Value.(int64)), enlist.ContactID(row[1].Value.(int64))
		if !p.Has(list, contact) && !slices.Contains(p.Keys, row[2].Value.(string)) {
			return nil
		}
		return each(row)
	}, "account_id = ? AND address_key"+test+" ORDER BY id", int64(p.Account), keys)
}

// SegmentTexts calls each with the texts of the Segments of an Account.
func SegmentTexts(tx *db.Tx, account enlist.AccountID, each func(id int64, text string)) error {
	return tx.EachText(each, "SELECT id, name || ' ' || criteria FROM segment WHERE account_id = ? ORDER BY 1",
		int64(account))
}

// ThatMention calls each with the Contacts of other persons whose values contain one of the addresses, and perhaps with
// some more. All Contacts are read.
func ThatMention(tx *db.Tx, p *enlist.Person, each func(list enlist.ListID, id enlist.ContactID, values string)) error {
	texts, err := db.InJSON(p.Addresses)
	if err != nil {
		return err
	}
	inLists, lists, err := db.OneOfIDs(tx, p.Lists)
	if err != nil {
		return err
	}
	values := tx.SQL.ShownDocument
	test, args := db.ContainsOneOf(tx, values, texts)
	return tx.Each(func(row *db.Cursor) error {
		list, id, text := enlist.ListID(row.Int()), enlist.ContactID(row.Int()), row.Text()
		if !p.Has(list, id) {
			each(list, id, text)
		}
		return nil
	}, "SELECT list_id, id, "+values+" FROM contact WHERE list_id"+inLists+" AND ("+test+") ORDER BY list_id, id",
		append([]any{lists}, args...)...)
}
