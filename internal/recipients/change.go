package recipients

import (
	"cmp"
	"slices"

	"enlist/internal/contacts"
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

	waiting, sending []enlist.ContactID
	notRepeated      []enlist.ContactID        // in doubt or tried before
	deferred         []enlist.ContactID        // whose mails are handed over next, after a temporary failure
	inDoubt          []*Recipient              // whose mails are handed over once more
	unmarked         map[enlist.ContactID]bool // of these, the recipients that have an outcome meanwhile
	sent             []SentMail
	editions         []Edition // with the numbers of sent mails
}

// SentMail is a mail that the mail server accepted.
type SentMail struct {
	Contact    enlist.ContactID
	Address    string
	Unmeasured enlist.Unmeasured
	Edition    Edition
}

// NotTried adds a recipient whose mail was not handed over. If it was handed over before it was marked, it is deferred.
func (c *Change) NotTried(r *Recipient) {
	if r.Status == StatusWaiting {
		c.waiting = append(c.waiting, r.Contact)
	} else {
		c.notRepeated = append(c.notRepeated, r.Contact)
	}
}

// Sent adds a mail that the mail server accepted.
func (c *Change) Sent(m *SentMail) { c.sent = append(c.sent, *m) }

// Mark adds a recipient whose mail is handed over next. If its address has changed, Mark stores the new one.
func (c *Change) Mark(tx *db.Tx, r *Recipient, address string) error {
	switch r.Status {
	case StatusSending:
		c.inDoubt = append(c.inDoubt, r)
	case StatusDeferred:
		c.deferred = append(c.deferred, r.Contact)
	default: // only the holder of the slice changes its status
		c.sending = append(c.sending, r.Contact)
	}
	if address == r.Address {
		return nil
	}
	return r.move(tx, address)
}

// AllMarked reports after StoreStatuses whether all recipients of Mark are marked.
func (c *Change) AllMarked() bool { return len(c.unmarked) == 0 }

// IsMarked reports after StoreStatuses whether a recipient of Mark is marked. It is not if its last mail has an outcome
// meanwhile: a report about it has arrived, or a process that has lost the slice has stored it.
func (c *Change) IsMarked(id enlist.ContactID) bool { return !c.unmarked[id] }

// Outcome is what became of a mail that was not accepted.
type Outcome struct {
	Status  Status
	Detail  string // a LeftOut for StatusSkipped
	Address string // to which the mail was sent; "": the stored one
	Next    int64  // when the next attempt begins, for StatusDeferred, and for StatusSending: an unknown outcome
}

// UnknownOutcome is the Detail of a mail whose outcome stays unknown.
const UnknownOutcome = "the outcome is unknown: the process or the connection died during the hand-over"

// StoreOutcome stores the outcome of a mail. It returns the recipient, or nil if it is gone or has an outcome already:
// a report about the mail has arrived, or the result was stored and only the reply of COMMIT was lost.
func (c *Change) StoreOutcome(tx *db.Tx, r *Recipient, o *Outcome, now int64) (stored *Recipient, err error) {
	stored, err = Load(tx, c.List, c.Batch, r.Contact)
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.NotFound, err)
	}
	if stored.WasHandedOver() || stored.Status == StatusSkipped || stored.Attempts != r.Attempts ||
		o.Status == StatusDoubtful && stored.Status != StatusSending { // its last holder has put it back
		return nil, nil
	}
	var events []Event
	if stored.Status != StatusWaiting { // an attempt with unknown outcome may have reached the person
		if events, err = Events(tx, c.List, c.Batch, r.Contact); err != nil {
			return nil, err
		}
	}
	if (o.Status == StatusSkipped || o.Status == StatusFailed) && EventOf(events, EventRepeated, 0) != nil {
		o = &Outcome{Status: StatusDoubtful, Detail: UnknownOutcome, Address: o.Address}
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
		c.domains.Because(address, o.Detail).Failed++
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
	if err := c.putBack(tx, StatusWaiting, c.waiting, now); err != nil {
		return err
	}
	if err := c.putBack(tx, StatusDeferred, c.notRepeated, now); err != nil {
		return err
	}
	if err := c.storeSent(tx, now); err != nil {
		return err
	}
	if err := c.markAgain(tx, now); err != nil || len(c.sending) == 0 {
		return err
	}
	return MarkSending(tx, c.List, c.Batch, c.sending, now)
}

// putBack stores that mails were not handed over.
func (c *Change) putBack(tx *db.Tx, status Status, ids []enlist.ContactID, now int64) error {
	if len(ids) == 0 {
		return nil
	}
	const wasSending = " AND status = 'sending'"
	return mark(tx, "status = '"+string(status)+"', time = ?", wasSending, c.List, c.Batch, ids, now)
}

// storeSent stores which mails the mail server has accepted, and counts those that were not counted before.
func (c *Change) storeSent(tx *db.Tx, now int64) error {
	if len(c.sent) == 0 {
		return nil
	}
	var byLack [everything + 1][]enlist.ContactID
	ids := make([]enlist.ContactID, len(c.sent))
	for i := range c.sent {
		ids[i] = c.sent[i].Contact
		byLack[c.sent[i].Unmeasured] = append(byLack[c.sent[i].Unmeasured], ids[i])
	}
	var stored []enlist.ContactID
	for u, these := range byLack {
		if len(these) > 0 {
			changed, err := MarkSent(tx, c.List, c.Batch, these, enlist.Unmeasured(u), now)
			if err != nil {
				return err
			}
			stored = append(stored, changed...)
		}
	}
	if err := contacts.Sent(tx, c.List, ids, now); err != nil {
		return err
	}
	for i := range c.sent {
		if err := c.countSent(tx, &c.sent[i], len(stored) == len(ids) || slices.Contains(stored, ids[i]), now); err != nil {
			return err
		}
	}
	return nil
}

// countSent counts a mail that the mail server has accepted. isMarked is false if its recipient was not marked as being
// sent any more.
func (c *Change) countSent(tx *db.Tx, m *SentMail, isMarked bool, now int64) error {
	if isMarked {
		c.Counts.Sent++
		c.Counts.Unmeasured.Count(m.Unmeasured, 1)
	} else if isNew, err := c.storeLate(tx, m, now); err != nil || !isNew {
		return err
	}
	n := c.domains.To(m.Address)
	n.Sent++
	n.Unmeasured.Count(m.Unmeasured, 1)
	c.countEdition(m)
	return nil
}

// storeLate stores that the mail to a recipient was accepted which is not marked as being sent any more. Another process
// has taken the slice, and has put the mail in doubt or tried it again. It returns false if the recipient is gone, or
// its mail counts as accepted or bounced already.
func (c *Change) storeLate(tx *db.Tx, m *SentMail, now int64) (isNew bool, err error) {
	r, err := Load(tx, c.List, c.Batch, m.Contact)
	if err != nil {
		return false, enlist.IgnoreKind(enlist.NotFound, err)
	}
	events, err := Events(tx, c.List, c.Batch, m.Contact)
	if err != nil {
		return false, err
	}
	if r.Sent != 0 && r.Unmeasured == 0 && m.Unmeasured != 0 { // a report has come first
		r.Unmeasured = m.Unmeasured
		if EventOf(events, EventBounced, 0) == nil {
			c.Counts.Unmeasured.Count(m.Unmeasured, 1)
			c.domains.To(m.Address).Unmeasured.Count(m.Unmeasured, 1)
		}
		return false, r.Save(tx)
	}
	before := r.Contradicted(events)
	hasFailed := r.Status == StatusFailed
	r.Unmeasured = m.Unmeasured
	if r.Sent != 0 || EventOf(events, EventReturned, 0) != nil || !r.wasAccepted(&c.Counts, now) {
		return false, nil
	}
	if hasFailed {
		c.domains.Because(r.Address, r.Detail).Failed--
	}
	r.Status, r.Detail, r.Time = StatusSent, "", now
	c.Counts.Contradicted += r.Contradicted(events) - before
	return true, r.Save(tx)
}

func (c *Change) countEdition(m *SentMail) {
	e := m.Edition
	i := slices.IndexFunc(c.editions, func(other Edition) bool { return byEdition(e, other) == 0 })
	if i < 0 {
		i = len(c.editions)
		c.editions = append(c.editions, e)
	}
	c.editions[i].Sent++
	c.editions[i].Unmeasured.Count(m.Unmeasured, 1)
}

// markAgain marks recipients whose mails were handed over before, if they have no outcome.
func (c *Change) markAgain(tx *db.Tx, now int64) error {
	if len(c.deferred) > 0 {
		query, args, err := marking(tx, "status = 'sending', time = ?", " AND status = 'deferred' RETURNING contact_id",
			c.List, c.Batch, c.deferred, now)
		if err != nil {
			return err
		}
		marked, err := db.IDsOf[enlist.ContactID](tx, query, args...)
		if err != nil {
			return err
		}
		for _, id := range c.deferred {
			if len(marked) < len(c.deferred) && !slices.Contains(marked, id) {
				if err := c.checkMarked(tx, id); err != nil {
					return err
				}
			}
		}
	}
	for _, r := range c.inDoubt {
		if err := c.markInDoubt(tx, r, now); err != nil {
			return err
		}
	}
	return nil
}

// markInDoubt marks a recipient whose mail is handed over once more, and counts this. If the same marks are stored again,
// because the reply of COMMIT was lost, the recipient has another time, and is not counted twice.
func (c *Change) markInDoubt(tx *db.Tx, r *Recipient, now int64) error {
	n, err := tx.Exec(`UPDATE recipient SET status = 'sending', time = ?
		WHERE list_id = ? AND batch_id = ? AND contact_id = ? AND status = 'sending' AND time = ?`,
		now, int64(c.List), int64(c.Batch), int64(r.Contact), r.Time)
	switch {
	case err != nil:
		return err
	case n == 0:
		return c.checkMarked(tx, r.Contact)
	}
	c.Counts.Repeated++
	return r.countRepeated(tx, now)
}

// checkMarked notes that a recipient is not marked, unless the same marks were stored before.
func (c *Change) checkMarked(tx *db.Tx, id enlist.ContactID) error {
	r, err := Load(tx, c.List, c.Batch, id)
	if err != nil && enlist.KindOf(err) != enlist.NotFound {
		return err
	}
	if err != nil || r.Status != StatusSending {
		if c.unmarked == nil {
			c.unmarked = make(map[enlist.ContactID]bool)
		}
		c.unmarked[id] = true
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
	slices.SortFunc(c.editions, byEdition)
	for i := range c.editions {
		c.editions[i].FirstTime = now
		if err := addEdition(tx, c.Batch, &c.editions[i]); err != nil {
			return err
		}
	}
	return nil
}
