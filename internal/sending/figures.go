package sending

import (
	"cmp"
	"maps"
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
	lacks := make(map[enlist.ContactID]enlist.Unmeasured) // what all mails to a Contact lack
	for i, d := range g.mails {
		ids[i] = d.Contact
		if i == 0 || ids[i-1] != d.Contact {
			lacks[d.Contact] = d.Unmeasured
		}
		lacks[d.Contact] &= d.Unmeasured
	}
	ids = slices.Compact(ids)
	last := g.mails[len(g.mails)-1]
	stored, err := recipients.ByID(tx, last.List, g.batch, ids)
	if err != nil {
		return err
	}
	if err := g.addFresh(tx, ids, stored, lacks); err != nil {
		return err
	}
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
		if err := g.sentAgain(tx, r, d); err != nil {
			return err
		}
	}
	return nil
}

// addFresh stores the recipients that are new, and counts them.
func (g *sentGroup) addFresh(tx *db.Tx, ids []enlist.ContactID, stored map[enlist.ContactID]*recipients.Recipient,
	lacks map[enlist.ContactID]enlist.Unmeasured) error {
	byLack := make(map[enlist.Unmeasured][]enlist.ContactID)
	for _, id := range ids {
		if stored[id] == nil {
			byLack[lacks[id]] = append(byLack[lacks[id]], id)
		}
	}
	last := g.mails[len(g.mails)-1]
	for _, u := range slices.Sorted(maps.Keys(byLack)) {
		added, err := recipients.Add(tx, last.List, g.batch, byLack[u], recipients.StatusSent, last.SentTime, u)
		if err != nil {
			return err
		}
		g.counts.Recipients, g.counts.Sent = g.counts.Recipients+added, g.counts.Sent+added
		g.counts.Unmeasured.Count(u, added)
	}
	g.countFresh(stored, lacks)
	return nil
}

// sentAgain stores a further mail to a recipient.
func (g *sentGroup) sentAgain(tx *db.Tx, r *recipients.Recipient, d *messages.Delivery) error {
	var events []recipients.Event
	before := g.counts.Unmeasured
	if r.Sent == 0 { // an earlier mail was not accepted
		var err error
		events, err = recipients.Events(tx, r.List, r.Batch, r.Contact)
		if err != nil {
			return err
		}
		g.domains.To(d.Address).Sent++
	}
	g.counts.Contradicted -= r.Contradicted(events)
	r.CountIn(&g.counts, -1)
	if r.Sent == 0 {
		r.Unmeasured = d.Unmeasured
	}
	r.Unmeasured &= d.Unmeasured
	r.Sent, r.Time, r.Address = d.SentTime, d.SentTime, d.Address
	if r.Status != recipients.StatusBounced && r.Status != recipients.StatusComplained {
		r.Status, r.Detail = recipients.StatusSent, ""
	}
	r.CountIn(&g.counts, 1)
	g.counts.Contradicted += r.Contradicted(events)
	g.countLack(d.Address, before)
	return r.Save(tx)
}

// countLack counts by domain what a recipient has changed in the numbers of mails that are not measured.
func (g *sentGroup) countLack(address string, before recipients.Unmeasured) {
	if now := g.counts.Unmeasured; now != before {
		n := &g.domains.To(address).Unmeasured
		n.Opens += now.Opens - before.Opens
		n.Clicks += now.Clicks - before.Clicks
	}
}

// countFresh counts the first mail of each new recipient by its domain.
func (g *sentGroup) countFresh(stored map[enlist.ContactID]*recipients.Recipient,
	lacks map[enlist.ContactID]enlist.Unmeasured) {
	for i, d := range g.mails {
		if stored[d.Contact] == nil && (i == 0 || g.mails[i-1].Contact != d.Contact) {
			n := g.domains.To(d.Address)
			n.Sent++
			n.Unmeasured.Count(lacks[d.Contact], 1)
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
	counts.Recipients, err = recipients.Add(tx, d.List, batch, []enlist.ContactID{d.Contact}, recipients.StatusWaiting, 0, 0)
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
