package sqlstore

// This file stores the time since when bounces of a Contact's mails count.

import "enlist/internal/audience"

// BouncesSince returns the time up to which a Contact's bounces are ignored. It is 0
// when all bounces count.
func (t *Tx) BouncesSince(list audience.ListID, id audience.ContactID) (int64, error) {
	return t.number("SELECT bounce_time FROM contact WHERE list_id = ? AND id = ?", int64(list), int64(id))
}

// SetBouncesSince sets the time up to which a Contact's bounces are ignored.
func (t *Tx) SetBouncesSince(list audience.ListID, id audience.ContactID, at int64) error {
	return t.conn.Do("UPDATE contact SET bounce_time = ? WHERE list_id = ? AND id = ?", at, int64(list), int64(id))
}
