package batches

import (
	"cmp"
	"slices"
	"strconv"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the recipients of Batches, and says how a DeliveryKey leads to a recipient or to
// the delivery of another mail.

// Recipient is one Contact that gets the mail of a Batch.
type Recipient struct {
	List         enlist.ListID
	Batch        enlist.BatchID
	Contact      enlist.ContactID
	Slice        int64 // number of the slice that sends the mail
	Status       RecipientStatus
	Time         int64 // of the status, or of the next attempt
	Attempts     int64 // failed attempts
	Address      string
	Detail       string // reply of the mail server, text of a report, or a LeftOut
	Sent         int64  // when the mail server accepted the mail
	Unsubscribed int64  // when the recipient unsubscribed by the mail
	Deactivated  int64  // when a bounce of this mail deactivated the Contact
}

// RecipientStatus says what became of a recipient's mail.
type RecipientStatus string

// The statuses. The last four have the values of a DeliveryStatus.
const (
	RecipientWaiting    RecipientStatus = "waiting"
	RecipientSending    RecipientStatus = "sending"  // being sent; after a crash or a lost connection the outcome is unknown
	RecipientDeferred   RecipientStatus = "deferred" // an attempt failed; Time says when the next one begins
	RecipientSkipped    RecipientStatus = "skipped"  // must not get the mail any more
	RecipientDoubtful   RecipientStatus = "doubtful" // the outcome is unknown, and the Batch does not send it again
	RecipientSent       RecipientStatus = "sent"
	RecipientBounced    RecipientStatus = "bounced"
	RecipientFailed     RecipientStatus = "failed"
	RecipientComplained RecipientStatus = "complained"
)

// CauseBatch returns the Cause of a Batch's mails.
func CauseBatch(id enlist.BatchID) string { return "b" + strconv.FormatInt(int64(id), 10) }

// KeyOf returns the DeliveryKey of the mail to a recipient. Its Time is the creation time of the Batch.
func (b *Batch) KeyOf(r *Recipient) enlist.DeliveryKey {
	return enlist.DeliveryKey{List: r.List, Contact: r.Contact, Time: b.CreationTime, Cause: CauseBatch(b.ID)}
}

// WasHandedOver reports whether the mail server has, or may have, accepted or refused the mail.
func (r *Recipient) WasHandedOver() bool {
	switch r.Status {
	case RecipientSent, RecipientBounced, RecipientFailed, RecipientComplained, RecipientDoubtful:
		return true
	}
	return false
}

// delivery returns a recipient as a Delivery, without its subject.
func (b *Batch) delivery(r *Recipient) messages.Delivery {
	d := messages.Delivery{DeliveryKey: b.KeyOf(r), MessageID: b.MessageID, Address: r.Address, SentTime: r.Time,
		Status: messages.DeliveryStatus(r.Status), Detail: r.Detail}
	if r.Status == RecipientDoubtful { // a report can still arrive
		d.Status = messages.DeliverySent
	}
	if r.Sent != 0 {
		d.SentTime = r.Sent
	}
	return d
}

// LoadDelivery returns the Delivery of a key: of a Batch's recipient, or of any other mail. The
// error is of kind NotFound if there is none, or if the mail of the recipient was not sent yet. A
// mail of a deleted Batch has a Delivery after a report about it.
func LoadDelivery(tx *db.Tx, k enlist.DeliveryKey) (*messages.Delivery, error) {
	id := k.Batch()
	if id == 0 {
		return messages.LoadDelivery(tx, k)
	}
	b, err := ByID(tx, id)
	if enlist.KindOf(err) == enlist.NoBatch || err == nil && b.Status == BatchDeleted {
		d, err := messages.LoadDelivery(tx, k)
		if b == nil || enlist.KindOf(err) != enlist.NotFound {
			return d, err
		}
	}
	if err != nil || b.CreationTime != k.Time {
		return nil, enlist.ErrNotFound
	}
	r, err := LoadRecipient(tx, k.List, id, k.Contact)
	if err != nil {
		return nil, err
	}
	if !r.WasHandedOver() && r.Status != RecipientSending {
		return nil, enlist.ErrNotFound
	}
	d := b.delivery(r)
	if r.Status == RecipientSending { // a report can arrive before the sender stores the result
		d.Status = messages.DeliverySent
	}
	return &d, nil
}

// IsOfDeletedBatch reports whether a key names a mail of a Batch that was deleted.
func IsOfDeletedBatch(tx *db.Tx, k enlist.DeliveryKey) (bool, error) {
	if k.Batch() == 0 {
		return false, nil
	}
	b, err := ByID(tx, k.Batch())
	if err != nil {
		return enlist.KindOf(err) == enlist.NoBatch, enlist.IgnoreKind(enlist.NoBatch, err)
	}
	return b.Status == BatchDeleted, nil
}

// EachDelivery calls fn with the deliveries to a Contact, newest first, until fn returns false or an error. The
// mails of Batches are in memory together: a Contact has at most one of each Batch. The other mails are in
// memory in pages of the given size.
func EachDelivery(tx *db.Tx, list enlist.ListID, contact enlist.ContactID, size int,
	fn func(*messages.Delivery) (more bool, err error)) error {
	ofBatches, err := batchDeliveries(tx, list, []enlist.ContactID{contact})
	if err != nil {
		return err
	}
	for offset := 0; ; offset += size {
		page, err := messages.Deliveries(tx, list, contact, size, offset)
		if err != nil {
			return err
		}
		last := len(page) < size
		for len(page) > 0 || last && len(ofBatches) > 0 {
			from := &page
			if len(page) == 0 || len(ofBatches) > 0 && newerFirst(ofBatches[0], page[0]) < 0 {
				from = &ofBatches
			}
			next := &(*from)[0]
			*from = (*from)[1:]
			more, err := fn(next)
			if err != nil || !more {
				return err
			}
		}
		if last {
			return nil
		}
	}
}

// DeliveriesOf returns all deliveries to some Contacts, the newest of each Contact first.
func DeliveriesOf(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) (map[enlist.ContactID][]messages.Delivery, error) {
	others, err := messages.DeliveriesOf(tx, list, ids)
	if err != nil {
		return nil, err
	}
	ofBatches, err := batchDeliveries(tx, list, ids)
	if err != nil {
		return nil, err
	}
	all := append(others, ofBatches...)
	slices.SortStableFunc(all, newerFirst)
	of := make(map[enlist.ContactID][]messages.Delivery)
	for i := range all {
		of[all[i].Contact] = append(of[all[i].Contact], all[i])
	}
	return of, nil
}

// batchDeliveries returns the mails of Batches to some Contacts, newest first.
func batchDeliveries(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) (all []messages.Delivery, err error) {
	among, err := OfList(tx, list)
	if err != nil {
		return nil, err
	}
	rows, err := RecipientsOf(tx, among, list, ids)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r Recipient) bool { return !r.WasHandedOver() })
	known, err := batchesOf(tx, rows)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		b := known[rows[i].Batch]
		if b == nil {
			return nil, ErrNoBatch
		}
		if b.Status == BatchRunning || b.Status == BatchDeleted {
			continue // the mails of autoresponders have deliveries, and so have the reported mails of deleted Batches
		}
		all = append(all, b.delivery(&rows[i]))
	}
	slices.SortStableFunc(all, newerFirst)
	return all, nil
}

// newerFirst compares deliveries in the order in which a Store returns them.
func newerFirst(a, b messages.Delivery) int {
	return cmp.Or(cmp.Compare(b.SentTime, a.SentTime), cmp.Compare(b.Time, a.Time))
}

// CountUnsubscribed counts an unsubscription by the link in the mail of a Batch or an autoresponder, once for each
// recipient. For other mails it does nothing. Take no other lock of the Update after it.
func CountUnsubscribed(tx *db.Tx, k enlist.DeliveryKey, now int64) error {
	id, err := FiguresOf(tx, k)
	if err != nil || id == 0 {
		return err
	}
	r, err := LoadRecipient(tx, k.List, id, k.Contact)
	if err != nil {
		return enlist.IgnoreKind(enlist.NotFound, err)
	}
	return CountUnsubscribedRecipient(tx, r, now)
}

// CountUnsubscribedRecipient is CountUnsubscribed for a recipient.
func CountUnsubscribedRecipient(tx *db.Tx, r *Recipient, now int64) error {
	first, err := r.Unsubscribe(tx, now)
	if err != nil || !first {
		return err
	}
	if err := AddToBatch(tx, r.Batch, BatchCounts{Unsubscribed: 1}, now); err != nil {
		return err
	}
	b, err := ByID(tx, r.Batch)
	if err != nil {
		return err
	}
	return AddDeparture(tx, r.Batch, b.Period(now), 1, 0)
}

// Unsubscribe stores that a recipient unsubscribed by the mail. It returns false if that was stored before.
func (r *Recipient) Unsubscribe(tx *db.Tx, now int64) (first bool, err error) {
	if r.Unsubscribed != 0 {
		return false, nil
	}
	r.Unsubscribed = now
	if err := SetRecipient(tx, r); err != nil {
		return false, err
	}
	return true, r.StoreEvent(tx, EventUnsubscribed, now)
}

// Contradicted returns what a recipient adds to BatchCounts.Contradicted, so that BatchReport.NotOpened is exact. Most
// mails are either opened or bounced. A mail that was opened and bounced is subtracted twice from the sent ones, so it
// adds 1. An opened mail that counts as not sent, because its outcome was unknown, adds 1 too, and so does a bounced
// mail that the recipient has reported as spam. The caller adds the difference when the recipient or its events change.
func (r *Recipient) Contradicted(events []RecipientEvent) int64 {
	opened := db.Bit(EventOf(events, EventOpened, 0) != nil)
	switch {
	case !r.WasHandedOver() && r.Status != RecipientSkipped:
		return 0 // no outcome is counted yet
	case r.Sent == 0, r.Status == RecipientBounced:
		return opened
	}
	return db.Bit(EventOf(events, EventBounced, 0) != nil)
}

// BatchSlice is a part of a Batch's recipients.
type BatchSlice struct {
	Batch  enlist.BatchID
	Number int64
	List   enlist.ListID
	First  enlist.ContactID // the recipients whose IDs are from First to Last
	Last   enlist.ContactID
	Holder string // token of the process that has the lease
	Lease  int64  // end of the lease
	Done   bool
}

// NewSlice is a slice to insert, with the Contacts that become its recipients, in order of ID.
type NewSlice struct {
	BatchSlice
	Contacts []enlist.ContactID
}

// WasAccepted stores that a report shows that the mail server accepted the mail. MarkSent does not count it after that.
func (r *Recipient) WasAccepted(counts *BatchCounts, now int64) {
	switch r.Status {
	case RecipientDoubtful:
		counts.Doubtful--
	case RecipientFailed:
		counts.Failed--
	case RecipientSending:
	default:
		return
	}
	counts.Sent++
	r.Sent = now
}
