package recipients

import (
	"cmp"
	"strconv"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
)

// This file has the rows of a Batch: its recipients by kind of event. rows_sql.go and rows_sort_sql.go read them.

// The kinds of rows besides the kinds of events.
const (
	RowsSent      EventKind = "sent"       // all recipients that get the mail or have got it
	RowsAccepted  EventKind = "accepted"   // whose mail the mail server has accepted; BatchReport.Sent counts them
	RowsDeferred  EventKind = "deferred"   // whose mail was tried again, whatever became of it
	RowsFailed    EventKind = "failed"     // whose mail was not sent, for a reason that is not the address
	RowsDelivered EventKind = "delivered"  // whose mail the mail server has accepted, and has not bounced
	RowsUpdated   EventKind = "updated"    // no mail has a link to update a profile, so there are none
	RowsOpens     EventKind = "opens"      // EventOpened with keys that the published interface does not have
	RowsNotOpened EventKind = "not opened" // whose mail was accepted, has not bounced and was not opened
)

// RowsQuery says which rows the function Rows returns.
type RowsQuery struct {
	List          enlist.ListID
	Batch         enlist.BatchID
	Kind          EventKind
	Link          enlist.LinkID     // for EventLink
	Part          Part              // with a Part there is no Limit and no Offset
	After, Before enlist.ContactID  // only Contacts between these; a Before of 0 means no limit
	Sort          *enlist.SearchKey // nil: by Contact; rows with equal values are in order of Contact
	Where         *enlist.Condition // see enlist.Collector.InStore
	Descending    bool
	Limit, Offset int64 // a Limit of 0 means no limit; there is no Offset with Sort or Where
}

// Row is a recipient of a Batch with one of its events. Without an event, Event is zero.
type Row struct {
	Recipient
	Event   Event
	LinkURL string // for EventLink
	order   fieldOrder
}

// belongsTo reports whether a recipient belongs to a kind without events. The caller checks the events of RowsDelivered
// and RowsNotOpened: that the mail was not opened, and has not bounced.
func belongsTo(r *Recipient, kind EventKind) bool {
	switch kind {
	case RowsSent:
		return r.Status != StatusSkipped
	case RowsAccepted:
		return r.Sent != 0
	case RowsDeferred:
		return r.Attempts > 0
	case RowsFailed:
		return r.Status == StatusFailed
	}
	return r.Sent != 0 && r.Status != StatusBounced
}

// Part says which of the recipients a caller wants: those behind a number by group of domains or by reason. Both are
// computed from the recipient, as they were when it was counted, so they need no column and no index. The zero value
// means all.
type Part struct {
	Group  string       // of pace.Provider
	Reason BounceReason // that the text of the mail server names; for EventBounced and RowsFailed
	// IsOld says that ReasonPolicy stands for each fault of the sender: an earlier version counted the Batch.
	IsOld bool
	Opens OpensPart
}

// OpensPart says whether the opens of the mails must be measured.
type OpensPart int

// The parts.
const (
	AnyOpens OpensPart = iota
	OpensMeasured
	OpensNotMeasured
)

func (p *Part) has(r *Recipient) bool {
	lacks := r.Unmeasured&enlist.UnmeasuredOpens != 0
	if p.Opens == OpensMeasured && lacks || p.Opens == OpensNotMeasured && !lacks {
		return false
	}
	if p.Group != "" && pace.Provider(r.Address) != p.Group {
		return false
	}
	if p.Reason == "" {
		return true // reading the reply of each mail would take most of the time of a page
	}
	reason := ReasonOf(r.Detail)
	return reason == p.Reason || p.IsOld && p.Reason == ReasonPolicy && reason.isFault()
}

// IsOfContact reports whether the values of a key are in the row of the Contact.
func IsOfContact(k *enlist.SearchKey) bool { return k.Field != nil || k.Type == enlist.KeyPreference }

// fieldOrder is the value of the Field by which rows are sorted. No value is the lowest.
type fieldOrder struct {
	present bool
	number  float64 // of a number
	text    string  // in the form of search.Query.Ordered
}

// readFieldOrder reads a value that the database has returned as a text, or nil.
func readFieldOrder(k *enlist.SearchKey, value any) (o fieldOrder, err error) {
	if value == nil {
		return o, nil
	}
	o = fieldOrder{present: true, text: db.TextOf(value)}
	if k.Type == enlist.KeyNumber {
		o.number, err = strconv.ParseFloat(o.text, 64)
		o.text = ""
	}
	return o, err
}

// CompareField compares the values of the Field by which Rows has sorted.
func (r *Row) CompareField(other *Row) int {
	switch a, b := r.order, other.order; {
	case a.present == b.present:
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.text, b.text))
	case a.present:
		return 1
	}
	return -1
}
