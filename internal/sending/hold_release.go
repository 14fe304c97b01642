package sending

import (
	"context"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/messages"
)

// This file ends the hold. After a restore, the work that was due before the restore has probably been done already, by
// the database that was lost. So the operator chooses whether it is discarded or done again. decisions.md: 85

// HeldWork is work of one kind that a hold keeps back and that a release lets go at once.
type HeldWork struct {
	Kind   string // the kind of the jobs, or heldBatches or heldWebhooks
	Count  int64  // mails or events
	Oldest int64  // when the oldest was caused
	Before int64  // after a restore: how many of them were due before the restore
}

// The kinds of HeldWork that are no jobs of their own.
const (
	heldBatches  = "batch"         // mails of Batches
	heldWebhooks = "webhook_event" // events that wait for webhooks
)

// mailKinds are the kinds of jobs that send mails.
var mailKinds = []string{events.Notify{}.Kind(), contacts.RequestConfirmation{}.Kind(), events.Autorespond{}.Kind(),
	messages.SendTest{}.Kind(), contacts.SendLink{}.Kind()}

// discardStep is the largest number of jobs or events that one transaction deletes.
const discardStep = 1000

// errNotRestored is the error of a discard without a restore.
var errNotRestored = enlist.Refuse(enlist.InvalidParameters,
	"there was no restore: only what was due before a restore can be discarded")

// HeldWork returns the hold, or nil, and the work that a release lets go.
func (s *Service) HeldWork(ctx context.Context) (hold *Hold, work []HeldWork, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		hold, err = LoadHold(tx)
		if err != nil || hold == nil {
			return err
		}
		upto := int64(0)
		if hold.Restored() {
			upto = hold.Time
		}
		work, err = heldWork(tx, s.db.Now().Unix(), upto, hold.Restored())
		return err
	})
	return hold, work, err
}

func heldWork(tx *db.Tx, now, upto int64, webhooks bool) ([]HeldWork, error) {
	work, err := heldJobs(tx, mailKinds, now, upto)
	if err != nil {
		return nil, err
	}
	mails := HeldWork{Kind: heldBatches}
	err = eachStartedBatch(tx, now, func(b *batches.Batch) error {
		n := max(b.ToSend()-b.Processed(), 1) // the recipients of a new Batch are not counted yet
		mails.Count += n
		if mails.Oldest == 0 || b.CreationTime < mails.Oldest {
			mails.Oldest = b.CreationTime
		}
		if b.CreationTime <= upto && b.SendTime <= upto {
			mails.Before += n
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	work = append(work, mails)
	if webhooks {
		w := HeldWork{Kind: heldWebhooks}
		w.Count, w.Oldest, w.Before, err = events.WaitingEvents(tx, upto)
		if err != nil {
			return nil, err
		}
		work = append(work, w)
	}
	return slices.DeleteFunc(work, func(w HeldWork) bool { return w.Count == 0 }), nil
}

// eachStartedBatch calls fn with each Batch that has begun to send, or that would begin by now.
func eachStartedBatch(tx *db.Tx, now int64, fn func(*batches.Batch) error) error {
	accounts, err := accounts.All(tx)
	if err != nil {
		return err
	}
	for i := range accounts {
		open, err := batches.Batches(tx, accounts[i].ID, batches.BatchFilter{Open: true})
		if err != nil {
			return err
		}
		for j := range open {
			b := &open[j]
			if b.Status == batches.BatchPaused || b.SendTime > now {
				continue
			}
			if err := fn(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// DiscardHeld discards what was due before the restore: it deletes jobs of mails and events of webhooks, and cancels
// Batches. running is the number of such jobs that run at this moment, in order to find out that mails are held; then
// call DiscardHeld again. Errors: InvalidParameters if there was no restore.
func (s *Service) DiscardHeld(ctx context.Context) (running int64, err error) {
	for more := true; more; {
		more, err = db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (more bool, err error) {
			more, running, err = discardStepOf(tx, now)
			if err != nil || more || running > 0 {
				return more, err
			}
			after := accounts.AuditValues{"discarded": true}
			return more, accounts.Audit(tx, accounts.OperatorIn(ctx, nil), now, accounts.AuditObject{Kind: "Hold"}, nil,
				after)
		})
		if err != nil {
			return 0, err
		}
	}
	return running, nil
}

// discardStepOf is one transaction of DiscardHeld. more says that there is work left for another one.
func discardStepOf(tx *db.Tx, now int64) (more bool, running int64, err error) {
	hold, err := LoadHold(tx)
	if err != nil {
		return false, 0, err
	}
	if !hold.Restored() {
		return false, 0, errNotRestored
	}
	jobs, err := discardJobs(tx, mailKinds, hold.Time, discardStep)
	if err != nil {
		return false, 0, err
	}
	discarded, err := events.DiscardWaiting(tx, hold.Time, discardStep)
	if err != nil || jobs == discardStep || discarded == discardStep {
		return true, 0, err
	}
	err = eachStartedBatch(tx, hold.Time, func(b *batches.Batch) error {
		if b.CreationTime > hold.Time {
			return nil
		}
		locked, err := batches.LockBatch(tx, b.ID)
		if err != nil || locked.Ended() {
			return err
		}
		locked.Status, locked.ActiveTime = batches.BatchCancelled, now
		locked.Reason = "discarded after the restore of a backup"
		return locked.Save(tx)
	})
	if err != nil {
		return false, 0, err
	}
	left, err := heldJobs(tx, mailKinds, hold.Time, hold.Time)
	for _, w := range left {
		running += w.Before
	}
	return false, running, err
}

// ReleaseMails ends the hold, so that mails are sent and webhooks posted again. It returns false if there is no hold.
func (s *Service) ReleaseMails(ctx context.Context) (released bool, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (bool, error) {
		hold, err := LoadHold(tx)
		if err != nil || hold == nil {
			return false, err
		}
		if err := accounts.Audit(tx, accounts.OperatorIn(ctx, nil), now, accounts.AuditObject{Kind: "Hold"},
			hold.auditValues(), nil); err != nil {
			return false, err
		}
		if hold.Restored() {
			jobs, err := events.WaitingTargets(tx)
			if err != nil {
				return false, err
			}
			for _, job := range jobs {
				if err := tx.Enqueue(job); err != nil {
					return false, err
				}
			}
		}
		return deleteHold(tx)
	})
}
