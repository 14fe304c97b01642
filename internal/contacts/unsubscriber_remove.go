package contacts

import (
	"context"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file takes an address off the Unsubscriber List, which only a person can do, on the page of the List.

// RemoveUnsubscriber removes the entries of an address for a List, or those for all Lists if list is 0, and returns
// their number. Contacts stay unsubscribed. From then on, Batches, addContacts and Imports no longer leave the address
// out because of these entries. The entry of an erased person stays, because it has no address any more. The audit log
// has the address. Errors: Denied for a caller who may use only some Lists, and InvalidParameters if there is no such
// entry.
func (s *Service) RemoveUnsubscriber(ctx context.Context, c *enlist.Caller, list enlist.ListID, key string) (
	int64, error) {
	return db.UpdateUnrestricted(ctx, s.db, c, func(tx *db.Tx, now int64) (int64, error) {
		if strings.HasPrefix(key, ErasedPrefix) {
			return 0, enlist.Invalid("address", "the address was erased, so its entry stays")
		}
		n, err := tx.Exec("DELETE FROM unsubscriber WHERE account_id = ? AND address_key = ? AND "+tx.SQL.NoIndex+
			"list_id = ?", int64(c.Account.ID), key, int64(list))
		if err != nil {
			return 0, err
		}
		if n == 0 {
			return 0, enlist.Invalid("address", "the Unsubscriber List has no such entry")
		}
		return n, accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "Unsubscriber", List: list},
			accounts.AuditValues{"address": key, "entries": n}, nil)
	})
}
