package sending

import (
	"context"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the hold: the operator stops all mails until the operator releases them. A restore of
// the database also begins a hold, which stops webhooks too. The hold is stored in the database, so it
// applies to all processes and survives a restart. hold_release.go has what a release lets go.
// reference.md: batch.hold; decisions.md: 63, 85

// HoldMails stops all mails. Mails that are being handed over are completed. After a restore it only changes the
// reason of the hold. Errors: InvalidParameters.
func (s *Service) HoldMails(ctx context.Context, reason string) error {
	reason, err := enlist.ReadLine(reason)
	if err != nil {
		return enlist.Refuse(enlist.InvalidParameters, "reason: %v", err)
	}
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		hold, err := LoadHold(tx)
		before := hold.auditValues()
		switch {
		case err != nil:
			return err
		case hold.Restored():
			hold.Reason = reason
		default:
			hold = &Hold{Reason: reason, Time: now}
		}
		if err := accounts.Audit(tx, accounts.OperatorIn(ctx, nil), now, accounts.AuditObject{Kind: "Hold"}, before,
			hold.auditValues()); err != nil {
			return err
		}
		return hold.save(tx)
	})
}

// HoldRestored stops all mails and webhooks in a database that was restored from a backup.
func (s *Service) HoldRestored(ctx context.Context, backup time.Time) error {
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		reason := "restored the backup of " + backup.UTC().Format(time.DateTime) + " UTC"
		hold := &Hold{Reason: reason, Time: now, BackupTime: backup.Unix()}
		if err := accounts.Audit(tx, accounts.OperatorIn(ctx, nil), now, accounts.AuditObject{Kind: "Database"}, nil,
			hold.auditValues()); err != nil {
			return err
		}
		return hold.save(tx)
	})
}

// Held returns the hold, or nil if mails are sent.
func (s *Service) Held(ctx context.Context) (*Hold, error) {
	return db.OwnView(ctx, s.db, LoadHold)
}

// sendingNow returns the Batches whose mails may be handed over now, and their Accounts. stopped is true while mails
// are held or the calendar is closed.
func (s *Service) sendingNow(tx *db.Tx) (ids map[enlist.BatchID]enlist.AccountID, stopped bool, err error) {
	hold, err := LoadHold(tx)
	if err != nil || hold != nil || !s.sending.Load().Calendar.IsOpen(s.db.Now()) {
		return nil, true, err
	}
	ids, err = batches.SendingBatches(tx)
	return ids, false, err
}
