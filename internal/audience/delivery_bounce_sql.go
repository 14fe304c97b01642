package audience

import "enlist/internal/enlist"

// This file stores, for each Contact, the time up to which its bounces are ignored.

// BouncesSince returns the time up to which a Contact's bounces are ignored. It returns 0 if no
// bounce is ignored.
func (t *Tx) BouncesSince(list enlist.ListID, id enlist.ContactID) (int64, error) {
	return t.number("SELECT bounce_time FROM contact WHERE list_id = ? AND id = ?", int64(list), int64(id))
}

// SetBouncesSince sets the time up to which a Contact's bounces are ignored.
func (t *Tx) SetBouncesSince(list enlist.ListID, id enlist.ContactID, at int64) error {
	return t.Do("UPDATE contact SET bounce_time = ? WHERE list_id = ? AND id = ?", at, int64(list), int64(id))
}
