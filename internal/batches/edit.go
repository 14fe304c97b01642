package batches

import (
	"context"
	"slices"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file has the calls that change, delete, get and search Batches. A key that is restricted to
// some Lists may use a Batch if it may access the Lists of all its populations.

// errNoBatch is the error if no Batch has an ID. It is the same for another Account's ID, so that a
// caller cannot find out which IDs exist. reference.md: auth.restricted
var errNoBatch = enlist.Refuse(enlist.NoBatch, "no Batch with this ID")

// Load returns a Batch, if the caller may access it. lock is for an Update that changes the Batch.
func Load(tx *db.Tx, c *enlist.Caller, id enlist.BatchID, lock bool) (b *Batch, err error) {
	if lock {
		b, err = LockBatch(tx, id)
	} else {
		b, err = ByID(tx, id)
	}
	if err != nil {
		return nil, err
	}
	if b.AccountID != c.Account.ID || b.Status == BatchDeleted {
		return nil, errNoBatch
	}
	allowed, err := allowsBatch(tx, c, id)
	switch {
	case err != nil:
		return nil, err
	case !allowed:
		return nil, enlist.Refuse(enlist.Denied, "this key is restricted to other Lists")
	case lock && b.Status == BatchRunning:
		return nil, enlist.Invalid("batch_id", "the Batch has the figures of an autoresponder: change the autoresponder instead")
	}
	return b, nil
}

// allowsBatch reports whether the caller's key may access all Lists of a Batch.
func allowsBatch(tx *db.Tx, c *enlist.Caller, id enlist.BatchID) (bool, error) {
	if c.Key.Lists == nil {
		return true, nil
	}
	lists, err := BatchLists(tx, id)
	for _, list := range lists {
		if !c.Key.Allows(list) {
			return false, err
		}
	}
	return true, err
}

// EditBatch pauses, continues, cancels or reschedules a Batch. sendTime is only for reschedule. A
// command that finds the Batch in the wanted state changes nothing. Errors: NoBatch, Denied,
// InvalidParameters. decisions.md: 59
func (s *Service) EditBatch(ctx context.Context, c *enlist.Caller, id enlist.BatchID, command string,
	sendTime int64) error {
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		b, err := Load(tx, c, id, true)
		if err == nil {
			err = enlist.RequireSending(c)
		}
		if err != nil {
			return err
		}
		before := b.AuditValues()
		switch strings.ToLower(command) {
		case "pause":
			err = b.pause(tx)
		case "unpause":
			err = b.unpause(tx, now)
		case "cancel":
			err = b.cancel(tx, now)
		case "reschedule":
			err = b.reschedule(tx, sendTime, now)
		case "track", "untrack":
			err = b.setTracking(tx, strings.EqualFold(command, "track"))
		default:
			err = enlist.Invalid("command", "expected one of pause, unpause, cancel, reschedule, track, untrack")
		}
		if err == nil && slices.Contains([]string{"unpause", "reschedule"}, strings.ToLower(command)) {
			err = b.askAgain(tx, c, now)
		}
		if err != nil {
			return err
		}
		return accounts.Audit(tx, c, now, b.Audited(), before, b.AuditValues())
	})
}

// Audited returns the Batch as the object of a row of the audit log.
func (b *Batch) Audited() accounts.AuditObject {
	return accounts.AuditObject{Kind: "Batch", ID: int64(b.ID), List: b.ListID}
}

// AuditValues returns the values of the Batch that callers decide.
func (b *Batch) AuditValues() accounts.AuditValues {
	values := accounts.AuditValues{"message_id": int64(b.MessageID), "name": b.Name, "send_status": string(b.Status),
		"send_time": b.SendTime, "is_test": b.IsTest, "rate": b.Rate, "local_time": b.LocalTime}
	if b.IsForced {
		values["force"] = true
	}
	if b.Untracked {
		values["track"] = false
	}
	if b.Variants != nil {
		values["variants"], values["winner"] = int64(len(b.Variants.All)), b.Variants.Chosen
	}
	return values
}

// Refuse returns the error of a command that the status of the Batch does not allow.
func (b *Batch) Refuse(command string) error {
	return enlist.Invalid("command", "the Batch is "+string(b.Status)+" and cannot be "+command)
}

func (b *Batch) pause(tx *db.Tx) error {
	switch {
	case b.Ended():
		return b.Refuse("paused")
	case b.Status == BatchPaused:
		return nil
	}
	b.Status, b.Reason = BatchPaused, ""
	return b.Save(tx)
}

// unpause continues a Batch. The job decides with which status the Batch continues.
func (b *Batch) unpause(tx *db.Tx, now int64) error {
	switch {
	case b.Ended():
		return b.Refuse("continued")
	case b.Status != BatchPaused:
		return nil
	}
	if err := b.requireContent(tx); err != nil {
		return err
	}
	b.Status, b.Reason, b.ActiveTime = BatchInitialising, "", now
	b.RecentMails, b.RecentBounces, b.RecentComplaints = 0, 0, 0 // a person has seen why the Batch was paused
	if err := b.Save(tx); err != nil {
		return err
	}
	return tx.Enqueue(PrepareBatch{Batch: b.ID, Account: b.AccountID})
}

func (b *Batch) cancel(tx *db.Tx, now int64) error {
	switch {
	case b.Status == BatchCancelled:
		return nil
	case b.Ended():
		return b.Refuse("cancelled")
	}
	b.Status, b.Reason, b.ActiveTime = BatchCancelled, "", now
	return b.Save(tx)
}

// reschedule changes the send time of a Batch that has not begun to send. A paused Batch stays paused.
func (b *Batch) reschedule(tx *db.Tx, sendTime, now int64) error {
	switch {
	case sendTime <= 0 || sendTime > MaxTimestamp:
		return enlist.Invalid("send_time", "expected a Unix time up to the year 9999")
	case b.Ended() || b.hasBegun():
		return enlist.Invalid("command", "the Batch has begun to send and cannot be rescheduled")
	case b.LocalTime != "" && b.IsPopulated && b.Begins() <= now:
		return enlist.Invalid("command", "the first time zones are due already: cancel the Batch and add another one")
	}
	if err := b.requireContent(tx); err != nil {
		return err
	}
	b.SendTime, b.IsScheduled, b.ActiveTime = max(sendTime, now), sendTime > now, now
	if err := b.Save(tx); err != nil {
		return err
	}
	return tx.Enqueue(PrepareBatch{Batch: b.ID, Account: b.AccountID, Due: b.Begins()})
}

// setTracking decides whether the opens and clicks of a Batch are recorded that has not begun to send.
func (b *Batch) setTracking(tx *db.Tx, track bool) error {
	switch {
	case b.Untracked != track:
		return nil
	case b.Ended() || b.hasBegun():
		return enlist.Invalid("command", "the Batch has begun to send: some of its emails are tracked as it was added")
	}
	b.Untracked = !track
	return b.Save(tx)
}

// hasBegun reports whether the Batch is sending, or a mail of it can have left.
func (b *Batch) hasBegun() bool { return b.Status == BatchSending || b.Begun != 0 }

// DeleteBatch removes a Batch that has not begun to send, or that has ended. It refuses a Batch whose recipients
// another Batch will leave out. A job removes its recipients. The consent ledger, the Unsubscriber List and the
// consequences of bounces stay. Errors: NoBatch, Denied, InvalidParameters. decisions.md: 102
func (s *Service) DeleteBatch(ctx context.Context, c *enlist.Caller, id enlist.BatchID) error {
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		b, err := Load(tx, c, id, true)
		if err != nil {
			return err
		}
		if !b.Ended() && b.hasBegun() {
			return enlist.Invalid("batch_id", "the Batch has begun to send: cancel it first")
		}
		if err := b.checkNotAwaited(tx, "batch_id"); err != nil {
			return err
		}
		if err := accounts.Audit(tx, c, now, b.Audited(), b.AuditValues(), nil); err != nil {
			return err
		}
		return b.delete(tx, now)
	})
}

// delete hides a Batch, and stores the job that removes its recipients.
func (b *Batch) delete(tx *db.Tx, now int64) error {
	b.Status, b.ActiveTime = BatchDeleted, now
	if err := b.Save(tx); err != nil {
		return err
	}
	return tx.Enqueue(RemoveBatch{Batch: b.ID})
}

// RemoveBatch removes the recipients of a deleted Batch in steps, and then the Batch. done is true
// after the last step. A call after the last step changes nothing.
func (s *Service) RemoveBatch(ctx context.Context, e RemoveBatch) (done bool, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) (done bool, err error) {
		b, err := LockBatch(tx, e.Batch)
		if err != nil || b.Status != BatchDeleted {
			return true, enlist.IgnoreKind(enlist.NoBatch, err)
		}
		lists, err := BatchLists(tx, e.Batch)
		if err != nil {
			return false, err
		}
		for _, list := range lists {
			if more, err := recipients.DeleteSome(tx, list, e.Batch, populateStep); err != nil || more {
				return false, err
			}
		}
		return true, deleteBatch(tx, e.Batch)
	})
}

// Batch returns one Batch. Errors: NoBatch, Denied.
func (s *Service) Batch(ctx context.Context, c *enlist.Caller, id enlist.BatchID) (*Batch, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*Batch, error) { return Load(tx, c, id, false) })
}

// BatchOfQueue returns the ID of the Batch with a queue ID. It returns 0 while the server prepares
// the Batch. Errors: NoBatch, Denied.
func (s *Service) BatchOfQueue(ctx context.Context, c *enlist.Caller, id enlist.BatchID) (enlist.BatchID, error) {
	b, err := s.Batch(ctx, c, id)
	if err != nil || b.Status == BatchInitialising {
		return 0, err
	}
	return id, nil
}

// SearchBatches returns the matching Batches that the key may access. Errors: InvalidSearch.
func (s *Service) SearchBatches(ctx context.Context, c *enlist.Caller, q enlist.Query) ([]Batch, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Batch, error) {
		f, inStore, err := searchOfBatches(c, q)
		if err != nil {
			return nil, err
		}
		matching, err := Batches(tx, c.Account.ID, f)
		if err != nil || inStore {
			return matching, err
		}
		return enlist.SearchRecords(BatchAttributes, matching, q)
	})
}

// CountBatches returns the number of Batches that match and that the key may access. Errors: InvalidSearch.
func (s *Service) CountBatches(ctx context.Context, c *enlist.Caller, criteria *enlist.Criteria) (n int64, err error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (int64, error) {
		f, inStore, err := searchOfBatches(c, enlist.Query{Criteria: criteria})
		if err != nil {
			return 0, err
		}
		if inStore {
			return batchCount(tx, c.Account.ID, f)
		}
		matching, err := Batches(tx, c.Account.ID, f)
		if err != nil {
			return 0, err
		}
		matching, err = enlist.SearchRecords(BatchAttributes, matching, enlist.Query{Criteria: criteria})
		return int64(len(matching)), err
	})
}

// searchOfBatches returns the filter of a search. If inStore is false, the filter finds all Batches, and the search
// continues in memory.
func searchOfBatches(c *enlist.Caller, q enlist.Query) (f BatchFilter, inStore bool, err error) {
	f.Lists = c.Key.Lists
	search := enlist.Collector[Batch]{Attributes: BatchAttributes}
	if err := search.Begin(q); err != nil || !search.InStore() {
		return f, false, err
	}
	f.Where, f.Sort, f.Limit, f.Offset = search.Where, search.Sort, q.Limit, q.Offset
	f.Descending = q.Descending && f.Sort != nil
	return f, true, nil
}

// CurrentBatches returns the Batches that have not ended and that the key may access, in order of ID.
func (s *Service) CurrentBatches(ctx context.Context, c *enlist.Caller) ([]Batch, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Batch, error) {
		return Batches(tx, c.Account.ID, BatchFilter{Lists: c.Key.Lists, Open: true})
	})
}
