package batches

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the changes of a Batch's status by the server. edit.go has those by a caller.

// Complete ends a Batch that has no slice left.
func (b *Batch) Complete(tx *db.Tx, now int64) error {
	b.Status, b.ActiveTime = BatchCompleted, now
	if err := b.publishCompleted(tx, now); err != nil {
		return err
	}
	return b.Save(tx)
}

// Fail ends a Batch whose Message cannot be sent any more.
func (b *Batch) Fail(tx *db.Tx, now int64) error {
	b.Status, b.ActiveTime, b.Reason = BatchFailed, now, "its Message was deleted, or is no email any more"
	return b.Save(tx)
}

// PauseLate pauses a Batch. Its reason repeats the hours after which pace.Calendar says that a Batch is late.
func (b *Batch) PauseLate(tx *db.Tx) error {
	reason := "more than 6 hours late: continue or cancel it"
	if b.Begun == 0 {
		reason = "more than 6 hours late: continue it, or choose another time first"
	}
	return b.PauseBecause(tx, reason)
}

// PauseEmpty pauses a Batch whose Message has no content.
func (b *Batch) PauseEmpty(tx *db.Tx) error { return b.PauseBecause(tx, ReasonNoContent) }

// PauseExclusion pauses a Batch whose Exclusion no longer fits a List: it is unknown who must be left out.
func (b *Batch) PauseExclusion(tx *db.Tx, why error) error {
	return b.PauseBecause(tx, "exclude does not fit the Fields of a List any more: "+why.Error())
}

// maxBounces and maxComplaints are the numbers of bounces and of complaints that pause a Batch, while about 1,000 mails
// are sent. Providers stop accepting mail from senders with higher rates. decisions.md: 59
const (
	maxBounces    = 50
	maxComplaints = 3
)

// PauseReported pauses a Batch if too many of its last mails bounced, or if too many recipients complained meanwhile.
func PauseReported(tx *db.Tx, id enlist.BatchID) error {
	b, err := LockBatch(tx, id)
	switch {
	case err != nil || b.Status != BatchSending:
		return err
	case b.RecentBounces >= maxBounces:
		return b.PauseBecause(tx, "of the last 1,000 mails, 5 % bounced: check the addresses before you continue")
	case b.RecentComplaints >= maxComplaints:
		return b.PauseBecause(tx,
			"of the last 1,000 mails, 0.3 % had complaints: check the Message and the List before you continue")
	}
	return nil
}

// PauseBecause pauses a Batch for a reason that callers see.
func (b *Batch) PauseBecause(tx *db.Tx, reason string) error {
	b.Status, b.Reason = BatchPaused, reason
	return b.Save(tx)
}
