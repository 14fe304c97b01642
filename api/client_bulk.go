package api

import "context"

// MaxContacts is how many Contacts one call of AddContacts or EditContacts may
// carry.
const MaxContacts = 5000

// AddOptions say what AddContacts does with addresses that are known.
type AddOptions struct {
	Overwrite           bool // change the first Contact that has the address; false leaves it alone
	RemoveUnsubscribers int  // 0 adds all; 1 leaves out who unsubscribed from this List, 2 from any
}

// AddContacts adds at most MaxContacts Contacts to a List, without the events of
// a subscription, and returns the IDs of those that were added or overwritten by
// their position; those that are not valid are left out. A call that fails
// midway may have added some: see Idempotent.
func (c *Client) AddContacts(ctx context.Context, list int64, contacts []Details, o AddOptions) (map[int]int64, error) {
	return call[map[int]int64](ctx, c, "addContacts", list, rows(contacts), o.Overwrite, o.RemoveUnsubscribers)
}

// EditContacts changes at most MaxContacts Contacts, each named by the "id" in
// its details, and says of each ID whether that was done. With triggerUpdate,
// autoresponders and addresses that wait for an update of a profile hear of it.
func (c *Client) EditContacts(ctx context.Context, list int64, contacts []Details, triggerUpdate bool) (map[int64]bool, error) {
	return call[map[int64]bool](ctx, c, "editContacts", list, rows(contacts), triggerUpdate)
}

// DeleteContacts removes Contacts for good and says of each whether it was there.
func (c *Client) DeleteContacts(ctx context.Context, list int64, contacts ...int64) (map[int64]bool, error) {
	if contacts == nil {
		contacts = []int64{}
	}
	return call[map[int64]bool](ctx, c, "deleteContacts", list, contacts)
}

// DeleteContactsWhere removes for good the Contacts that match: all of them
// unless the Query has a Limit, nobody when it has no Criteria. It returns the
// IDs of those that were found, and whether they were still there.
func (c *Client) DeleteContactsWhere(ctx context.Context, list int64, q Query) (map[int64]bool, error) {
	return call[map[int64]bool](ctx, c, "deleteContacts", q.params(list, []int64{})...)
}

// rows is an array even when there are none.
func rows(contacts []Details) []Details {
	if contacts == nil {
		return []Details{}
	}
	return contacts
}
