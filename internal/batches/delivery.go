package batches

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file has the deliveries to Contacts: the mails of Batches, which are recipients, and all other mails.

// CauseBatch returns the Cause of a Batch's mails.
func CauseBatch(id enlist.BatchID) string { return "b" + strconv.FormatInt(int64(id), 10) }

// KeyOf returns the DeliveryKey of the mail to a recipient. Its Time is the creation time of the Batch.
func (b *Batch) KeyOf(r *recipients.Recipient) enlist.DeliveryKey {
	return enlist.DeliveryKey{List: r.List, Contact: r.Contact, Time: b.CreationTime, Cause: CauseBatch(b.ID)}
}

// delivery returns a recipient as a Delivery, without its subject.
func (b *Batch) delivery(r *recipients.Recipient) messages.Delivery {
	d := messages.Delivery{DeliveryKey: b.KeyOf(r), MessageID: b.MessageID, Address: r.Address, SentTime: r.Time,
		Status: messages.DeliveryStatus(r.Status), Detail: r.Detail}
	if r.Status == recipients.StatusDoubtful { // a report can still arrive
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
	r, err := recipients.Load(tx, k.List, id, k.Contact)
	if err != nil {
		return nil, err
	}
	if !r.WasHandedOver() && r.Status != recipients.StatusSending {
		return nil, enlist.ErrNotFound
	}
	d := b.delivery(r)
	if r.Status == recipients.StatusSending { // a report can arrive before the sender stores the result
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
	deliveries := append(others, ofBatches...)
	slices.SortStableFunc(deliveries, newerFirst)
	of := make(map[enlist.ContactID][]messages.Delivery)
	for i := range deliveries {
		of[deliveries[i].Contact] = append(of[deliveries[i].Contact], deliveries[i])
	}
	return of, nil
}

// batchDeliveries returns the mails of Batches to some Contacts, newest first.
func batchDeliveries(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) (deliveries []messages.Delivery,
	err error) {
	among, err := OfList(tx, list)
	if err != nil {
		return nil, err
	}
	rows, err := recipients.OfContacts(tx, among, list, ids)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r recipients.Recipient) bool { return !r.WasHandedOver() })
	known, err := batchesOf(tx, rows)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		b := known[rows[i].Batch]
		if b == nil {
			return nil, errNoBatch
		}
		if b.Status == BatchRunning || b.Status == BatchDeleted {
			continue // the mails of autoresponders have deliveries, and so have the reported mails of deleted Batches
		}
		deliveries = append(deliveries, b.delivery(&rows[i]))
	}
	slices.SortStableFunc(deliveries, newerFirst)
	return deliveries, nil
}

// batchesOf returns the Batches of recipients, by ID.
func batchesOf(tx *db.Tx, rows []recipients.Recipient) (map[enlist.BatchID]*Batch, error) {
	known := make(map[enlist.BatchID]*Batch)
	for i := range rows {
		known[rows[i].Batch] = nil
	}
	test, ids, err := db.OneOfIDs(tx, slices.Collect(maps.Keys(known)))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return known, batchTable.Each(tx, func(b *Batch) error {
		known[b.ID] = b
		return nil
	}, "WHERE id"+test, ids)
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
	r, err := recipients.Load(tx, k.List, id, k.Contact)
	if err != nil {
		return enlist.IgnoreKind(enlist.NotFound, err)
	}
	return CountUnsubscribedBy(tx, r, now)
}

// CountUnsubscribedBy is CountUnsubscribed for a recipient.
func CountUnsubscribedBy(tx *db.Tx, r *recipients.Recipient, now int64) error {
	first, err := r.Unsubscribe(tx, now)
	if err != nil || !first {
		return err
	}
	if err := AddToBatch(tx, r.Batch, recipients.Counts{Unsubscribed: 1}, now); err != nil {
		return err
	}
	b, err := ByID(tx, r.Batch)
	if err != nil {
		return err
	}
	return recipients.AddDeparture(tx, r.Batch, b.Period(now), 1, 0)
}
