package audience

import (
	"context"
	"slices"
	"time"
)

// This file applies Retentions. A job of each Account removes old data in many short transactions, so that calls beside it
// hardly wait. The job knows its position, and each transaction is safe to repeat.

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
	accounts, err := s.Accounts(ctx)
	if err != nil {
		return err
	}
	for i := range accounts {
		if accounts[i].Retention == (Retention{}) {
			continue
		}
		err := s.store.Update(ctx, func(tx Tx) error {
			now := s.now()
			marked, err := tx.MarkRetention(accounts[i].ID, now.Unix(), now.Add(-retentionEvery).Unix())
			if err != nil || !marked {
				return err
			}
			return tx.Enqueue(ApplyRetention{Account: accounts[i].ID})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ApplyRetention does the next step of an application: it removes data that is older than the Retention of the Account.
// rest is the next step, with what was removed so far. done is true after the last step. A repeated call changes nothing.
func (s *Service) ApplyRetention(ctx context.Context, e ApplyRetention) (rest ApplyRetention, done bool, err error) {
	now := s.now().Unix()
	var parts []RetentionPart
	err = s.store.ViewPrimary(ctx, func(tx Tx) error {
		parts = nil
		account, err := findAccount(tx, e.Account)
		if err != nil {
			return ignoreKind(InvalidParameters, err)
		}
		parts, _, err = retentionParts(tx, account.ID, account.Retention, now)
		return err
	})
	if err != nil {
		return e, false, err
	}
	at := slices.IndexFunc(parts, func(p RetentionPart) bool { return p.Table == e.Table && p.List == e.List && p.Batch == e.Batch })
	if at < 0 { // the beginning, or the settings have changed
		at, e.After = 0, 0
	}
	for range retentionChunks {
		if at == len(parts) {
			return e, true, nil
		}
		p := &parts[at]
		last, changed, err := s.removeOld(ctx, p, e.After, now)
		if err != nil {
			return e, false, err
		}
		e.Table, e.List, e.Batch, e.After = p.Table, p.List, p.Batch, last
		if p.Table == RetainedEvents {
			e.Events += changed
		} else {
			e.Deliveries += changed
		}
		if last == 0 {
			if err := s.endPart(ctx, p, now); err != nil {
				return e, false, err
			}
			at++
			if at < len(parts) {
				e.Table, e.List, e.Batch = parts[at].Table, parts[at].List, parts[at].Batch
			}
		}
	}
	return e, false, nil
}

// removeOld removes data from the rows of some Contacts.
func (s *Service) removeOld(ctx context.Context, p *RetentionPart, after ContactID, now int64) (last ContactID, changed int64, err error) {
	err = s.store.Update(ctx, func(tx Tx) error {
		if p.Table == RetainedEvents { // a late open must not be counted again
			if err := tx.SetEventsRemoved(p.Batch, now, false); err != nil {
				return err
			}
		}
		last, changed, err = tx.RemoveOld(p, after, retentionChunk)
		return err
	})
	return last, changed, err
}

// endPart stores that a Batch has nothing left to remove.
func (s *Service) endPart(ctx context.Context, p *RetentionPart, now int64) error {
	if !p.Ended || !p.Last {
		return nil
	}
	return s.store.Update(ctx, func(tx Tx) error {
		if p.Table == RetainedEvents {
			return tx.SetEventsRemoved(p.Batch, now, true)
		}
		return tx.SetTextsRemoved(p.Batch, now)
	})
}
