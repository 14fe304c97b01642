package recipients

import (
	"errors"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the record of a recipient.

// Recipient is one Contact that gets the mail of a Batch.
type Recipient struct {
	List         enlist.ListID
	Batch        enlist.BatchID
	Contact      enlist.ContactID
	Slice        int64 // number of the slice that sends the mail
	Status       Status
	Time         int64 // of the status, or of the next attempt
	Attempts     int64 // failed attempts
	Address      string
	Detail       string            // reply of the mail server, text of a report, or a LeftOut
	Sent         int64             // when the mail server accepted the mail
	Unsubscribed int64             // when the recipient unsubscribed by the mail
	Deactivated  int64             // when a bounce of this mail deactivated the Contact
	Unmeasured   enlist.Unmeasured // of the mail; of several mails of an autoresponder, what all of them lack

	before string // the Detail before the function Report
}

// DetailBefore returns the Detail that the recipient had before the function Report.
func (r *Recipient) DetailBefore() string { return r.before }

// Status says what became of a recipient's mail.
type Status string

// The statuses. The last four have the values of a DeliveryStatus.
const (
	StatusWaiting    Status = "waiting"
	StatusSending    Status = "sending"  // being sent; after a crash or a lost connection the outcome is unknown
	StatusDeferred   Status = "deferred" // an attempt failed; Time says when the next one begins
	StatusSkipped    Status = "skipped"  // must not get the mail any more
	StatusDoubtful   Status = "doubtful" // the outcome is unknown, and the Batch does not send it again
	StatusSent       Status = "sent"
	StatusBounced    Status = "bounced"
	StatusFailed     Status = "failed"
	StatusComplained Status = "complained"
)

// WasHandedOver reports whether the mail server has, or may have, accepted or refused the mail.
func (r *Recipient) WasHandedOver() bool {
	switch r.Status {
	case StatusSent, StatusBounced, StatusFailed, StatusComplained, StatusDoubtful:
		return true
	}
	return false
}

// Contradicted returns what a recipient adds to Counts.Contradicted, so that BatchReport.NotOpened is exact. Most
// mails are either opened or bounced. A mail that was opened and bounced is subtracted twice from the sent ones, so it
// adds 1. An opened mail that counts as not sent, because its outcome was unknown, adds 1 too, and so does a bounced
// mail that the recipient has reported as spam. The caller adds the difference when the recipient or its events change.
func (r *Recipient) Contradicted(events []Event) int64 {
	opened := db.Bit(EventOf(events, EventOpened, 0) != nil)
	switch {
	case !r.WasHandedOver() && r.Status != StatusSkipped:
		return 0 // no outcome is counted yet
	case r.Sent == 0, r.Status == StatusBounced:
		return opened
	}
	return db.Bit(EventOf(events, EventBounced, 0) != nil)
}

// wasAccepted stores that the mail server is now known to have accepted the mail, by a report or a late answer. MarkSent
// does not count it after that. It returns false if nothing changes.
func (r *Recipient) wasAccepted(counts *Counts, now int64) bool {
	switch r.Status {
	case StatusDoubtful:
		counts.Doubtful--
	case StatusFailed:
		counts.Failed--
	case StatusSending, StatusDeferred, StatusWaiting:
	default:
		return false
	}
	counts.Sent++
	counts.Unmeasured.Count(r.Unmeasured, 1)
	r.Sent = now
	return true
}

// countRepeated stores that the mail to a recipient is handed over once more, because the outcome of the last one is
// unknown.
func (r *Recipient) countRepeated(tx *db.Tx, now int64) error {
	events, err := Events(tx, r.List, r.Batch, r.Contact)
	if err != nil {
		return err
	}
	e := EventOf(events, EventRepeated, 0)
	if e == nil {
		return r.StoreEvent(tx, EventRepeated, now)
	}
	e.Count, e.LastTime = e.Count+1, now
	return e.Put(tx)
}

// CountIn adds n to the number for what became of the mails to a recipient: one was accepted, or the last was refused or
// has failed. So the figures count each Contact once.
func (r *Recipient) CountIn(c *Counts, n int64) {
	switch {
	case r.Sent != 0:
		c.Sent += n
		if r.Status != StatusBounced {
			c.Unmeasured.Count(r.Unmeasured, n)
		}
	case r.Status == StatusBounced:
		c.Refused += n
	case r.Status == StatusFailed:
		c.Failed += n
	}
}

// Unsubscribe stores that a recipient unsubscribed by the mail. It returns false if that was stored before.
func (r *Recipient) Unsubscribe(tx *db.Tx, now int64) (first bool, err error) {
	if r.Unsubscribed != 0 {
		return false, nil
	}
	r.Unsubscribed = now
	if err := r.Save(tx); err != nil {
		return false, err
	}
	return true, r.StoreEvent(tx, EventUnsubscribed, now)
}

// StoreDeactivated stores that a bounce of the recipient's mail deactivated the Contact.
func (r *Recipient) StoreDeactivated(tx *db.Tx, now int64) error {
	r.Deactivated = now
	if err := r.Save(tx); err != nil {
		return err
	}
	return r.StoreEvent(tx, EventDeactivated, now)
}

// NewEvent returns an event of a recipient, which happens now.
func (r *Recipient) NewEvent(kind EventKind, link enlist.LinkID, now int64) *Event {
	return &Event{List: r.List, Batch: r.Batch, Contact: r.Contact, Kind: kind, Link: link, Time: now,
		LastTime: now, Count: 1}
}

// StoreEvent stores an event that happens once to a recipient.
func (r *Recipient) StoreEvent(tx *db.Tx, kind EventKind, now int64) error {
	return r.NewEvent(kind, 0, now).Put(tx)
}

// Report stores that the mail to a recipient is reported as undeliverable or as spam. It returns what the report changes
// in the counts besides its own. first is false if such a report is stored already: then nothing changes. If keepsBounce,
// the status of a recipient that has bounced stays.
func (r *Recipient) Report(tx *db.Tx, kind EventKind, detail string, keepsBounce bool, now int64) (first bool,
	counts Counts, err error) {
	events, err := Events(tx, r.List, r.Batch, r.Contact)
	if err != nil || EventOf(events, kind, 0) != nil {
		return false, counts, err
	}
	r.before, counts.Contradicted = r.Detail, -r.Contradicted(events)
	if !keepsBounce || r.Status != StatusBounced {
		r.wasAccepted(&counts, now)
		r.Status, r.Detail, r.Time = Status(kind), detail, now // both kinds are statuses too
		if err := r.Save(tx); err != nil {
			return false, counts, err
		}
	}
	if kind == EventBounced && r.Sent != 0 {
		counts.Unmeasured.Count(r.Unmeasured, -1)
	}
	event := r.NewEvent(kind, 0, now)
	counts.Contradicted += r.Contradicted(append(events, *event))
	return true, counts, event.Put(tx)
}

// Return stores that the receiver has refused a mail that the mail server had accepted, for a reason that is not the
// address. The mail then counts as failed. ok is false if it has another outcome: then nothing changes.
func (r *Recipient) Return(tx *db.Tx, detail string, now int64) (ok bool, counts Counts, err error) {
	switch r.Status {
	case StatusSent, StatusSending, StatusDeferred, StatusDoubtful:
	default:
		return false, counts, nil
	}
	events, err := Events(tx, r.List, r.Batch, r.Contact)
	if err != nil || EventOf(events, EventBounced, 0) != nil || EventOf(events, EventReturned, 0) != nil {
		return false, counts, err
	}
	counts.Contradicted = -r.Contradicted(events)
	switch r.Status {
	case StatusSent:
		counts.Sent--
		counts.Unmeasured.Count(r.Unmeasured, -1)
	case StatusDoubtful:
		counts.Doubtful--
	}
	counts.Failed++
	r.before, r.Status, r.Detail, r.Time, r.Sent = detail, StatusFailed, detail, now, 0
	counts.Contradicted += r.Contradicted(events)
	return true, counts, errors.Join(r.Save(tx), r.StoreEvent(tx, EventReturned, now))
}
