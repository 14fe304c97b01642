package sending

import (
	"cmp"
	"context"
	"slices"
	"time"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file has what a sender does with a leased slice. BatchMails reads the next recipients and
// checks again whether each of them may get the mail. AdvanceBatches marks recipients as being
// sent before the first of their mails is handed over, and stores the results. So after a crash
// the outcome is unknown only for the recipients that are marked.

// BatchPart is some recipients of a slice.
type BatchPart struct {
	Slice      *LeasedSlice
	Recipients []recipients.Recipient
}

// BatchMails returns for each part the mails to mark, and as results the recipients that must not get the mail any
// more. It changes nothing.
func (s *Service) BatchMails(ctx context.Context, parts []BatchPart) (next []BatchProgress, err error) {
	wanted := make(map[enlist.ListID][]enlist.ContactID)
	for _, p := range parts {
		for i := range p.Recipients {
			wanted[p.Slice.List] = append(wanted[p.Slice.List], p.Recipients[i].Contact)
		}
	}
	err = s.db.View(ctx, func(tx *db.Tx) error {
		next = make([]BatchProgress, len(parts))
		for i := range parts {
			next[i].Slice = parts[i].Slice // a part without recipients gets nothing else
		}
		for list, ids := range wanted {
			schema, err := lists.Schema(tx, list)
			if err != nil && enlist.KindOf(err) != enlist.NoList {
				return err
			}
			var contacts []enlist.Contact
			var blocked []enlist.ContactID
			if schema != nil {
				contacts, blocked, err = contactsToMail(tx, schema, ids)
				if err != nil {
					return err
				}
			}
			var mails []*BatchMail
			for i, p := range parts {
				if p.Slice.List == list {
					next[i] = p.mails(schema, contacts, blocked)
					for k := range next[i].Mark {
						mails = append(mails, &next[i].Mark[k])
					}
				}
			}
			if err := showBlocks(tx, schema, s.db.Now().Unix(), mails); err != nil {
				return err
			}
		}
		return nil
	})
	return next, err
}

// showBlocks leaves the blocks out that the Contacts of mails to a List do not see.
func showBlocks(tx *db.Tx, schema *enlist.Schema, now int64, mails []*BatchMail) error {
	to := make(map[*messages.Message][]enlist.ContactID) // nil: the Message has no conditions
	for _, m := range mails {
		ids, known := to[m.Message]
		if !known && m.Message.HasConditions() || ids != nil {
			ids = append(ids, m.Contact.ID)
		}
		to[m.Message] = ids
	}
	showing := make(map[*messages.Message]*messages.Showing)
	for m, ids := range to {
		if ids == nil {
			continue
		}
		var err error
		if showing[m], err = messages.ShowTo(tx, schema, now, m, ids); err != nil {
			return err
		}
	}
	for _, m := range mails {
		if of := showing[m.Message]; of != nil {
			m.Message = of.For(m.Contact.ID)
		}
	}
	return nil
}

// contactsToMail returns Contacts and which of them are suppressed, both in order of ID.
func contactsToMail(tx *db.Tx, schema *enlist.Schema, ids []enlist.ContactID) (present []enlist.Contact,
	blocked []enlist.ContactID, err error) {
	present, err = contacts.AllByID(tx, schema.List.ID, ids)
	if err != nil {
		return nil, nil, err
	}
	candidates := make([]contacts.Candidate, len(present))
	for i := range present {
		candidates[i] = contacts.Candidate{ID: present[i].ID, Key: present[i].Key}
	}
	blocked, err = contacts.Suppressed(tx, &schema.List, candidates)
	return present, blocked, err
}

// mails returns the mails of a part. schema is nil if the List is gone.
func (p *BatchPart) mails(schema *enlist.Schema, contacts []enlist.Contact, blocked []enlist.ContactID) BatchProgress {
	next := BatchProgress{Slice: p.Slice, Mark: make([]BatchMail, 0, len(p.Recipients))}
	for i := range p.Recipients {
		r := &p.Recipients[i]
		mail, reason := p.Slice.mail(schema, contacts, r)
		if _, found := slices.BinarySearch(blocked, r.Contact); found && reason == "" {
			reason = recipients.LeftSuppressed
		}
		if reason != "" && r.Status == recipients.StatusSending {
			reason = leftDoubtful // the Contact may have got it, and may not get another one
		}
		if reason != "" {
			next.Results = append(next.Results, BatchResult{Recipient: *r, Skipped: reason})
		} else {
			next.Mark = append(next.Mark, BatchMail{OutgoingMail: mail, Recipient: *r})
		}
	}
	return next
}

// BatchMail is the mail of one recipient of a Batch.
type BatchMail struct {
	messages.OutgoingMail
	Recipient recipients.Recipient
}

// mail returns the mail of one recipient, or why it must not be sent. contacts are in order of ID.
func (l *LeasedSlice) mail(schema *enlist.Schema, contacts []enlist.Contact,
	r *recipients.Recipient) (m messages.OutgoingMail, reason recipients.LeftOut) {
	if r.Status == recipients.StatusSending && l.Of.SkipsDoubtful {
		return m, leftDoubtful
	}
	i, found := slices.BinarySearchFunc(contacts, r.Contact,
		func(c enlist.Contact, id enlist.ContactID) int { return int(c.ID - id) })
	if !found {
		return m, recipients.LeftGone
	}
	c := &contacts[i]
	content := l.content(r.Contact)
	m = messages.OutgoingMail{Delivery: l.Of.KeyOf(r), Schema: schema, Contact: c, Message: content.Message,
		Files: content.Files, Campaign: l.Of.Name, Untracked: l.Of.Untracked,
		Address: c.Values.Get(schema.Email().ID)}
	reason = recipients.WhyLeftOut(c, schema)
	if reason == "" && m.Address == "" {
		reason = recipients.LeftNoAddress
	}
	return m, reason
}

// leftDoubtful is the reason of a recipient whose mail may have been sent. It is not counted like the
// other reasons, because the recipient may have got the mail.
const leftDoubtful recipients.LeftOut = "doubtful"

// BatchResult is the outcome of one recipient's mail.
type BatchResult struct {
	Recipient  recipients.Recipient
	Address    string                // to which the mail was sent
	Skipped    recipients.LeftOut    // not "": the mail must not be sent
	NotTried   bool                  // the sender has not begun to hand the mail over
	Unknown    bool                  // the hand-over was interrupted; such a result must not be stored
	Failed     *messages.Undelivered // nil: the mail server has accepted the mail
	Unmeasured enlist.Unmeasured     // of the mail
	Retry      time.Time             // when to try again after a temporary failure
}

// BatchProgress is what a sender reports about a slice in one transaction.
type BatchProgress struct {
	Slice   *LeasedSlice
	Results []BatchResult // of recipients that are marked, or that are skipped
	Mark    []BatchMail   // the next mails to hand over
	Release bool          // the sender is done with the slice
	Pause   int64         // for Release: seconds until another process may take the slice
}

// AdvanceBatches stores the progress of some slices. For each it returns the mails of Mark that the sender may hand over,
// or nil if it has to stop: the Batch is not sending any more, or another process has taken the slice. The recipients of
// Mark are marked only if the sender has the slice.
func (s *Service) AdvanceBatches(ctx context.Context, reports []BatchProgress) (marked [][]BatchMail, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) ([][]BatchMail, error) {
		sending, _, err := s.sendingNow(tx)
		if err != nil {
			return nil, err
		}
		var changes batchChanges
		kept := make(keptSlices)
		marking := make([]*recipients.Change, len(reports)) // nil: the sender has to stop
		for i := range reports {
			p := &reports[i]
			change, err := changes.of(tx, p.Slice)
			if err != nil {
				return nil, err
			}
			var held holding
			if p.needsLease() {
				if held, err = kept.keep(tx, p.Slice, now); err != nil {
					return nil, err
				}
			}
			err = p.addResults(tx, change, held, now)
			if _, ok := sending[p.Slice.Batch]; ok && held.marks && err == nil {
				marking[i] = change
				err = p.mark(tx, change)
			}
			if err != nil {
				return nil, err
			}
		}
		if err := changes.storeStatuses(tx, now); err != nil {
			return nil, err
		}
		marked := make([][]BatchMail, len(reports))
		for i := range reports {
			if marking[i] != nil {
				marked[i] = reports[i].marked(marking[i])
			}
			if err := reports[i].release(tx, now); err != nil {
				return nil, err
			}
		}
		return marked, changes.storeNumbers(tx, now)
	})
}

// accepted reports whether the mail server has accepted the mail.
func (r *BatchResult) accepted() bool { return r.Skipped == "" && !r.NotTried && r.Failed == nil }

// needsLease reports whether only the holder of the slice may store the progress.
func (p *BatchProgress) needsLease() bool {
	return len(p.Mark) > 0 || slices.ContainsFunc(p.Results, func(r BatchResult) bool { return !r.accepted() })
}

// addResults adds the results of a slice. If another process has taken it, only accepted mails are stored: the others
// are in doubt, and that process may be handing them over.
func (p *BatchProgress) addResults(tx *db.Tx, change *recipients.Change, held holding, now int64) error {
	for i := range p.Results {
		r := &p.Results[i]
		switch {
		case r.accepted():
			change.Sent(&recipients.SentMail{Contact: r.Recipient.Contact, Address: cmp.Or(r.Address, r.Recipient.Address),
				Unmeasured: r.Unmeasured, Edition: p.Slice.editionOf(r.Recipient.Contact)})
		case !held.stores:
		case r.Skipped == "" && r.NotTried:
			change.NotTried(&r.Recipient)
		default:
			stored, err := change.StoreOutcome(tx, &r.Recipient, r.outcome(p.Slice.Of), now)
			if err == nil && stored != nil && stored.Status == recipients.StatusBounced {
				err = p.Slice.refused(tx, stored, &change.Counts, now)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// outcome returns what became of a mail that was not accepted.
func (r *BatchResult) outcome(b *batches.Batch) *recipients.Outcome {
	o := &recipients.Outcome{Address: r.Address, Next: r.Retry.Unix()}
	isLast := r.Recipient.Attempts+1 >= db.Attempts
	switch why := r.Failed; {
	case r.Skipped == leftDoubtful, r.Skipped == "" && why.Unknown && (b.SkipsDoubtful || isLast):
		o.Status, o.Detail = recipients.StatusDoubtful, recipients.UnknownOutcome
		return o
	case r.Skipped != "":
		o.Status, o.Detail = recipients.StatusSkipped, string(r.Skipped)
		return o
	case why.Permanent && why.Recipient:
		o.Status = recipients.StatusBounced
	case why.Permanent || isLast:
		o.Status = recipients.StatusFailed
	case why.Unknown:
		o.Status = recipients.StatusSending
	default:
		o.Status = recipients.StatusDeferred
	}
	o.Detail = r.Failed.Error()
	return o
}

// refused publishes that the mail server refused the address of a recipient, and counts it for the Contact.
func (l *LeasedSlice) refused(tx *db.Tx, r *recipients.Recipient, change *recipients.Counts, now int64) error {
	key := l.Of.KeyOf(r)
	if err := batches.PublishMail(tx, key, now, enlist.WebhookBounced); err != nil {
		return err
	}
	return countBounce(tx, key, r, change, now)
}

// countBounce deactivates the Contact of a bounced mail if it bounced too often. It counts this for the recipient,
// which is nil for a mail without figures.
func countBounce(tx *db.Tx, k enlist.DeliveryKey, r *recipients.Recipient, change *recipients.Counts, now int64) error {
	deactivated, err := deactivateBounced(tx, k.List, k.Contact, now)
	if err != nil || !deactivated || r == nil || r.Deactivated != 0 {
		return err
	}
	change.Deactivated++
	return r.StoreDeactivated(tx, now)
}

func (p *BatchProgress) mark(tx *db.Tx, change *recipients.Change) error {
	for i := range p.Mark {
		if err := change.Mark(tx, &p.Mark[i].Recipient, p.Mark[i].Address); err != nil {
			return err
		}
	}
	return nil
}

// marked returns the mails that are marked, which are not nil.
func (p *BatchProgress) marked(change *recipients.Change) []BatchMail {
	if change.AllMarked() {
		return p.Mark
	}
	mails := make([]BatchMail, 0, len(p.Mark))
	for i := range p.Mark {
		if change.IsMarked(p.Mark[i].Recipient.Contact) {
			mails = append(mails, p.Mark[i])
		}
	}
	return mails
}

// release ends the lease of a slice. If recipients are left, another lease begins when the first of
// them is due.
func (p *BatchProgress) release(tx *db.Tx, now int64) error {
	if !p.Release {
		return nil
	}
	left, due, err := p.Slice.Slice.Rest(tx)
	if err != nil {
		return err
	}
	return p.Slice.Slice.Release(tx, left == 0, max(due, now+p.Pause))
}
