// This file has the operations on many Contacts in one call.

package api

import "context"

// MaxContacts is how many Contacts one call of AddContacts or EditContacts may
// contain. A larger call is refused with CodeInvalidParameters.
const MaxContacts = 5000

// AddOptions say what AddContacts does with an address that the Account already
// has.
type AddOptions struct {
	Overwrite           bool // true changes the Contact that has the address, false leaves it unchanged
	RemoveUnsubscribers int  // 0 adds all; 1 leaves out addresses that unsubscribed from this List, 2 from any List
}

// AddContacts adds up to MaxContacts Contacts to a List. It causes no subscribe
// events. It returns the ID of each Contact that was added or overwritten, by
// its position in contacts; invalid ones are left out. A call that fails may
// have added some: send it again with Idempotent. specification: addContacts
func (c *Client) AddContacts(ctx context.Context, list int64, contacts []Details, o AddOptions) (map[int]int64, error) {
	return call[map[int]int64](ctx, c, "addContacts", list, rows(contacts), o.Overwrite, o.RemoveUnsubscribers)
}

// EditContacts changes up to MaxContacts Contacts, each named by the "id" in its
// details. It returns for each ID whether the Contact was changed. With
// triggerUpdate the changes start update_profile autoresponders and notify the
// List's on_update_address. specification: editContacts
func (c *Client) EditContacts(ctx context.Context, list int64, contacts []Details,
	triggerUpdate bool) (map[int64]bool, error) {
	return call[map[int64]bool](ctx, c, "editContacts", list, rows(contacts), triggerUpdate)
}

// DeleteContacts deletes Contacts. It returns for each ID whether the Contact
// existed. A deleted Contact cannot be restored. specification: deleteContacts
func (c *Client) DeleteContacts(ctx context.Context, list int64, contacts ...int64) (map[int64]bool, error) {
	if contacts == nil {
		contacts = []int64{}
	}
	return call[map[int64]bool](ctx, c, "deleteContacts", list, contacts)
}

// DeleteContactsWhere deletes the Contacts that match the Criteria: all of them,
// or as many as the Query's Limit. Without Criteria it deletes none. It returns
// the IDs that matched, and whether each Contact still existed.
func (c *Client) DeleteContactsWhere(ctx context.Context, list int64, q Query) (map[int64]bool, error) {
	return call[map[int64]bool](ctx, c, "deleteContacts", q.params(list, []int64{})...)
}

// rows returns an empty array instead of null.
func rows(contacts []Details) []Details {
	if contacts == nil {
		return []Details{}
	}
	return contacts
}
