package audience

// Effect is work that a change causes and that is done later, at least once, by package jobs.
// The change stores it as a job in its own transaction. Kind names the job's queue, and the
// fields are stored as JSON. Jobs of an older version may still wait, so neither Kind nor a
// field's meaning may ever change.
type Effect interface{ Kind() string }

// Attempts is how often a job is tried before the queue gives up. A job given up on is kept,
// so that the operator can look at it. Package jobs spreads the attempts of a mail over a day.
const Attempts = 19

// Timed is an Effect that must not be carried out before a time.
type Timed interface {
	Effect
	// DueTime returns that time in Unix seconds.
	DueTime() int64
}

// Notify sends one message about one Contact to one address of the List.
// specification: Events, Notification message
type Notify struct {
	List    ListID    `json:"list_id"`
	Contact ContactID `json:"contact_id"`
	Event   Event     `json:"event"`
	Address string    `json:"address"`
	Time    int64     `json:"time"` // of the event
}

// Kind names the effect in the queue.
func (Notify) Kind() string { return "notify" }

// Autorespond sends an autoresponder's Message to one Contact, once for the event at Time.
// specification: Events, Autoresponders
type Autorespond struct {
	List          ListID          `json:"list_id"`
	Contact       ContactID       `json:"contact_id"`
	Autoresponder AutoresponderID `json:"autoresponder_id"`
	Time          int64           `json:"time"`
	Due           int64           `json:"due"` // when the Message is to be sent
}

// Kind names the effect in the queue.
func (Autorespond) Kind() string { return "autorespond" }

// DueTime returns when the Message is to be sent.
func (a Autorespond) DueTime() int64 { return a.Due }

// RequestConfirmation sends a Contact the request to confirm the subscription.
type RequestConfirmation struct {
	List    ListID    `json:"list_id"`
	Contact ContactID `json:"contact_id"`
	Time    int64     `json:"time"` // of the subscription
}

// Kind names the effect in the queue. It is the name that the first version stored.
func (RequestConfirmation) Kind() string { return "ask_to_confirm" }

// DeliverWebhook posts the events that wait for a webhook target. The events themselves are
// in a table, so that one job can post many of them.
type DeliverWebhook struct {
	Target WebhookTargetID `json:"target_id"`
}

// Kind names the effect in the queue. It is the name that the first version stored.
func (DeliverWebhook) Kind() string { return "call_webhook" }

// RemoveContacts removes a List's Contacts up to and including an ID, in batches. With Delete it
// removes the List itself after them.
type RemoveContacts struct {
	List   ListID    `json:"list_id"`
	Upto   ContactID `json:"upto"`
	Delete bool      `json:"delete"`
}

// Kind names the effect in the queue.
func (RemoveContacts) Kind() string { return "remove_contacts" }

// DeleteFieldValues removes the values of a deleted Field from Contacts, in batches.
type DeleteFieldValues struct {
	List   ListID    `json:"list_id"`
	Field  FieldID   `json:"field_id"`
	After  ContactID `json:"after"`  // the last Contact that is done
	Mobile bool      `json:"mobile"` // it was the mobile Field
}

// Kind names the effect in the queue. It is the name that the first version stored.
func (DeleteFieldValues) Kind() string { return "forget_field" }

// ConvertField stores the values of a Field again in the form of its new type, in batches.
type ConvertField struct {
	List  ListID    `json:"list_id"`
	Field FieldID   `json:"field_id"`
	After ContactID `json:"after"` // the last Contact that is done
}

// Kind names the effect in the queue.
func (ConvertField) Kind() string { return "convert_field" }

// BuildIndex builds a database index that searches need.
type BuildIndex struct {
	Index SearchIndexID `json:"index_id"`
}

// Kind names the effect in the queue.
func (BuildIndex) Kind() string { return "build_index" }

// DropIndex drops a database index after searches have stopped using it.
type DropIndex struct {
	Index SearchIndexID `json:"index_id"`
	Again bool          `json:"again"` // build another index of the same key afterwards
}

// Kind names the effect in the queue.
func (DropIndex) Kind() string { return "drop_index" }

// JobTx stores background jobs with the change that causes them.
type JobTx interface {
	// Enqueue stores a job that starts after the transaction commits, and not before
	// the time of the Effect if it has one.
	Enqueue(e Effect) error
}
