package audience

import (
	"cmp"
	"slices"
	"strconv"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
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

// batch returns the ID in a Cause that CauseBatch returned. For other causes it returns 0.
func (k DeliveryKey) batch() enlist.BatchID { return enlist.BatchID(k.idAfter("b")) }

// key returns the DeliveryKey of a recipient's mail. Its Time is the creation time of the Batch.
func (r *Recipient) key(b *Batch) DeliveryKey {
	return DeliveryKey{List: r.List, Contact: r.Contact, Time: b.CreationTime, Cause: CauseBatch(b.ID)}
}

// wasHandedOver reports whether the mail server has, or may have, accepted or refused the mail.
func (r *Recipient) wasHandedOver() bool {
	switch r.Status {
	case RecipientSent, RecipientBounced, RecipientFailed, RecipientComplained, RecipientDoubtful:
		return true
	}
	return false
}

// delivery returns the recipient as a Delivery, without its subject. The row does not contain the
// Message, so the caller passes the Batch.
func (r *Recipient) delivery(b *Batch) Delivery {
	d := Delivery{DeliveryKey: r.key(b), MessageID: b.MessageID, Address: r.Address, SentTime: r.Time,
		Status: DeliveryStatus(r.Status), Detail: r.Detail}
	if r.Status == RecipientDoubtful { // a report can still arrive
		d.Status = DeliverySent
	}
	if r.Sent != 0 {
		d.SentTime = r.Sent
	}
	return d
}

// loadDelivery returns the Delivery of a key: of a Batch's recipient, or of any other mail. The
// error is of kind NotFound if there is none, or if the mail of the recipient was not sent yet. A
// mail of a deleted Batch has a Delivery after a report about it.
func loadDelivery(tx *db.Tx, k DeliveryKey) (*Delivery, error) {
	id := k.batch()
	if id == 0 {
		return LoadDelivery(tx, k)
	}
	b, err := LoadBatch(tx, id)
	if enlist.KindOf(err) == enlist.NoBatch || err == nil && b.Status == BatchDeleted {
		d, err := LoadDelivery(tx, k)
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
	if !r.wasHandedOver() && r.Status != RecipientSending {
		return nil, enlist.ErrNotFound
	}
	d := r.delivery(b)
	if r.Status == RecipientSending { // a report can arrive before the sender stores the result
		d.Status = DeliverySent
	}
	return &d, nil
}

// isOfDeletedBatch reports whether a key names a mail of a Batch that was deleted.
func isOfDeletedBatch(tx *db.Tx, k DeliveryKey) (bool, error) {
	if k.batch() == 0 {
		return false, nil
	}
	b, err := LoadBatch(tx, k.batch())
	if err != nil {
		return enlist.KindOf(err) == enlist.NoBatch, enlist.IgnoreKind(enlist.NoBatch, err)
	}
	return b.Status == BatchDeleted, nil
}

// eachDelivery calls fn with the deliveries to a Contact, newest first, until fn returns false or an error. The
// mails of Batches are in memory together: a Contact has at most one of each Batch. The other mails are in
// memory in pages of the given size.
func eachDelivery(tx *db.Tx, list enlist.ListID, contact enlist.ContactID, size int, fn func(*Delivery) (more bool, err error)) error {
	ofBatches, err := batchDeliveries(tx, list, contact)
	if err != nil {
		return err
	}
	for offset := 0; ; offset += size {
		page, err := Deliveries(tx, list, contact, size, offset)
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

// batchDeliveries returns the mails of Batches to a Contact, newest first.
func batchDeliveries(tx *db.Tx, list enlist.ListID, contact enlist.ContactID) (all []Delivery, err error) {
	batches, err := contacts.BatchesOfList(tx, list)
	if err != nil || len(batches) == 0 {
		return nil, err
	}
	rows, err := RecipientsOfContact(tx, list, contact, batches)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if !rows[i].wasHandedOver() {
			continue
		}
		b, err := LoadBatch(tx, rows[i].Batch)
		if err != nil {
			return nil, err
		}
		if b.Status == BatchRunning || b.Status == BatchDeleted {
			continue // the mails of autoresponders have deliveries, and so have the reported mails of deleted Batches
		}
		all = append(all, rows[i].delivery(b))
	}
	slices.SortStableFunc(all, newerFirst)
	return all, nil
}

// newerFirst compares deliveries in the order in which a Store returns them.
func newerFirst(a, b Delivery) int {
	return cmp.Or(cmp.Compare(b.SentTime, a.SentTime), cmp.Compare(b.Time, a.Time))
}

// countUnsubscribed counts an unsubscription by the link in the mail of a Batch or an autoresponder, once for each
// recipient. For other mails it does nothing. Take no other lock of the Update after it.
func countUnsubscribed(tx *db.Tx, k DeliveryKey, now int64) error {
	id, err := figuresOf(tx, k)
	if err != nil || id == 0 {
		return err
	}
	r, err := LoadRecipient(tx, k.List, id, k.Contact)
	if err != nil || r.Unsubscribed != 0 {
		return enlist.IgnoreKind(enlist.NotFound, err)
	}
	r.Unsubscribed = now
	if err := SetRecipient(tx, r); err != nil {
		return err
	}
	if err := storeEvent(tx, r, EventUnsubscribed, now); err != nil {
		return err
	}
	return AddToBatch(tx, id, BatchCounts{Unsubscribed: 1}, now)
}
