package sending

import (
	"cmp"
	"slices"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file adds the mails of autoresponders to the Batches that have their figures. decisions.md: 76

// sentGroup are mails of one autoresponder to Contacts of one List, in order of Contact.
type sentGroup struct {
	batch   enlist.BatchID
	mails   []*messages.Delivery
	counts  recipients.Counts
	domains recipients.DomainChanges
}

// countSent adds accepted mails of autoresponders to their Batches. The deliveries are in order of List and Contact.
// Take no other lock of the Update after it.
func countSent(tx *db.Tx, sent []messages.Delivery) error {
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
		if err := batches.AddToBatch(tx, g.batch, g.counts, g.mails[len(g.mails)-1].SentTime); err != nil {
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
			g.batch, err = batches.BatchForMail(tx, d.DeliveryKey)
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

// countNotSent adds a mail that was not sent to the Batch of its autoresponder. It returns the recipient, and the
// counts that the caller adds to the Batch last. For other mails it returns nil.
func countNotSent(tx *db.Tx, d *messages.Delivery) (r *recipients.Recipient, counts recipients.Counts, err error) {
	batch, err := batches.BatchForMail(tx, d.DeliveryKey)
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
