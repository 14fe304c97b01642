package recipients

import (
	"slices"

	"enlist/internal/enlist"
	"enlist/internal/pace"
)

// This file has the record of what happens to the mail of a recipient.

// EventKind is a kind of event of a recipient.
type EventKind string

// The kinds. A recipient has at most one Event of each kind, and one EventLink for each link.
const (
	EventOpened       EventKind = "opened"
	EventClicked      EventKind = "clicked" // any link
	EventLink         EventKind = "link"    // one link
	EventBounced      EventKind = "bounced"
	EventComplained   EventKind = "complained"
	EventUnsubscribed EventKind = "unsubscribed" // by the link in the mail, or by a complaint
	EventDeactivated  EventKind = "deactivated"  // because of a bounce
	EventReturned     EventKind = "returned"     // refused for the sender's fault after the mail server had accepted it
	EventRepeated     EventKind = "repeated"     // handed over once more, because the outcome of the last one is unknown
)

// Event is all events of one kind that a recipient has.
type Event struct {
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

// EventOf returns a pointer to one of the events, or nil.
func EventOf(events []Event, kind EventKind, link enlist.LinkID) *Event {
	i := slices.IndexFunc(events, func(e Event) bool { return e.Kind == kind && e.Link == link })
	if i < 0 {
		return nil
	}
	return &events[i]
}
