package audience

// Effect is something that a change sets in motion. It is stored in the
// change's own transaction and carried out later, at least once, by package
// jobs. Kind names it in the queue, and its fields are stored as JSON, so
// neither may change its meaning once released.
type Effect interface{ Kind() string }

// Event says what happened to a Contact.
type Event string

// The events that addresses of a List can be told of.
const (
	EventSubscribe   Event = "subscribe"
	EventUnsubscribe Event = "unsubscribe"
)

// Notify sends one message to one address about one Contact.
// specification: Events, Notification message
type Notify struct {
	List    ListID    `json:"list_id"`
	Contact ContactID `json:"contact_id"`
	Event   Event     `json:"event"`
	Address string    `json:"address"`
	Time    int64     `json:"time"`
}

// Kind names the effect in the queue.
func (Notify) Kind() string { return "notify" }

// RemoveContacts removes a List's Contacts up to and including an ID, in
// steps, and with Delete the List itself after them.
type RemoveContacts struct {
	List   ListID    `json:"list_id"`
	Upto   ContactID `json:"upto"`
	Delete bool      `json:"delete"`
}

// Kind names the effect in the queue.
func (RemoveContacts) Kind() string { return "remove_contacts" }

// ForgetField removes what Contacts still hold of a deleted Field, in steps.
type ForgetField struct {
	List   ListID    `json:"list_id"`
	Field  FieldID   `json:"field_id"`
	After  ContactID `json:"after"`
	Mobile bool      `json:"mobile"` // it was the mobile Field
}

// Kind names the effect in the queue.
func (ForgetField) Kind() string { return "forget_field" }

// ConvertField stores what Contacts hold in a Field again, in steps, in the
// form of the Field's new type.
type ConvertField struct {
	List  ListID    `json:"list_id"`
	Field FieldID   `json:"field_id"`
	After ContactID `json:"after"`
}

// Kind names the effect in the queue.
func (ConvertField) Kind() string { return "convert_field" }
