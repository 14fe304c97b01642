package api

import (
	"context"
	"encoding/base64"
)

// This file has the types of parameters that methods share, and what is easier to call with them.

// Details maps names to values of a record. For a Contact, a name is the name of a
// Field or field_<id>. For a List, a Field or another record, a name is a key of
// the record. The server ignores unknown names.
type Details map[string]any

// ConsentType says what kind of consent a person gave. reference.md: Consent
type ConsentType = string

// The consent types.
const (
	ConsentGDPR        ConsentType = "gdpr"
	ConsentDirect      ConsentType = "direct"
	ConsentNotRecorded ConsentType = "not_recorded"
)

// Consent describes how a person agreed to be on a List. The zero Consent means
// ConsentNotRecorded.
type Consent struct {
	Type        ConsentType
	Text        string          // the accepted text or a summary, up to 255 characters; required for ConsentGDPR
	Preferences map[string]bool // answers by the name of the List preference; the others keep their old answer
	IPAddress   string          // last known IP address of the person
}

func (c Consent) params() []any {
	preferences := c.Preferences
	if preferences == nil {
		preferences = map[string]bool{}
	}
	return []any{c.Type, c.Text, preferences, c.IPAddress}
}

// Tracking is what a person has decided about the recording of opens and clicks. A method takes at most one.
// SubscribeContact, AddContacts and EditContacts take it as keys of Details: tracking_consent, tracking_text and
// tracking_text_version. reference.md: contact.tracking
type Tracking struct {
	Consent string // granted or denied
	Text    string // what the person read, up to 255 characters
	Version string // of the text, up to 50 characters
}

// decision is a Tracking, or none.
type decision []Tracking

func (d decision) params() (params []any) {
	for _, t := range d {
		params = []any{t.Consent, t.Text, t.Version}
	}
	return params
}

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

func (o AddOptions) params() []any { return []any{o.Overwrite, o.RemoveUnsubscribers, o.IPAddress} }

// Query says which records a search returns. The zero Query returns the first 100
// records by ID. In DeleteContacts, a Limit of 0 means no limit, and a Query without
// Criteria finds no Contact. reference.md: Search
type Query struct {
	Criteria  Criteria
	Limit     int64  // largest number of records; 0: 100, the default of the server; NoLimit: all records
	Offset    int64  // number of records to skip
	SortBy    string // a key of the record; "": sort by ID, ascending
	SortOrder Order  // "": Descending if SortBy is set
}

// NoLimit is the Limit of a Query that returns every record that matches.
const NoLimit = -1

// Order is the direction of a sort.
type Order string

// The directions.
const (
	Ascending  Order = "ASC"
	Descending Order = "DESC"
)

func (q Query) params() []any {
	var limit any // null means the default
	switch {
	case q.Limit == NoLimit:
		limit = 0
	case q.Limit != 0:
		limit = q.Limit
	}
	criteria := q.Criteria
	if criteria == nil {
		criteria = Criteria{}
	}
	return []any{criteria, limit, q.Offset, q.SortBy, q.SortOrder}
}

// Criteria select records. An item is a Test, a connector (Or or And) or a group. A
// group is a value of type Criteria. Criteria have at most 100 Tests and 10 levels of
// groups. Two Tests without a connector between them are joined by And. And has a
// higher precedence than Or. reference.md: Search
//
//	api.Criteria{api.Test{"State", "exactly", "NSW"}, api.Or, api.Test{"Age", "greater_than", 30}}
type Criteria []any

// Test is one criterion: key, operator and value. The operators are exactly,
// not, greater_than, less_than, in, starts_with, ends_with and contains.
type Test [3]any

// The connectors between Tests.
const (
	Or  = "OR"
	And = "AND"
)

// fields are the names of the values to return. No names mean all values.
type fields []string

func (f fields) params() []any {
	if len(f) == 0 {
		return []any{[]string{"all"}}
	}
	return []any{f}
}

// Population says which Contacts of a List get the mail of a Batch.
type Population struct {
	ListID      int64   `json:"list_id"`
	Type        string  `json:"type,omitempty"`         // list (the default), unsent or contacts
	ContactList []int64 `json:"contact_list,omitempty"` // for the type contacts
	Time        string  `json:"time,omitempty"`         // when the recipients are read: now (the default) or send
}

// BatchOptions are the options of a Batch. The zero value is the default.
type BatchOptions struct {
	Name    string          `json:"name,omitempty"`
	Doubt   string          `json:"doubt,omitempty"` // mail of unknown outcome: send (the default) again, or skip
	Rate    string          `json:"rate,omitempty"`  // such as 20/second,5000/day
	Exclude *BatchExclusion `json:"exclude,omitempty"`

	// LocalTime is the name of a Field with the recipients' time zones.
	LocalTime string `json:"local_time,omitempty"`
	// Variants are 2 to 4 variants for the test, or none.
	Variants []BatchVariant `json:"variants,omitempty"`
	// TestShare is the percentage of the recipients that get one of the variants; 0 means 20.
	TestShare int64 `json:"test_share,omitempty"`
	// Winner is clicks (the default), opens or hand.
	Winner string `json:"winner,omitempty"`
	// WinnerHours is after how many hours the winner is chosen, at most 48; 0 means 4.
	WinnerHours int64 `json:"winner_hours,omitempty"`
	// Force adds the Batch although CheckBatch finds an error in its content.
	Force bool `json:"force,omitempty"`
}

// BatchVariant is a variant of a Batch: another Message, or another subject of the Batch's
// Message. If both are zero, it is this Message.
type BatchVariant struct {
	MessageID int64  `json:"message_id,omitempty"`
	Subject   string `json:"subject,omitempty"`
}

// BatchExclusion says which Contacts of the populations are left out: those that match the
// criteria, and those that one of the Batches was sent to.
type BatchExclusion struct {
	Criteria Criteria `json:"criteria,omitempty"`
	Batches  []int64  `json:"batches,omitempty"`
}

// The commands of EditBatch. Only RescheduleBatch has a sendTime.
const (
	PauseBatch      = "pause"
	UnpauseBatch    = "unpause"
	CancelBatch     = "cancel"
	RescheduleBatch = "reschedule"
)

// UploadFile stores a file in a Folder for files. If the Folder has a file with the same name,
// overwrite decides: with true, this file gets the new content and keeps its ID and URL; with
// false, the new file gets a number in its name.
func (c *Client) UploadFile(ctx context.Context, folder int64, name string, content []byte,
	overwrite bool) (*Upload, error) {
	action := "increment"
	if overwrite {
		action = "overwrite"
	}
	details := Details{"name": name, "data": base64.StdEncoding.EncodeToString(content)}
	return c.UploadBase64FileData(ctx, details, folder, action)
}

// WebhookEvent is one event. The body of a POST to a webhook's URL is an array of
// events, oldest first. reference.md: Webhooks
type WebhookEvent struct {
	ListID    int64  `json:"list_id"`
	ContactID int64  `json:"contact_id"` // 0 for an event of a List or a Batch
	BatchID   int64  `json:"batch_id"`   // 0 for an event that no Batch caused
	Object    string `json:"object"`     // list, contact or batch
	Event     string `json:"event"`
	Timestamp int64  `json:"timestamp"` // time of the event in Unix seconds
}
