package batches

import (
	"cmp"
	"context"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file keeps the figures of autoresponders. Each autoresponder has a Batch of status BatchRunning, so its figures
// are read by the same calls as those of other Batches. No sender takes mails from this Batch: its recipients are
// stored when their mails are sent. It has a recipient for each Contact, however many events of the Contact the
// autoresponder has answered. decisions.md: 76

// AutoresponderBatch returns the ID of the Batch that has the figures of an autoresponder. It returns 0 for an
// autoresponder that an earlier version of the program added, until its first mail. Errors: NoAutoresponder, Denied.
func (s *Service) AutoresponderBatch(ctx context.Context, c *enlist.Caller,
	id enlist.AutoresponderID) (enlist.BatchID, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (enlist.BatchID, error) {
		if _, err := loadAutoresponder(tx, c, id); err != nil {
			return 0, err
		}
		batch, _, err := autoresponderBatch(tx, id, 0)
		return batch, err
	})
}

// AddAutoresponderBatch adds the Batch of an autoresponder and returns its ID.
func AddAutoresponderBatch(a *enlist.Autoresponder, tx *db.Tx) (enlist.BatchID, error) {
	b := Batch{AccountID: a.AccountID, CreatorKeyID: a.CreatorKeyID, CreatorName: a.CreatorName,
		CreationTime: a.CreationTime, ListID: a.ListID, MessageID: a.MessageID,
		MessageType: string(messages.MessageEmail),
		IsPopulated: true, Status: BatchRunning, SendTime: a.CreationTime, ActiveTime: a.CreationTime}
	if err := AddBatch(tx, &b, []Population{runningPopulation(0, a.ListID)}); err != nil {
		return 0, err
	}
	added, err := insertAutoresponderBatch(tx, a.ID, b.ID)
	if err != nil || added {
		return b.ID, err
	}
	if err := deleteBatch(tx, b.ID); err != nil { // another transaction has added one meanwhile
		return 0, err
	}
	id, _, err := autoresponderBatch(tx, a.ID, 0)
	return id, err
}

// runningPopulation is the population for the recipients in a List. Its number is the ID of the List.
func runningPopulation(batch enlist.BatchID, list enlist.ListID) Population {
	return Population{Batch: batch, Number: int64(list), List: list, Type: PopulationEvents, Done: true}
}

// EditAutoresponderBatch stores which Message an autoresponder sends now.
func EditAutoresponderBatch(a *enlist.Autoresponder, tx *db.Tx) error {
	id, _, err := autoresponderBatch(tx, a.ID, 0)
	if err != nil || id == 0 {
		return err
	}
	b, err := LockBatch(tx, id)
	if err != nil || b.MessageID == a.MessageID {
		return err
	}
	b.MessageID = a.MessageID
	return SetBatchState(tx, b)
}

// deleteAutoresponderBatch deletes the Batch of an autoresponder, which is deleted too. A job removes its recipients.
func deleteAutoresponderBatch(a *enlist.Autoresponder, tx *db.Tx, now int64) error {
	id, _, err := autoresponderBatch(tx, a.ID, 0)
	if err != nil || id == 0 {
		return err
	}
	b, err := LockBatch(tx, id)
	if err != nil {
		return err
	}
	if err := b.checkNotAwaited(tx, "autoresponder_id"); err != nil {
		return err
	}
	if err := RemoveAutoresponderBatch(tx, a.ID); err != nil {
		return err
	}
	return b.delete(tx, now)
}

// FiguresOf returns the Batch that has the figures of a mail: the Batch that sent it, or the Batch of its
// autoresponder. It returns 0 for other mails.
func FiguresOf(tx *db.Tx, k enlist.DeliveryKey) (id enlist.BatchID, err error) {
	id = k.Batch()
	if a := k.Autoresponder(); id == 0 && a != 0 {
		id, _, err = autoresponderBatch(tx, a, 0)
	}
	return id, err
}

// batchForMail returns the Batch to which a mail of an autoresponder is added. It adds the Batch, or the List to the
// Batch, if necessary. It returns 0 for other mails, and if the autoresponder is deleted.
func batchForMail(tx *db.Tx, k enlist.DeliveryKey) (enlist.BatchID, error) {
	a := k.Autoresponder()
	if a == 0 {
		return 0, nil
	}
	batch, hasList, err := autoresponderBatch(tx, a, k.List)
	switch {
	case err != nil || hasList:
		return batch, err
	case batch != 0: // the autoresponder had another List before
		p := runningPopulation(batch, k.List)
		return batch, addPopulation(tx, &p)
	}
	schema, err := lists.Schema(tx, k.List)
	if err != nil {
		return 0, enlist.IgnoreKind(enlist.NoList, err)
	}
	i := slices.IndexFunc(schema.Autoresponders, func(other enlist.Autoresponder) bool { return other.ID == a })
	if i < 0 {
		return 0, nil
	}
	return AddAutoresponderBatch(&schema.Autoresponders[i], tx)
}

// sentGroup are mails of one autoresponder to Contacts of one List, in order of Contact.
type sentGroup struct {
	batch   enlist.BatchID
	mails   []*messages.Delivery
	counts  recipients.Counts
	domains recipients.DomainChanges
}

// CountSent adds accepted mails of autoresponders to their Batches. The deliveries are in order of List and Contact.
// Take no other lock of the Update after it.
func CountSent(tx *db.Tx, sent []messages.Delivery) error {
	groups, err := groupSent(tx, sent)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if err := g.store(tx); err != nil {
			return err
		}
	}
	for _, g := range groups {
		if err := AddToBatch(tx, g.batch, g.counts, g.mails[len(g.mails)-1].SentTime); err != nil {
			return err
		}
		if err := g.domains.Store(tx, g.batch); err != nil {
			return err
		}
	}
	return nil
}

// groupSent returns the mails of autoresponders by Batch and List, in order of Batch.
func groupSent(tx *db.Tx, sent []messages.Delivery) (groups []*sentGroup, err error) {
	type source struct {
		list  enlist.ListID
		cause string
	}
	bySource := make(map[source]*sentGroup)
	for i := range sent {
		d := &sent[i]
		g := bySource[source{d.List, d.Cause}]
		if g == nil {
			g = new(sentGroup)
			g.batch, err = batchForMail(tx, d.DeliveryKey)
			if err != nil {
				return nil, err
			}
			bySource[source{d.List, d.Cause}] = g
			if g.batch != 0 {
				groups = append(groups, g)
			}
		}
		g.mails = append(g.mails, d)
	}
	slices.SortStableFunc(groups, func(a, b *sentGroup) int { return cmp.Compare(a.batch, b.batch) })
	return groups, nil
}

// store stores the recipients of a group, and counts them.
func (g *sentGroup) store(tx *db.Tx) error {
	ids := make([]enlist.ContactID, len(g.mails))
	for i, d := range g.mails {
		ids[i] = d.Contact
	}
	ids = slices.Compact(ids)
	last := g.mails[len(g.mails)-1]
	stored, err := recipients.ByID(tx, last.List, g.batch, ids)
	if err != nil {
		return err
	}
	fresh := slices.DeleteFunc(ids, func(id enlist.ContactID) bool { return stored[id] != nil })
	added, err := recipients.Add(tx, last.List, g.batch, fresh, recipients.StatusSent, last.SentTime)
	if err != nil {
		return err
	}
	g.counts.Recipients, g.counts.Sent = added, added
	g.countFresh(stored)
	for _, d := range g.mails {
		if stored[d.Contact] == nil {
			continue
		}
		r, err := recipients.Load(tx, d.List, g.batch, d.Contact) // locks it
		if enlist.KindOf(err) == enlist.NotFound {
			continue // the Contact was removed meanwhile
		}
		if err != nil {
			return err
		}
		var events []recipients.Event
		if r.Sent == 0 { // an earlier mail was not accepted
			events, err = recipients.Events(tx, r.List, r.Batch, r.Contact)
			if err != nil {
				return err
			}
			g.domains.To(d.Address).Sent++
		}
		g.counts.Contradicted -= r.Contradicted(events)
		r.CountIn(&g.counts, -1)
		r.Sent, r.Time, r.Address = d.SentTime, d.SentTime, d.Address
		if r.Status != recipients.StatusBounced && r.Status != recipients.StatusComplained {
			r.Status, r.Detail = recipients.StatusSent, ""
		}
		r.CountIn(&g.counts, 1)
		g.counts.Contradicted += r.Contradicted(events)
		if err := r.Save(tx); err != nil {
			return err
		}
	}
	return nil
}

// countFresh counts the first mail of each new recipient by its domain.
func (g *sentGroup) countFresh(stored map[enlist.ContactID]*recipients.Recipient) {
	for i, d := range g.mails {
		if stored[d.Contact] == nil && (i == 0 || g.mails[i-1].Contact != d.Contact) {
			g.domains.To(d.Address).Sent++
		}
	}
}

// CountNotSent adds a mail that was not sent to the Batch of its autoresponder. It returns the recipient, and the
// counts that the caller adds to the Batch last. For other mails it returns nil.
func CountNotSent(tx *db.Tx, d *messages.Delivery) (r *recipients.Recipient, counts recipients.Counts, err error) {
	batch, err := batchForMail(tx, d.DeliveryKey)
	if err != nil || batch == 0 {
		return nil, counts, err
	}
	status := recipients.Status(d.Status)
	counts.Recipients, err = recipients.Add(tx, d.List, batch, []enlist.ContactID{d.Contact}, recipients.StatusWaiting, 0)
	if err != nil {
		return nil, counts, err
	}
	r, err = recipients.Load(tx, d.List, batch, d.Contact)
	if err != nil {
		return nil, counts, enlist.IgnoreKind(enlist.NotFound, err) // the Contact is gone
	}
	events, err := recipients.Events(tx, d.List, batch, d.Contact)
	if err != nil {
		return nil, counts, err
	}
	r.CountIn(&counts, -1)
	counts.Contradicted = -r.Contradicted(events)
	hadBounced := r.Status == recipients.StatusBounced
	if status == recipients.StatusBounced || r.Sent == 0 && !hadBounced {
		r.Status = status
	}
	r.Time, r.Address, r.Detail = d.SentTime, d.Address, d.Detail
	r.CountIn(&counts, 1)
	counts.Contradicted += r.Contradicted(events)
	if err := r.Save(tx); err != nil || status != recipients.StatusBounced || hadBounced {
		return r, counts, err
	}
	counts.Bounced++
	return r, counts, r.StoreEvent(tx, recipients.EventBounced, d.SentTime)
}

// ReportedRecipient returns the recipient of a mail of an autoresponder that is reported as bounced or as spam, after
// it has stored the report. It returns nil if no figures change: for other mails, and if a report about an earlier mail
// is counted already.
func ReportedRecipient(tx *db.Tx, d *messages.Delivery, kind recipients.EventKind,
	now int64) (r *recipients.Recipient, counts recipients.Counts, err error) {
	batch, err := FiguresOf(tx, d.DeliveryKey)
	if err != nil || batch == 0 {
		return nil, counts, err
	}
	r, err = recipients.Load(tx, d.List, batch, d.Contact)
	if err != nil {
		return nil, counts, enlist.IgnoreKind(enlist.NotFound, err)
	}
	events, err := recipients.Events(tx, d.List, batch, d.Contact)
	if err != nil || recipients.EventOf(events, kind, 0) != nil {
		return nil, counts, err
	}
	counts.Contradicted = -r.Contradicted(events)
	if r.Status != recipients.StatusBounced {
		r.WasAccepted(&counts, now)
		r.Status, r.Detail, r.Time = recipients.Status(d.Status), d.Detail, now
		if err := r.Save(tx); err != nil {
			return nil, counts, err
		}
	}
	event := r.NewEvent(kind, 0, now)
	counts.Contradicted += r.Contradicted(append(events, *event))
	return r, counts, event.Put(tx)
}
