package batches

import (
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file has the record of a Batch: one Message that is sent to many Contacts. The rules for
// callers are in add.go and edit.go. A job populates the Batch (sending/populate.go): it
// stores a recipient (package recipients) for each Contact that gets the mail. The sender of package sending then takes
// slices of these recipients (sending/slice.go), composes their mails and stores the results (sending/send.go).

// Batch sends a Message to Contacts. Its ID is also the queue ID that addBatch returns.
type Batch struct {
	ID            enlist.BatchID
	AccountID     enlist.AccountID
	CreatorKeyID  enlist.KeyID
	CreatorName   string
	CreationTime  int64
	ListID        enlist.ListID // the List of the first population
	MessageID     enlist.MessageID
	MessageType   string
	IsScheduled   bool // a caller asked for a later time
	IsTest        bool // the subject begins with [test]
	Name          string
	Rate          string // rates of its mails for ParseRates; "" means no limit
	Untracked     bool   // its mails have no tracking pixel and no tracked links, whatever the List says
	SkipsDoubtful bool   // a mail whose outcome is unknown is not sent again
	IsForced      bool   // it is sent although its Message has no content
	LocalTime     string // name of the Field with the recipients' time zones; "": all get the mail at SendTime
	Variants      *Variants
	IsPopulated   bool // all recipients are stored
	Status        BatchStatus
	Reason        string // why the server paused or failed the Batch; "" if a caller did
	SendTime      int64
	ApproveAbove  int64 // the Batch begins only after an approval, if more Contacts than this get it; 0: it needs none
	NotBefore     int64 // before which it does not begin, so that the person who sends it can stop it; 0: at any time
	Begun         int64 // when a sender first took recipients; 0: no mail can have left
	FirstSent     int64 // time of the first mail
	LastSent      int64 // time of the last mail
	ActiveTime    int64 // when the server last worked on the Batch, or when a caller last continued it
	// EventsRemoved is when opens and clicks were removed; negative: in part; 0: they are kept. In the Batch of an
	// autoresponder, it is the time before which mails have lost them.
	EventsRemoved int64
	// About the last 1,000 mails since a caller continued the Batch: all three numbers are halved when there are 1,000.
	RecentMails      int64
	RecentBounces    int64 // refused because of the address, or reported later
	RecentComplaints int64
	recipients.Counts
}

// BatchStatus says what the server does with a Batch.
type BatchStatus string

// The statuses. A Batch that is completed, failed or cancelled has ended and never changes its status again.
const (
	BatchInitialising BatchStatus = "initialising" // the recipients that can be known now are not all stored
	BatchPending      BatchStatus = "pending"      // waits for its send time
	BatchSending      BatchStatus = "sending"
	BatchCompleted    BatchStatus = "completed"
	BatchFailed       BatchStatus = "failed" // its Message is gone
	BatchCancelled    BatchStatus = "cancelled"
	BatchPaused       BatchStatus = "paused"
	BatchDeleted      BatchStatus = "deleted" // a job removes its rows; callers do not see it
	BatchRunning      BatchStatus = "running" // has the figures of an autoresponder (autoresponder_batch.go)
)

// SendStatus returns the status that callers see. An autoresponder never ends.
func (b *Batch) SendStatus() BatchStatus {
	if b.Status == BatchRunning {
		return BatchSending
	}
	return b.Status
}

// kind returns the type of the Batch that callers see.
func (b *Batch) kind() string {
	if b.Status == BatchRunning {
		return "autoresponder"
	}
	return "manual"
}

// Ended reports whether the Batch will never send another mail.
func (b *Batch) Ended() bool {
	switch b.Status {
	case BatchCompleted, BatchFailed, BatchCancelled, BatchDeleted:
		return true
	}
	return false
}

// BatchAttributes are the keys of a Batch record, in their order on the wire.
var BatchAttributes = []enlist.Attribute[Batch]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(b *Batch) enlist.BatchID { return b.ID })),
	enlist.Searchable(enlist.ReadOnlyInt("list_id", func(b *Batch) enlist.ListID { return b.ListID })),
	enlist.Searchable(enlist.ReadOnlyInt("creator_user_id", func(b *Batch) enlist.KeyID { return b.CreatorKeyID })),
	enlist.Searchable(enlist.ReadOnlyInt("creation_time", func(b *Batch) int64 { return b.CreationTime })),
	enlist.Searchable(enlist.ReadOnlyInt("message_id", func(b *Batch) enlist.MessageID { return b.MessageID })),
	enlist.Searchable(enlist.ReadOnlyText("message_type", func(b *Batch) string { return b.MessageType })),
	enlist.Searchable(enlist.ReadOnlyFlag("is_scheduled", func(b *Batch) bool { return b.IsScheduled })),
	enlist.Searchable(enlist.ReadOnlyFlag("is_populated", func(b *Batch) bool { return b.IsPopulated })),
	enlist.Searchable(enlist.ReadOnlyText("send_status", (*Batch).SendStatus)),
	enlist.Searchable(enlist.ReadOnlyInt("send_time", func(b *Batch) int64 { return b.SendTime })),
	enlist.Searchable(enlist.ReadOnlyInt("first_sent_time", func(b *Batch) int64 { return b.FirstSent })),
	enlist.Searchable(enlist.ReadOnlyInt("last_sent_time", func(b *Batch) int64 { return b.LastSent })),
	enlist.Computed(enlist.ReadOnlyInt("send_contact_count", func(b *Batch) int64 { return b.ToSend() })),
	enlist.Computed(enlist.ReadOnlyInt("send_current_count", func(b *Batch) int64 { return b.Processed() })),
	enlist.Searchable(enlist.ReadOnlyFlag("is_test", func(b *Batch) bool { return b.IsTest })),
	enlist.Computed(enlist.ReadOnlyText("type", (*Batch).kind)),
	enlist.ReadOnlyText("creator_name", func(b *Batch) string { return b.CreatorName }),
}

// CurrentBatchAttributes are the keys of a Batch that has not ended, in their order on the wire.
var CurrentBatchAttributes = []enlist.Attribute[Batch]{
	enlist.ReadOnlyInt("id", func(b *Batch) enlist.BatchID { return b.ID }),
	enlist.ReadOnlyInt("message_id", func(b *Batch) enlist.MessageID { return b.MessageID }),
	enlist.ReadOnlyText("send_status", (*Batch).SendStatus),
	enlist.ReadOnlyInt("send_time", func(b *Batch) int64 { return b.SendTime }),
	enlist.ReadOnlyInt("account_id", func(b *Batch) enlist.AccountID { return b.AccountID }),
	enlist.ReadOnlyInt("send_current_count", func(b *Batch) int64 { return b.Processed() }),
	enlist.ReadOnlyInt("send_contact_count", func(b *Batch) int64 { return b.ToSend() }),
	enlist.ReadOnlyText("send_status_description", func(b *Batch) string {
		status := string(b.SendStatus())
		return strings.ToUpper(status[:1]) + status[1:]
	}),
}

// BatchStatusAttributes are the keys of the status of a Batch, in their order on the wire.
var BatchStatusAttributes = []enlist.Attribute[Batch]{
	enlist.ReadOnlyInt("send_contact_count", func(b *Batch) int64 { return b.ToSend() }),
	enlist.ReadOnlyInt("send_current_count", func(b *Batch) int64 { return b.Processed() }),
	enlist.ReadOnlyFlag("is_scheduled", func(b *Batch) bool { return b.IsScheduled }),
	enlist.ReadOnlyText("send_status", (*Batch).SendStatus),
}

// hoursUpto is for how long after the send time a period of recipients.Sums is an hour. Later ones are days, so a report
// of a year reads few rows.
const hoursUpto = 7 * enlist.Day

// Period returns the beginning of the period of recipients.Sums to which a time belongs.
func (b *Batch) Period(at int64) int64 {
	if at-b.SendTime < hoursUpto {
		return at - at%enlist.Hour
	}
	return at - at%enlist.Day
}

// SumPart returns the part of the sums to which the events of a Contact are added. Transactions for different Contacts
// mostly lock different rows. A Batch without variants has the parts 0 to 15, variant 1 has 16 to 31, and so on.
func (b *Batch) SumPart(id enlist.ContactID) int64 {
	return b.VariantOf(id)*recipients.SumParts + int64(id)%recipients.SumParts
}

// Population says which Contacts of a List get the mails of a Batch.
type Population struct {
	Batch    enlist.BatchID
	Number   int64 // a Batch reads its populations in this order, from 1
	List     enlist.ListID
	Type     PopulationType
	Contacts db.IDSet         // for PopulationContacts
	Criteria *enlist.Criteria // for PopulationSearch
	AtSend   bool             // the recipients are read at the send time, otherwise at once
	Upto     enlist.ContactID // highest ID to read; 0: the reading has not begun
	Last     enlist.ContactID // the Contacts up to this ID are done
	Done     bool
}

// PopulationType says how a population finds its Contacts.
type PopulationType string

// The types of populations.
const (
	PopulationList     PopulationType = "list"
	PopulationUnsent   PopulationType = "unsent" // the Contacts that were never sent the Message
	PopulationContacts PopulationType = "contacts"
	PopulationSearch   PopulationType = "search" // a job replaces it by the Contacts that the search finds
	populationEvents   PopulationType = "events" // the Contacts that an autoresponder has sent mails to
)

// BatchFilter says which Batches of an Account are wanted. Its zero value means all.
type BatchFilter struct {
	Lists       []enlist.ListID  // not nil: their populations have no other List
	Open        bool             // they have not ended
	Message     enlist.MessageID // not 0: they send it, and not only as a variant
	HasVariants bool
	Since       int64 // not 0: they were added later than this, or sent, or will be

	Where         *enlist.Condition // nil: all; see Condition.inStore
	Sort          *enlist.SearchKey // nil: by ID; Batches with equal values are in order of ID
	Descending    bool              // in the order of Sort
	Limit, Offset int64             // a Limit of 0 means no limit
}
