// This file has the operations that change many Contacts in one call.

package api

import "context"

// MaxContacts is the largest number of Contacts in one call of AddContacts or
// EditContacts. The server refuses a larger call with CodeInvalidParameters.
const MaxContacts = 5000

// AddOptions say what AddContacts does with an address that is already in the List
// or in the Unsubscriber List.
type AddOptions struct {
	// If Overwrite is true, AddContacts changes the Contact that has the address.
	// Otherwise it does not change this Contact. If the List allows duplicates, it
	// then adds another Contact with the address.
	Overwrite bool

	// RemoveUnsubscribers says which addresses AddContacts leaves out. 0: none; 1:
	// addresses that unsubscribed from this List; 2: addresses that unsubscribed
	// from any List.
	RemoveUnsubscribers int

	// IPAddress is the IP address of the person, if all contacts are about one
	// person whose address is known.
	IPAddress string
}

// AddContacts adds up to MaxContacts Contacts to a List. It causes no subscribe
// events. The result maps a position in contacts to the ID of the Contact that was
// added or overwritten. It has no entry for a Contact that is invalid or was left
// out. If a call fails, the server has possibly added some of the Contacts. To be able
// to send the call again, use Idempotent. specification: addContacts
func (c *Client) AddContacts(ctx context.Context, list int64, contacts []Details, o AddOptions) (map[int]int64, error) {
	params := []any{list, rows(contacts), o.Overwrite, o.RemoveUnsubscribers}
	if o.IPAddress != "" {
		params = append(params, o.IPAddress)
	}
	return call[map[int]int64](ctx, c, "addContacts", params...)
}

// EditContacts changes up to MaxContacts Contacts. The details of each Contact
// contain its ID as "id". The result maps each ID to true if the Contact was
// changed. If triggerUpdate is true, the changes start update_profile
// autoresponders and notify the on_update_address of the List.
// specification: editContacts
func (c *Client) EditContacts(ctx context.Context, list int64, contacts []Details,
	triggerUpdate bool) (map[int64]bool, error) {
	return call[map[int64]bool](ctx, c, "editContacts", list, rows(contacts), triggerUpdate)
}

// DeleteContacts deletes Contacts of a List. The result maps each ID to true if
// the List had the Contact. A deleted Contact cannot be restored.
// specification: deleteContacts
func (c *Client) DeleteContacts(ctx context.Context, list int64, contacts ...int64) (map[int64]bool, error) {
	if contacts == nil {
		contacts = []int64{}
	}
	return call[map[int64]bool](ctx, c, "deleteContacts", list, contacts)
}

// DeleteContactsWhere deletes the Contacts of a List that match the Criteria. If the
// Limit of the Query is 0 or NoLimit, it deletes all of them. Otherwise it deletes at
// most Limit Contacts. Without Criteria it deletes no Contact. The result has an entry
// for each Contact that the search found: true if the Contact still existed when the
// server deleted it.
func (c *Client) DeleteContactsWhere(ctx context.Context, list int64, q Query) (map[int64]bool, error) {
	return call[map[int64]bool](ctx, c, "deleteContacts", q.params(list, []int64{})...)
}

// rows returns contacts, or an empty slice for nil, because the server refuses
// null.
func rows(contacts []Details) []Details {
	if contacts == nil {
		return []Details{}
	}
	return contacts
}
