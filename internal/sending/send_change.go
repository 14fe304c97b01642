package sending

import (
	"cmp"
	"slices"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file stores what a transaction changes for the recipients of Batches, and adds it to the numbers of the Batches.

// batchChange is what a transaction changes for the recipients of a Batch in one List. One
// statement changes all recipients with the same outcome.
type batchChange struct {
	list    enlist.ListID
	batch   enlist.BatchID
	sent    []enlist.ContactID // the mail server accepted their mails
	sentTo  []string           // and their addresses
	waiting []enlist.ContactID // their mails were not handed over
	sending []enlist.ContactID // their mails are handed over next
	counts  recipients.Counts
	domains recipients.DomainChanges

	editions []recipients.Edition // with the numbers of sent mails
}

type batchChanges []*batchChange

// of returns the change for a slice, and locks its List.
func (all *batchChanges) of(tx *db.Tx, s *LeasedSlice) (*batchChange, error) {
	i := slices.IndexFunc(*all, func(c *batchChange) bool { return c.list == s.List && c.batch == s.Batch })
	if i >= 0 {
		return (*all)[i], nil
	}
	change := &batchChange{list: s.List, batch: s.Batch}
	*all = append(*all, change)
	return change, tx.LockListForBulk(s.List)
}

// store stores the statuses of the recipients.
func (all batchChanges) store(tx *db.Tx, now int64) error {
	for _, c := range all {
		if len(c.waiting) > 0 {
			if err := recipients.MarkWaiting(tx, c.list, c.batch, c.waiting, now); err != nil {
				return err
			}
		}
		if len(c.sent) > 0 {
			sent, err := recipients.MarkSent(tx, c.list, c.batch, c.sent, now)
			if err != nil {
				return err
			}
			c.counts.Sent += sent
			if err := c.countDomains(tx, sent); err != nil {
				return err
			}
		}
		if len(c.sending) > 0 {
			if err := recipients.MarkSending(tx, c.list, c.batch, c.sending, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// countDomains counts the accepted mails by group of domains. sent is their number: if a report about a mail has
// arrived before, the transaction of the report has counted this mail.
func (c *batchChange) countDomains(tx *db.Tx, sent int64) error {
	var stored map[enlist.ContactID]*recipients.Recipient
	if sent != int64(len(c.sent)) {
		var err error
		if stored, err = recipients.ByID(tx, c.list, c.batch, c.sent); err != nil {
			return err
		}
	}
	for i, id := range c.sent {
		if stored == nil || stored[id] != nil && stored[id].Status == recipients.StatusSent {
			c.domains.To(c.sentTo[i]).Sent++
		}
	}
	return nil
}

// countEdition counts a sent mail.
func (c *batchChange) countEdition(e recipients.Edition) {
	i := slices.IndexFunc(c.editions, func(other recipients.Edition) bool { return byEdition(e, other) == 0 })
	if i < 0 {
		i = len(c.editions)
		c.editions = append(c.editions, e)
	}
	c.editions[i].Sent++
}

// storeCounts adds the counts to the Batches, in order of ID, so that two transactions cannot
// deadlock. It pauses a Batch if too many of its last mails bounced.
func (all batchChanges) storeCounts(tx *db.Tx, now int64) error {
	slices.SortFunc(all, func(a, b *batchChange) int { return cmp.Compare(a.batch, b.batch) })
	for _, c := range all {
		if err := c.storeNumbers(tx, now); err != nil {
			return err
		}
		if c.counts == (recipients.Counts{}) {
			continue
		}
		slices.SortFunc(c.editions, byEdition)
		for i := range c.editions {
			c.editions[i].FirstTime = now
			if err := recipients.AddEdition(tx, c.batch, &c.editions[i]); err != nil {
				return err
			}
		}
		if c.counts.Refused > 0 {
			if err := pauseReported(tx, c.batch); err != nil {
				return err
			}
		}
	}
	return nil
}

// storeNumbers adds the counts and the numbers by group of domains. A transaction that changes these locks the row of
// the Batch first.
func (c *batchChange) storeNumbers(tx *db.Tx, now int64) error {
	switch {
	case c.counts != (recipients.Counts{}):
		if err := batches.AddToBatch(tx, c.batch, c.counts, now); err != nil {
			return err
		}
	case len(c.domains) > 0: // mails were only deferred
		if _, err := batches.LockBatch(tx, c.batch); err != nil {
			return enlist.IgnoreKind(enlist.NoBatch, err)
		}
	}
	return c.domains.Store(tx, c.batch)
}
