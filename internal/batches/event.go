package batches

import (
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
)

// This file has the record of what happens to the mail of a Batch's recipient, and stores the events that change a
// recipient. sending/track.go stores opens and clicks. Package reports reads both.

// EventKind is a kind of event of a recipient.
type EventKind string

// The kinds. A recipient has at most one RecipientEvent of each kind, and one EventLink for each link.
const (
	EventOpened       EventKind = "opened"
	EventClicked      EventKind = "clicked" // any link
	EventLink         EventKind = "link"    // one link
	EventBounced      EventKind = "bounced"
	EventComplained   EventKind = "complained"
	EventUnsubscribed EventKind = "unsubscribed" // by the link in the mail, or by a complaint
	EventDeactivated  EventKind = "deactivated"  // because of a bounce
)

// RecipientEvent is all events of one kind that a recipient has.
type RecipientEvent struct {
	List     enlist.ListID
	Batch    enlist.BatchID
	Contact  enlist.ContactID
	Kind     EventKind
	Link     enlist.LinkID // only for EventLink
	Time     int64         // of the first event
	LastTime int64
	Count    int64
	Human    int64       // time of the first event by a person; 0: only programs
	Device   pace.Device // of the first open, for EventOpened
	Client   string      // key of a MailClient, like Device
}

// Event returns a new event of a recipient, which happens now.
func (r *Recipient) Event(kind EventKind, link enlist.LinkID, now int64) *RecipientEvent {
	return &RecipientEvent{List: r.List, Batch: r.Batch, Contact: r.Contact, Kind: kind, Link: link, Time: now,
		LastTime: now, Count: 1}
}

// StoreEvent stores an event that happens once to a recipient.
func (r *Recipient) StoreEvent(tx *db.Tx, kind EventKind, now int64) error {
	return PutRecipientEvent(tx, r.Event(kind, 0, now))
}

// StoreDeactivated stores that a bounce of the recipient's mail deactivated the Contact.
func (r *Recipient) StoreDeactivated(tx *db.Tx, now int64) error {
	r.Deactivated = now
	if err := SetRecipient(tx, r); err != nil {
		return err
	}
	return r.StoreEvent(tx, EventDeactivated, now)
}

// BatchSums are the numbers of opens and clicks of a Batch in a period.
type BatchSums struct {
	Opens        int64 // requests for the image
	ImageOpened  int64 // mails that were opened first by the image
	ClickOpened  int64 // mails that were opened first by a click
	HumanOpened  int64 // mails that a person opened
	Clicks       int64
	Clicked      int64 // mails in which a link was clicked
	LinksClicked int64 // pairs of a mail and a clicked link
	HumanClicked int64 // mails in which a person clicked a link
	HumanLinks   int64 // pairs of a mail and a link that a person clicked
}

// Opened returns the number of opened mails.
func (s *BatchSums) Opened() int64 { return s.ImageOpened + s.ClickOpened }

// LinkSums are the numbers of clicks of one link of a Batch.
type LinkSums struct {
	Link     enlist.LinkID
	URL      string // as in the Message
	Clicks   int64
	Contacts int64 // mails in which the link was clicked
	Humans   int64 // mails in which a person clicked the link
}

// AgentSums is the number of mails that were opened first on a kind of device with a mail program.
type AgentSums struct {
	Device pace.Device
	Client string
	Opened int64
}

// The periods of BatchSums: hours in the first week after the send time, then days. So a report of a year reads few
// rows.
const (
	hoursUpto = 7 * enlist.Day
)

// Period returns the beginning of the period of BatchSums to which a time belongs.
func (b *Batch) Period(at int64) int64 {
	if at-b.SendTime < hoursUpto {
		return at - at%enlist.Hour
	}
	return at - at%enlist.Day
}

// SumParts is the number of rows into which each sum of a Batch, or of one of its variants, is divided.
const SumParts = 16

// SumPart returns the part of the sums to which the events of a Contact are added. Transactions for different Contacts
// mostly lock different rows. A Batch without variants has the parts 0 to 15, variant 1 has 16 to 31, and so on.
func (b *Batch) SumPart(id enlist.ContactID) int64 {
	return b.VariantOf(id)*SumParts + int64(id)%SumParts
}

// EventOf returns a pointer to one of the events, or nil.
func EventOf(events []RecipientEvent, kind EventKind, link enlist.LinkID) *RecipientEvent {
	i := slices.IndexFunc(events, func(e RecipientEvent) bool { return e.Kind == kind && e.Link == link })
	if i < 0 {
		return nil
	}
	return &events[i]
}

// Add adds other sums.
func (s *BatchSums) Add(o *BatchSums) {
	s.Opens += o.Opens
	s.ImageOpened += o.ImageOpened
	s.ClickOpened += o.ClickOpened
	s.HumanOpened += o.HumanOpened
	s.Clicks += o.Clicks
	s.Clicked += o.Clicked
	s.LinksClicked += o.LinksClicked
	s.HumanClicked += o.HumanClicked
	s.HumanLinks += o.HumanLinks
}

const RowsNotOpened EventKind = "not opened" // whose mail was accepted, has not bounced and was not opened
