package batches

import (
	"context"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/recipients"
)

// This file says what this package has of a person, and what of it is old. Package privacy exports, erases and removes
// it.

// The tables with data about persons.
var PersonMails, PersonEvents = recipients.PersonTables(OfList)

// ForgetContacts removes removed Contacts from the Batches of the List.
func ForgetContacts(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) error {
	among, err := OfList(tx, list)
	if err != nil {
		return err
	}
	return recipients.Forget(tx, among, list, ids)
}

// ForgetTracking removes what was recorded about the opens and clicks of a Contact. A repeated call changes nothing.
// decisions.md: 161
func (s *Service) ForgetTracking(ctx context.Context, _ db.Job, e contacts.ForgetTracking) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		until, gone, err := e.RecordedIn(tx)
		if err != nil || gone {
			return err
		}
		among, err := OfList(tx, e.List)
		if err != nil {
			return err
		}
		opened, clicked, err := recipients.ForgetAccesses(tx, among, e.List, e.Contact, e.Since, until)
		if err != nil {
			return err
		}
		if err := events.ForgetAccesses(tx, e.List, e.Contact, e.Since, until); err != nil {
			return err
		}
		return contacts.SetAccessTimes(tx, e.List, e.Contact, e.Since, until, opened, clicked)
	})
}

// Texts calls each with the criteria of the Batches of an Account.
func Texts(tx *db.Tx, account enlist.AccountID, each func(id int64, text string)) error {
	for _, table := range []string{"batch_exclusion", "batch_population"} {
		err := tx.EachText(each, "SELECT batch_id, criteria FROM "+table+
			" WHERE batch_id IN (SELECT id FROM batch WHERE account_id = ?) ORDER BY 1", int64(account))
		if err != nil {
			return err
		}
	}
	return nil
}
