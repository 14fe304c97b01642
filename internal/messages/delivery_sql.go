package messages

import (
	"slices"
	"strings"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the results of mail deliveries.

func mapDelivery(m *db.Mapper, d *Delivery) {
	m.NaturalKey("list_id", (*int64)(&d.List))
	m.NaturalKey("contact_id", (*int64)(&d.Contact))
	m.NaturalKey("event_time", &d.Time)
	m.NaturalKey("cause", &d.Cause)
	m.Value("message_id", (*int64)(&d.MessageID))
	m.Value("address", &d.Address)
	m.Value("subject", &d.Subject)
	m.Value("time", &d.SentTime)
	m.Value("status", (*string)(&d.Status))
	m.Value("detail", &d.Detail)
}

var deliveryTable = db.NewMapping("delivery", mapDelivery)

// PersonMails is what this package has of a person.
var PersonMails = db.PersonTable{Name: "delivery", Address: "address", Key: "list_id, contact_id, event_time, cause",
	Contact: "list_id = ? AND contact_id = ?", Order: " ORDER BY event_time, cause",
	Columns: "list_id contact_id event_time cause message_id address subject time status detail"}

// OldTexts returns the deliveries to a List before a time whose texts can be removed. The rule of bounces compares the
// addresses of bounced mails. An erased address stays marked as such.
func OldTexts(list enlist.ListID, before int64) *db.OldRows {
	return &db.OldRows{Table: "delivery", Where: "list_id = ?", Args: []any{int64(list)}, Time: "time",
		Test: "time < ? AND address <> '" + contacts.ErasedAddress +
			"' AND (subject <> '' OR detail <> '' OR address <> '' AND status <> 'bounced')",
		TestArgs: []any{before},
		Remove: `UPDATE delivery SET subject = '', detail = '',
			address = CASE WHEN status = 'bounced' THEN address ELSE '' END`}
}

// LoadDelivery returns the result of a delivery, or ErrNotFound. In a transaction that writes, it also
// locks the key k.
func LoadDelivery(tx *db.Tx, k enlist.DeliveryKey) (*Delivery, error) {
	if err := tx.LockToWrite("delivery %d %d %d %s", k.List, k.Contact, k.Time, k.Cause); err != nil {
		return nil, err
	}
	const byKey = "WHERE list_id = ? AND contact_id = ? AND event_time = ? AND cause = ?"
	return deliveryTable.One(tx, enlist.ErrNotFound, byKey, int64(k.List), int64(k.Contact), k.Time, k.Cause)
}

// Put stores the result of a delivery. It replaces an earlier result of the same delivery.
func (d *Delivery) Put(tx *db.Tx) error { return deliveryTable.Put(tx, d) }

// upsertSent is the statement of PutSent.
var upsertSent = strings.NewReplacer(
	"status = excluded.status", "status = "+unlessReported("status"),
	"detail = excluded.detail", "detail = "+unlessReported("detail"),
).Replace(deliveryTable.Upsert)

// unlessReported returns the new value of a column, or the stored value after a bounce or a complaint.
func unlessReported(column string) string {
	return "CASE WHEN delivery.status IN ('" + string(DeliveryBounced) + "', '" +
		string(DeliveryComplained) + "') THEN delivery." + column + " ELSE excluded." + column + " END"
}

// PutSent stores that a mail was sent. It keeps the status of a reported delivery. The lock makes it wait
// for a transaction that stores a report about the same delivery.
func (d *Delivery) PutSent(tx *db.Tx) error {
	if err := tx.LockToWrite("delivery %d %d %d %s", d.List, d.Contact, d.Time, d.Cause); err != nil {
		return err
	}
	return deliveryTable.Do(tx, upsertSent, db.Inserted, d)
}

// Deliveries returns a page of a Contact's deliveries, newest first.
func Deliveries(tx *db.Tx, list enlist.ListID, contact enlist.ContactID, limit, offset int) ([]Delivery, error) {
	const newest = "WHERE list_id = ? AND contact_id = ? ORDER BY time DESC, event_time DESC, cause" + db.Limited +
		" OFFSET CAST(? AS BIGINT)"
	return deliveryTable.All(tx, newest, int64(list), int64(contact), int64(limit), int64(offset))
}

// DeliveriesOf returns all deliveries to some Contacts, the newest of each Contact first.
func DeliveriesOf(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) ([]Delivery, error) {
	test, args, err := tx.ContactTest("contact_id", ids)
	if err != nil {
		return nil, err
	}
	return deliveryTable.All(tx, "WHERE list_id = ? AND "+test+" ORDER BY contact_id, time DESC, event_time DESC, cause",
		append([]any{int64(list)}, args...)...)
}

// deliveriesWithCause returns the deliveries with a cause to some Contacts.
func deliveriesWithCause(tx *db.Tx, list enlist.ListID, cause string, ids []enlist.ContactID) ([]Delivery, error) {
	test, args, err := tx.ContactTest("contact_id", ids)
	if err != nil {
		return nil, err
	}
	return deliveryTable.All(tx, "WHERE list_id = ? AND "+test+" AND cause = ?",
		slices.Concat([]any{int64(list)}, args, []any{cause})...)
}

// SentBecauseOfEvents returns those Contacts that were sent a Message because of an event.
func SentBecauseOfEvents(tx *db.Tx, list enlist.ListID, message enlist.MessageID, ids []enlist.ContactID) (
	[]enlist.ContactID, error) {
	test, args, err := tx.ContactTest("contact_id", ids)
	if err != nil {
		return nil, err
	}
	return db.IDsOf[enlist.ContactID](tx, "SELECT contact_id FROM delivery WHERE list_id = ? AND "+test+
		" AND message_id = ? AND status <> 'failed'", append(append([]any{int64(list)}, args...), int64(message))...)
}

// EraseDelivery removes the address, the subject and the reply of the mail server from the record of a mail.
func EraseDelivery(tx *db.Tx, k enlist.DeliveryKey) error {
	return tx.Do(`UPDATE delivery SET address = ?, subject = '', detail = ''
		WHERE list_id = ? AND contact_id = ? AND event_time = ? AND cause = ?`,
		contacts.ErasedAddress, int64(k.List), int64(k.Contact), k.Time, k.Cause)
}

// ForgetContacts removes the deliveries to removed Contacts.
func ForgetContacts(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) error {
	test, args, err := tx.ContactTest("contact_id", ids)
	if err != nil {
		return err
	}
	return tx.Do("DELETE FROM delivery WHERE list_id = ? AND "+test, append([]any{int64(list)}, args...)...)
}
