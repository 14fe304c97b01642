package audience

import (
	"fmt"
	"strconv"

	"enlist/internal/enlist"
)

// This file erases rows about a person that PersonRows has found. Each method changes the rows that it gets.

// EraseLedger empties the columns of a Contact's ledger rows that say something about the person. The trigger of the
// table allows no other change.
func (t *Tx) EraseLedger(list enlist.ListID, contact enlist.ContactID) error {
	return t.Do(`UPDATE consent SET text = '', ip = '', preferences = '', import_row = 0
		WHERE list_id = ? AND contact_id = ?`, int64(list), int64(contact))
}

// EraseUnsubscriber replaces the address of a row of the Unsubscriber List by an erased one, and removes its Contact.
func (t *Tx) EraseUnsubscriber(id int64, erased string) error {
	return t.Do("UPDATE unsubscriber SET address = ?, address_key = ?, contact_id = 0 WHERE id = ?", erased, erased, id)
}

// EraseDelivery removes the address, the subject and the reply of the mail server from the record of a mail.
func (t *Tx) EraseDelivery(k DeliveryKey) error {
	return t.Do(`UPDATE delivery SET address = ?, subject = '', detail = ''
		WHERE list_id = ? AND contact_id = ? AND event_time = ? AND cause = ?`,
		ErasedAddress, int64(k.List), int64(k.Contact), k.Time, k.Cause)
}

// EraseRecipient removes the address and the reply of the mail server from a recipient of a Batch.
func (t *Tx) EraseRecipient(list enlist.ListID, batch enlist.BatchID, contact enlist.ContactID) error {
	return t.Do("UPDATE recipient SET address = ?, detail = '' WHERE list_id = ? AND batch_id = ? AND contact_id = ?",
		ErasedAddress, int64(list), int64(batch), int64(contact))
}

// EraseJobs deletes jobs. It keeps jobs that run, and returns their number.
func (t *Tx) EraseJobs(ids []int64) (running int64, err error) {
	test, arg, err := oneOfIDs(t, ids)
	if err != nil {
		return 0, err
	}
	if err := t.Do("DELETE FROM river_job WHERE CAST(state AS TEXT) <> 'running' AND id"+test, arg); err != nil {
		return 0, err
	}
	return t.number("SELECT count(*) FROM river_job WHERE id"+test, arg)
}

// EraseWebhookEvents deletes events that wait for a webhook.
func (t *Tx) EraseWebhookEvents(ids []int64) error {
	test, arg, err := oneOfIDs(t, ids)
	if err != nil {
		return err
	}
	return t.Do("DELETE FROM webhook_event WHERE id"+test, arg)
}

// EraseSavedResult deletes the result of a call with an Idempotency-Key.
func (t *Tx) EraseSavedResult(account enlist.AccountID, key enlist.KeyID, header string) error {
	const remove = "DELETE FROM retry WHERE account_id = ? AND key_id = ? AND header = ?"
	return t.Do(remove, int64(account), int64(key), header)
}

// SetImportResults replaces the results of a step.
func (t *Tx) SetImportResults(id enlist.ImportID, number int64, data []byte) error {
	const set = "UPDATE import_result SET data = ? WHERE import_id = ? AND number = ?"
	return t.Do(set, data, int64(id), number)
}

// ReleasedContents returns the contents of an Account that no file and no Import has any more.
func (t *Tx) ReleasedContents(account enlist.AccountID) ([]enlist.ContentID, error) {
	return idsOf[enlist.ContentID](t, "SELECT id FROM file_content WHERE account_id = ? AND size = 0 ORDER BY id", int64(account))
}

// TextsWith returns where texts of an Account that an erasure leaves alone contain one of the addresses, such as
// "list 3". The texts are settings, content that callers wrote for many persons, and values of other persons' Contacts.
func (t *Tx) TextsWith(k *PersonKeys) (places []string, err error) {
	for _, text := range []struct{ place, query string }{
		{"list", `SELECT id, on_register || ' ' || on_update || ' ' || on_unsubscribe || ' ' || from_address
			FROM list WHERE account_id = ? AND hidden = 0`},
		{"message", `SELECT id, name || ' ' || subject || ' ' || html_content || ' ' || text_content || ' ' || from_address || ' ' || reply_to
			FROM message WHERE account_id = ?`},
		{"batch", "SELECT batch_id, criteria FROM batch_exclusion WHERE batch_id IN (SELECT id FROM batch WHERE account_id = ?)"},
		{"batch", "SELECT batch_id, criteria FROM batch_population WHERE batch_id IN (SELECT id FROM batch WHERE account_id = ?)"},
	} {
		err := t.each(func(row *Cursor) error {
			id := row.Int()
			if k.Mentions(row.Text()) {
				places = append(places, text.place+" "+strconv.FormatInt(id, 10))
			}
			return nil
		}, text.query, int64(k.Account))
		if err != nil {
			return nil, err
		}
	}
	return t.contactsWith(k, places)
}

// maxContactsWith is the largest number of Contacts of a List that TextsWith returns.
const maxContactsWith = 100

// contactsWith adds the Contacts of other persons that have one of the addresses in a value. All Contacts are read.
func (t *Tx) contactsWith(k *PersonKeys, places []string) ([]string, error) {
	texts, err := inJSON(k.Addresses)
	if err != nil {
		return nil, err
	}
	values := t.SQL.ShownDocument
	test, args := t.containsOneOf(values, texts)
	for _, list := range k.Lists {
		n := 0
		err := t.each(func(row *Cursor) error {
			id, text := enlist.ContactID(row.Int()), row.Text()
			if n < maxContactsWith && !k.Has(list, id) && k.Mentions(text) {
				n++
				places = append(places, fmt.Sprintf("contact %d of list %d", id, list))
			}
			return nil
		}, "SELECT id, "+values+" FROM contact WHERE list_id = ? AND ("+test+") ORDER BY id", append([]any{int64(list)}, args...)...)
		if err != nil {
			return nil, err
		}
	}
	return places, nil
}
