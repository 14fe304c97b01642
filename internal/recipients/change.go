package recipients

import (
	"cmp"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores what a transaction changes for the recipients of a Batch in one List. One statement changes all
// recipients with the same outcome. Most mails are accepted; a recipient with another outcome is stored at once.

// Change is what a transaction changes for the recipients of a Batch in one List. The functions of this file add to it.
type Change struct {
	List    enlist.ListID
	Batch   enlist.BatchID
	Counts  Counts // the caller adds them to the Batch after StoreStatuses, and then calls StoreNumbers
	domains DomainChanges

	waiting, sending, sent []enlist.ContactID
	sentTo                 []string  // the addresses of sent
	editions               []Edition // with the numbers of sent mails
}

// NotTried adds a recipient whose mail was not handed over.
func (c *Change) NotTried(id enlist.ContactID) { c.waiting = append(c.waiting, id) }

// Sent adds a recipient whose mail the mail server accepted.
func (c *Change) Sent(id enlist.ContactID, address string, e Edition) {
	c.sent = append(c.sent, id)
	c.sentTo = append(c.sentTo, address)
	i := slices.IndexFunc(c.editions, func(other Edition) bool { return byEdition(e, other) == 0 })
	if i < 0 {
		i = len(c.editions)
		c.editions = append(c.editions, e)
	}
	c.editions[i].Sent++
}

// Mark adds a recipient whose mail is handed over next. If its address has changed, Mark stores the new one.
func (c *Change) Mark(tx *db.Tx, r *Recipient, address string) error {
	c.sending = append(c.sending, r.Contact)
	if r.Status == StatusSending {
		c.Counts.Repeated++
	}
	if address == r.Address {
		return nil
	}
	return r.move(tx, address)
}

// Outcome is what became of a mail that was not accepted.
type Outcome struct {
	Status  Status
	Detail  string // a LeftOut for StatusSkipped
	Address string // to which the mail was sent; "": the stored one
	Next    int64  // when the next attempt begins, for StatusDeferred, and for StatusSending: an unknown outcome
}

// StoreOutcome stores the outcome of a mail. It returns the recipient, or nil if it is gone or has an outcome already:
// a report about the mail has arrived, or the result was stored and only the reply of COMMIT was lost.
func (c *Change) StoreOutcome(tx *db.Tx, r *Recipient, o *Outcome, now int64) (stored *Recipient, err error) {
	stored, err = Load(tx, c.List, c.Batch, r.Contact)
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.NotFound, err)
	}
	if stored.WasHandedOver() || stored.Status == StatusSkipped || stored.Attempts != r.Attempts {
		return nil, nil
	}
	var events []Event
	if stored.Status == StatusSending { // an attempt with unknown outcome may have reached the person
		if events, err = Events(tx, c.List, c.Batch, r.Contact); err != nil {
			return nil, err
		}
	}
	address := cmp.Or(o.Address, stored.Address)
	isErased := stored.Address != address && stored.Address != r.Address // or the Contact was removed
	stored.Status, stored.Detail, stored.Time = o.Status, o.Detail, now
	c.count(stored, o, address)
	if isErased {
		stored.Detail = "" // the reply of a mail server can repeat the address
	} else {
		stored.Address = address
	}
	c.Counts.Contradicted += stored.Contradicted(events)
	if err := stored.Save(tx); err != nil || stored.Status != StatusBounced {
		return stored, err
	}
	return stored, stored.StoreEvent(tx, EventBounced, now)
}

// count counts an outcome. It changes the recipient if there is another attempt.
func (c *Change) count(r *Recipient, o *Outcome, address string) {
	switch o.Status {
	case StatusDoubtful:
		c.Counts.Doubtful++
	case StatusSkipped:
		c.Counts.Skipped++
		c.Counts.Leave(LeftOut(o.Detail), 1)
	case StatusBounced:
		c.Counts.Refused++
		c.Counts.Bounced++
		n := c.domains.Because(address, o.Detail)
		n.Refused, n.Bounced = n.Refused+1, n.Bounced+1
	case StatusFailed:
		c.Counts.Failed++
	default:
		r.Attempts++
		r.Time = o.Next
		if o.Status == StatusDeferred && r.Attempts == 1 {
			c.domains.Because(address, o.Detail).Deferred++
		}
	}
}

// StoreStatuses stores the statuses of the recipients.
func (c *Change) StoreStatuses(tx *db.Tx, now int64) error {
	if len(c.waiting) > 0 {
		const wasSending = " AND status = 'sending'"
		if err := mark(tx, "status = 'waiting', time = ?", wasSending, c.List, c.Batch, c.waiting, now); err != nil {
			return err
		}
	}
	if len(c.sent) > 0 {
		sent, err := MarkSent(tx, c.List, c.Batch, c.sent, now)
		if err != nil {
			return err
		}
		c.Counts.Sent += sent
		if err := c.countDomains(tx, sent); err != nil {
			return err
		}
	}
	if len(c.sending) == 0 {
		return nil
	}
	return MarkSending(tx, c.List, c.Batch, c.sending, now)
}

// countDomains counts the accepted mails by group of domains. sent is their number: if a report about a mail has
// arrived before, the transaction of the report has counted this mail.
func (c *Change) countDomains(tx *db.Tx, sent int64) error {
	var stored map[enlist.ContactID]*Recipient
	if sent != int64(len(c.sent)) {
		var err error
		if stored, err = ByID(tx, c.List, c.Batch, c.sent); err != nil {
			return err
		}
	}
	for i, id := range c.sent {
		if stored == nil || stored[id] != nil && stored[id].Status == StatusSent {
			c.domains.To(c.sentTo[i]).Sent++
		}
	}
	return nil
}

// HasNumbers reports whether the change has Counts, or numbers by group of domains.
func (c *Change) HasNumbers() (counts, domains bool) {
	return c.Counts != (Counts{}), len(c.domains) > 0
}

// StoreNumbers adds the numbers by group of domains and by edition. The transaction has locked the row of the Batch.
func (c *Change) StoreNumbers(tx *db.Tx, now int64) error {
	if err := c.domains.Store(tx, c.Batch); err != nil {
		return err
	}
	if c.Counts == (Counts{}) {
		return nil // reports have counted the mails before
	}
	slices.SortFunc(c.editions, byEdition)
	for i := range c.editions {
		c.editions[i].FirstTime = now
		if err := addEdition(tx, c.Batch, &c.editions[i]); err != nil {
			return err
		}
	}
	return nil
}
