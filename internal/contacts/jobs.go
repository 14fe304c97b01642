package contacts

import "enlist/internal/enlist"

// RemoveContacts removes a List's Contacts up to and including an ID, in steps. If Delete is
// set, it then removes the List itself.
type RemoveContacts struct {
	List   enlist.ListID    `json:"list_id"`
	Upto   enlist.ContactID `json:"upto"`
	Delete bool             `json:"delete"`
}

// Kind implements Effect.
func (RemoveContacts) Kind() string { return "remove_contacts" }
