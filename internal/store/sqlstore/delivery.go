package sqlstore

import (
	"fmt"
	"math"

	"enlist/internal/audience"
)

// MarkConfirmationRequested notes that a Contact is asked to confirm, unless it was after a time,
// or another Contact of the List with the address was: then it counts as asked at
// that time. One that was noted at a time to come was noted by a clock that has
// been set back since.
func (t *Tx) MarkConfirmationRequested(list audience.ListID, id audience.ContactID, now, before int64) (marked bool, err error) {
	last, err := t.number(`SELECT other.confirmation_time FROM contact
		JOIN contact other ON other.list_id = ?1 AND other.id = coalesce(
			(SELECT d.id FROM contact d WHERE d.list_id = ?1 AND d.duplicate_key = contact.duplicate_key AND d.id < contact.id ORDER BY d.id DESC LIMIT 1),
			(SELECT d.id FROM contact d WHERE d.list_id = ?1 AND d.dedupe_key = contact.duplicate_key))
		WHERE contact.list_id = ?1 AND contact.id = ?2`, int64(list), int64(id))
	if err != nil {
		return false, err
	}
	at, may := now, true
	if last > before && last <= now {
		at, may = last, false
	}
	n, err := t.conn.Exec("UPDATE contact SET confirmation_time = ? WHERE list_id = ? AND id = ? AND (confirmation_time <= ? OR confirmation_time > ?)",
		at, int64(list), int64(id), before, now)
	return may && n > 0, err
}

// MarkSubscriptionPending notes that a Contact's subscription waits to be confirmed.
func (t *Tx) MarkSubscriptionPending(list audience.ListID, id audience.ContactID) error {
	return t.conn.Do("UPDATE contact SET subscription_waits = 1 WHERE list_id = ? AND id = ?", int64(list), int64(id))
}

// IsSubscriptionPending reports whether that was ever noted.
func (t *Tx) IsSubscriptionPending(list audience.ListID, id audience.ContactID) (bool, error) {
	n, err := t.number("SELECT subscription_waits FROM contact WHERE list_id = ? AND id = ?", int64(list), int64(id))
	return n > 0, err
}

// RaiseContactTimes sets the times of the last message, open and click where
// they are later than those stored.
func (t *Tx) RaiseContactTimes(list audience.ListID, id audience.ContactID, message, open, click int64) error {
	return t.conn.Do(`UPDATE contact SET last_message_time = CASE WHEN last_message_time < ?1 THEN ?1 ELSE last_message_time END,
			last_open_time = CASE WHEN last_open_time < ?2 THEN ?2 ELSE last_open_time END,
			last_click_time = CASE WHEN last_click_time < ?3 THEN ?3 ELSE last_click_time END
		WHERE list_id = ?4 AND id = ?5`, message, open, click, int64(list), int64(id))
}

func mapDelivery(m *mapper, d *audience.Delivery) {
	m.naturalKey("list_id", (*int64)(&d.List))
	m.naturalKey("contact_id", (*int64)(&d.Contact))
	m.naturalKey("event_time", &d.Time)
	m.naturalKey("cause", &d.Cause)
	m.value("message_id", (*int64)(&d.MessageID))
	m.value("address", &d.Address)
	m.value("subject", &d.Subject)
	m.value("time", &d.SentTime)
	m.value("status", (*string)(&d.Status))
	m.value("detail", &d.Detail)
}

// Delivery returns what became of a delivery, false when it is not known.
func (t *Tx) Delivery(k audience.DeliveryKey) (*audience.Delivery, error) {
	if t.writes { // it may not be there to be locked
		if err := t.conn.Lock(Exclusive, fmt.Sprintf("delivery %d %d %d %s", k.List, k.Contact, k.Time, k.Cause)); err != nil {
			return nil, err
		}
	}
	return t.sql.mappings.deliveries.one(t, audience.ErrNotFound, "WHERE list_id = ? AND contact_id = ? AND event_time = ? AND cause = ?",
		int64(k.List), int64(k.Contact), k.Time, k.Cause)
}

// PutDelivery stores what became of a delivery.
func (t *Tx) PutDelivery(d *audience.Delivery) error {
	return t.sql.mappings.deliveries.put(t, d)
}

// Deliveries returns what was sent to a Contact, newest first; limit 0 means all.
func (t *Tx) Deliveries(list audience.ListID, contact audience.ContactID, limit int) ([]audience.Delivery, error) {
	if limit == 0 {
		limit = math.MaxInt
	}
	return t.sql.mappings.deliveries.all(t, "WHERE list_id = ? AND contact_id = ? ORDER BY time DESC, event_time DESC, cause"+limited,
		int64(list), int64(contact), int64(limit))
}

// Secret returns a key that the processes on this database share, which is
// fresh if there was none.
func (t *Tx) Secret(name string, fresh []byte) (value []byte, err error) {
	if err := t.conn.Do("INSERT INTO secret (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", name, fresh); err != nil {
		return nil, err
	}
	err = t.each(func(row *Cursor) error {
		value = append(value, row.Text()...)
		return nil
	}, "SELECT value FROM secret WHERE name = ?", name)
	return value, err
}
