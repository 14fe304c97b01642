package privacy

import (
	"context"
	"errors"
	"slices"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file applies Retentions. A job of each Account removes old data in many short transactions, so that calls beside
// it hardly wait. The job knows its position, and each transaction is safe to repeat.

const (
	// retentionChunk is about the number of rows that one transaction reads.
	retentionChunk = 500
	// retentionChunks is the number of transactions of a step.
	retentionChunks = 100
	// retentionEvery is the shortest time between two jobs of an Account. The server looks once an hour.
	retentionEvery = 23 * time.Hour
)

// ScheduleRetention stores a job for each Account with a Retention, once a day. Of several processes, one stores it.
func (s *Service) ScheduleRetention(ctx context.Context) error {
	known, err := s.accounts.AllAccounts(ctx)
	if err != nil {
		return err
	}
	for i := range known {
		if known[i].Retention == (enlist.Retention{}) {
			continue
		}
		err := s.db.Update(ctx, func(tx *db.Tx) error {
			now := s.db.Now()
			marked, err := accounts.MarkRetention(tx, known[i].ID, now.Unix(), now.Add(-retentionEvery).Unix())
			if err != nil || !marked {
				return err
			}
			return tx.Enqueue(ApplyRetention{Account: known[i].ID})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ApplyRetention does the next step of an application: it removes data that is older than the Retention of the Account.
// rest is the next step, with what was removed so far. done is true after the last step. A repeated call changes
// nothing.
func (s *Service) ApplyRetention(ctx context.Context, e ApplyRetention) (rest ApplyRetention, done bool, err error) {
	now := s.db.Now().Unix()
	var account *enlist.Account
	var parts []RetentionPart
	err = s.db.ViewPrimary(ctx, func(tx *db.Tx) (err error) {
		parts = nil
		account, err = accounts.FindAccount(tx, e.Account)
		if err != nil {
			return enlist.IgnoreKind(enlist.InvalidParameters, err)
		}
		parts, _, err = retentionParts(tx, account.ID, account.Retention, now)
		return err
	})
	if err != nil || account == nil {
		return e, err == nil, err
	}
	at := slices.IndexFunc(parts, func(p RetentionPart) bool {
		return p.Table == e.Table && p.List == e.List && p.Batch == e.Batch
	})
	switch {
	case e.Table == retainedAudit:
		at = len(parts)
	case at < 0: // the beginning, or the settings have changed
		at, e.After = 0, 0
	}
	for range retentionChunks {
		if at == len(parts) {
			removed, err := s.removeOldAudit(ctx, account, now)
			e.Audit += removed
			if err != nil || removed < auditChunk {
				return e, err == nil, err
			}
			continue
		}
		last, err := s.removeOld(ctx, &parts[at], &e, now)
		switch {
		case errors.Is(err, errAwaited):
			at = afterEvents(parts, at)
			e.moveTo(parts, at)
		case err != nil:
			return e, false, err
		case last:
			at++
			e.moveTo(parts, at)
		}
	}
	return e, false, nil
}

// afterEvents returns the index of the part after all events of the Batch of a part.
func afterEvents(parts []RetentionPart, at int) int {
	batch := parts[at].Batch
	for at < len(parts) && parts[at].Table == retainedEvents && parts[at].Batch == batch {
		at++
	}
	return at
}

// errAwaited ends the transaction that would remove the first events of a Batch that another Batch needs.
var errAwaited = errors.New("a Batch needs these events")

// removeOld removes data from the rows of the next Contacts of a part. It returns true when it has removed all. It
// returns errAwaited if the events of the Batch must stay.
func (s *Service) removeOld(ctx context.Context, p *RetentionPart, e *ApplyRetention,
	now int64) (last bool, err error) {
	var next enlist.ContactID
	var changed int64
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if p.Table == retainedEvents {
			if err := p.markRemoved(tx, e.Account, now); err != nil {
				return err
			}
		}
		var err error
		next, changed, err = p.old().RemoveSome(tx, e.After, retentionChunk)
		return err
	})
	if err != nil {
		return false, err
	}
	e.Table, e.List, e.Batch, e.After = p.Table, p.List, p.Batch, next
	if p.Table == retainedEvents {
		e.Events += changed
	} else {
		e.Deliveries += changed
	}
	if next != 0 {
		return false, nil
	}
	return true, s.endPart(ctx, p, now)
}

// markRemoved marks the Batch, so that late opens are not counted again, and that no new Batch depends on its events. A
// Batch that depends on them was perhaps added after the parts were listed. AddBatch locks the Batches on whose events
// it depends, and MarkEventsRemoved waits for this lock. So markRemoved finds such a Batch, or AddBatch finds the mark.
// decisions.md: 117
func (p *RetentionPart) markRemoved(tx *db.Tx, account enlist.AccountID, now int64) error {
	at := -now
	if !p.Ended {
		at = p.Before
	}
	first, err := batches.MarkEventsRemoved(tx, p.Batch, at)
	if err != nil || !first {
		return err
	}
	awaited, err := awaitedEvents(tx, account)
	if err == nil && awaited[p.Batch] {
		err = errAwaited
	}
	return err
}

// endPart stores that a Batch has nothing left to remove.
func (s *Service) endPart(ctx context.Context, p *RetentionPart, now int64) error {
	if !p.Ended || !p.Last {
		return nil
	}
	return s.db.Update(ctx, func(tx *db.Tx) error {
		if p.Table == retainedEvents {
			return batches.SetEventsRemoved(tx, p.Batch, now)
		}
		return batches.SetTextsRemoved(tx, p.Batch, now)
	})
}

// auditChunk is the number of rows of the audit log that one transaction removes.
const auditChunk = 2000

// removeOldAudit removes the next old rows of the audit log. The same transaction adds a row about it. decisions.md:
// 118
func (s *Service) removeOldAudit(ctx context.Context, account *enlist.Account, now int64) (removed int64, err error) {
	before := account.Retention.Before(enlist.RetainAudit, now)
	if before == 0 {
		return 0, nil
	}
	err = s.db.Update(ctx, func(tx *db.Tx) (err error) {
		removed, err = accounts.RemoveAuditRows(tx, account.ID, before, auditChunk)
		if err != nil || removed == 0 {
			return err
		}
		values := accounts.AuditValues{"removed_rows": removed, "older_than": before}
		return accounts.Audit(tx, accounts.OperatorIn(ctx, account), now, accounts.AuditObject{Kind: "AuditLog"}, nil,
			values)
	})
	return removed, err
}
