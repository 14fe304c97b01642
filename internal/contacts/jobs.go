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

// RequestConfirmation sends a Contact the request to confirm the subscription.
type RequestConfirmation struct {
	List    enlist.ListID    `json:"list_id"`
	Contact enlist.ContactID `json:"contact_id"`
	Time    int64            `json:"time"` // of the subscription
}

// Kind implements Effect.
func (RequestConfirmation) Kind() string { return "ask_to_confirm" }

// SendLink sends a Contact the link to the page with its settings.
type SendLink struct {
	List    enlist.ListID    `json:"list_id"`
	Contact enlist.ContactID `json:"contact_id"`
	Time    int64            `json:"time"` // when the visitor asked for it
}

// Kind implements Effect.
func (SendLink) Kind() string { return "send_link" }

// ForgetTracking removes what was recorded about the opens and clicks of a Contact since a time. decisions.md: 161
type ForgetTracking struct {
	List    enlist.ListID    `json:"list_id"`
	Contact enlist.ContactID `json:"contact_id"`
	Since   int64            `json:"since"` // of the refusal; 0: everything
}

// Kind implements Effect.
func (ForgetTracking) Kind() string { return "forget_tracking" }
