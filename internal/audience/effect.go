package audience

// Effect is something that a change sets in motion. It is stored in the
// change's own transaction and carried out later, at least once, by package
// jobs. Kind names it in the queue, and its fields are stored as JSON, so
// neither may change its meaning once released.
type Effect interface{ Kind() string }

// Attempts is how often an effect is tried before it is given up on and kept for
// somebody to look at. Package jobs has mail tried so often within a day.
const Attempts = 19

// Timed is an Effect that is not to be carried out before a time, in Unix seconds.
type Timed interface {
	Effect
	DueTime() int64
}

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

// Autorespond sends an autoresponder's Message to one Contact, once for the
// event at Time. specification: Events, Autoresponders
type Autorespond struct {
	List          ListID          `json:"list_id"`
	Contact       ContactID       `json:"contact_id"`
	Autoresponder AutoresponderID `json:"autoresponder_id"`
	Time          int64           `json:"time"`
	Due           int64           `json:"due"`
}

// Kind names the effect in the queue.
func (Autorespond) Kind() string { return "autorespond" }

// DueTime is when the Message is to be sent.
func (a Autorespond) DueTime() int64 { return a.Due }

// RequestConfirmation sends a Contact the request to confirm the subscription.
type RequestConfirmation struct {
	List    ListID    `json:"list_id"`
	Contact ContactID `json:"contact_id"`
	Time    int64     `json:"time"`
}

// Kind names the effect in the queue.
func (RequestConfirmation) Kind() string { return "ask_to_confirm" }

// DeliverWebhook posts the events that wait for a target of webhooks.
type DeliverWebhook struct {
	Target WebhookTargetID `json:"target_id"`
}

// Kind names the effect in the queue.
func (DeliverWebhook) Kind() string { return "call_webhook" }

// RemoveContacts removes a List's Contacts up to and including an ID, in
// steps, and with Delete the List itself after them.
type RemoveContacts struct {
	List   ListID    `json:"list_id"`
	Upto   ContactID `json:"upto"`
	Delete bool      `json:"delete"`
}

// Kind names the effect in the queue.
func (RemoveContacts) Kind() string { return "remove_contacts" }

// DeleteFieldValues removes what Contacts still hold of a deleted Field, in steps.
type DeleteFieldValues struct {
	List   ListID    `json:"list_id"`
	Field  FieldID   `json:"field_id"`
	After  ContactID `json:"after"`
	Mobile bool      `json:"mobile"` // it was the mobile Field
}

// Kind names the effect in the queue.
func (DeleteFieldValues) Kind() string { return "forget_field" }

// ConvertField stores what Contacts hold in a Field again, in steps, in the
// form of the Field's new type.
type ConvertField struct {
	List  ListID    `json:"list_id"`
	Field FieldID   `json:"field_id"`
	After ContactID `json:"after"`
}

// Kind names the effect in the queue.
func (ConvertField) Kind() string { return "convert_field" }

// BuildIndex has the database make an index that searches need.
type BuildIndex struct {
	Index SearchIndexID `json:"index_id"`
}

// Kind names the effect in the queue.
func (BuildIndex) Kind() string { return "build_index" }

// DropIndex has the database drop an index on which nobody relies any more.
type DropIndex struct {
	Index SearchIndexID `json:"index_id"`
	Again bool          `json:"again"` // another one of the same key is made then
}

// Kind names the effect in the queue.
func (DropIndex) Kind() string { return "drop_index" }

// JobTx stores background jobs with the change that causes them.
type JobTx interface {
	// Enqueue stores a job that starts after the transaction commits, and not before
	// the time of the Effect if it has one.
	Enqueue(e Effect) error
}
