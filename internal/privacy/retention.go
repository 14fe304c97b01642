package privacy

import (
	"context"
	"math"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file has how long an Account keeps opens and clicks, the addresses and texts in the records of its mails, and
// the rows of the audit log. retention_apply.go removes what is older. decisions.md: 105, 106, 117, 118

// SetRetention changes the Retention of an Account. Errors: InvalidParameters.
func (s *Service) SetRetention(ctx context.Context, id enlist.AccountID, r enlist.Retention) error {
	if err := r.Check(); err != nil {
		return err
	}
	return s.accounts.EditAccount(ctx, id, func(a *enlist.Account) { a.Retention = r })
}

// RetentionPlan says what a Retention removes of one kind.
type RetentionPlan struct {
	Kind    enlist.RetentionKind
	Days    int64 // 0: nothing is removed
	Rows    int64
	Oldest  int64            // time of the oldest row; 0 without rows
	Delayed []enlist.BatchID // Batches whose events stay, because the criteria of a Batch that has not read its recipients need them
}

// PlanRetention returns what a Retention would remove from the Account now. It reads the records of all old mails.
// Errors: InvalidParameters.
func (s *Service) PlanRetention(ctx context.Context, c *enlist.Caller,
	r enlist.Retention) (plans []RetentionPlan, err error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	err = s.db.ViewPrimary(c.Context(ctx), s.db.Confirmed(c, func(tx *db.Tx) error {
		now := s.db.Now().Unix()
		plans = []RetentionPlan{{Kind: enlist.RetainEvents, Days: r.Events},
			{Kind: enlist.RetainDeliveries, Days: r.Deliveries},
			{Kind: enlist.RetainAudit, Days: r.Audit}}
		parts, delayed, err := retentionParts(tx, c.Account.ID, r, now)
		if err != nil {
			return err
		}
		plans[0].Delayed = delayed
		for i := range parts {
			rows, oldest, err := parts[i].old().Count(tx)
			if err != nil {
				return err
			}
			plan := &plans[0]
			if parts[i].kind() == enlist.RetainDeliveries {
				plan = &plans[1]
			}
			plan.Rows += rows
			if rows > 0 && (plan.Oldest == 0 || oldest < plan.Oldest) {
				plan.Oldest = oldest
			}
		}
		plans[2].Rows, plans[2].Oldest, err = accounts.OldAuditRows(tx, c.Account.ID, r.Before(enlist.RetainAudit, now))
		return err
	}))
	return plans, err
}

// RetentionTable is a table from whose rows a Retention removes data.
type RetentionTable string

// The tables, in the order in which a Retention is applied.
const (
	retainedEvents     RetentionTable = "recipient_event" // rows are deleted
	retainedRecipients RetentionTable = "recipient"       // rows lose their texts
	retainedDeliveries RetentionTable = "delivery"        // rows lose their texts
	retainedAudit      RetentionTable = "audit"           // rows are deleted; it has no RetentionPart
)

// RetentionPart is a part of the rows of an Account from which data is removed, in order of Contact.
type RetentionPart struct {
	Table  RetentionTable
	List   enlist.ListID
	Batch  enlist.BatchID // 0 for RetainedDeliveries
	Before int64          // rows of mails that were sent before this time
	Ended  bool           // the Batch has ended, so it never has more rows; false for the Batch of an autoresponder
	Last   bool           // the last part of the Batch and the table
}

func (p *RetentionPart) kind() enlist.RetentionKind {
	if p.Table == retainedEvents {
		return enlist.RetainEvents
	}
	return enlist.RetainDeliveries
}

// old returns the rows of the part that have data to remove.
func (p *RetentionPart) old() *db.OldRows {
	switch p.Table {
	case retainedEvents:
		return recipients.OldEvents(p.List, p.Batch, p.Before, p.Ended)
	case retainedRecipients:
		return recipients.OldTexts(p.List, p.Batch, p.Before)
	}
	return messages.OldTexts(p.List, p.Before)
}

// retentionParts returns the parts from which a Retention removes data, and the Batches whose events must stay for now.
func retentionParts(tx *db.Tx, account enlist.AccountID, r enlist.Retention,
	now int64) (parts []RetentionPart, delayed []enlist.BatchID, err error) {
	parts, delayed, err = eventParts(tx, account, r.Before(enlist.RetainEvents, now))
	if err != nil {
		return nil, nil, err
	}
	texts, err := textParts(tx, account, r.Before(enlist.RetainDeliveries, now))
	return append(parts, texts...), delayed, err
}

// eventParts returns the parts whose events are removed because of mails that were sent before a time, and the Batches
// whose events must stay for now. before 0 means none.
func eventParts(tx *db.Tx, account enlist.AccountID, before int64) (parts []RetentionPart, delayed []enlist.BatchID,
	err error) {
	if before == 0 {
		return nil, nil, nil
	}
	withEvents, err := batches.WithEvents(tx, account)
	if err != nil {
		return nil, nil, err
	}
	awaited, err := awaitedEvents(tx, account)
	if err != nil {
		return nil, nil, err
	}
	for i := range withEvents {
		switch b := &withEvents[i]; {
		case !hasEventsBefore(b, before):
		case awaited[b.ID]:
			delayed = append(delayed, b.ID)
		default:
			ofBatch, err := partsOfBatch(tx, b, retainedEvents, before)
			if err != nil {
				return nil, nil, err
			}
			parts = append(parts, ofBatch...)
		}
	}
	return parts, delayed, nil
}

// textParts returns the parts whose addresses and texts are removed because the mails were sent before a time. before 0
// means none.
func textParts(tx *db.Tx, account enlist.AccountID, before int64) (parts []RetentionPart, err error) {
	if before == 0 {
		return nil, nil
	}
	withTexts, err := batches.WithTexts(tx, account)
	if err != nil {
		return nil, err
	}
	for i := range withTexts {
		b := &withTexts[i]
		if b.Status != batches.BatchRunning && lastUsed(b) >= before {
			continue
		}
		ofBatch, err := partsOfBatch(tx, b, retainedRecipients, before)
		if err != nil {
			return nil, err
		}
		parts = append(parts, ofBatch...)
	}
	defined, err := lists.Defined(tx, account)
	for i := range defined {
		parts = append(parts, RetentionPart{Table: retainedDeliveries, List: defined[i].ID, Before: before})
	}
	return parts, err
}

// partsOfBatch returns a part for each List of a Batch: all rows of a Batch that has ended, and the rows from before a
// time of a Batch of an autoresponder.
func partsOfBatch(tx *db.Tx, b *batches.Batch, table RetentionTable, before int64) (parts []RetentionPart, err error) {
	ended := b.Status != batches.BatchRunning
	if ended {
		before = math.MaxInt64
	}
	sentTo, err := batches.BatchLists(tx, b.ID)
	for i, list := range sentTo {
		parts = append(parts, RetentionPart{table, list, b.ID, before, ended, i == len(sentTo)-1})
	}
	return parts, err
}

// hasEventsBefore reports whether a Batch has opens and clicks that a Retention removes: the last mail of an ended
// Batch, or the first mail of an autoresponder, was sent before.
func hasEventsBefore(b *batches.Batch, before int64) bool {
	if b.Status == batches.BatchRunning {
		return b.FirstSent != 0 && b.FirstSent < before
	}
	return lastUsed(b) < before
}

// lastUsed returns when the last mail of an ended Batch was sent, or when the Batch ended without a mail.
func lastUsed(b *batches.Batch) int64 {
	if b.LastSent != 0 {
		return b.LastSent
	}
	return max(b.CreationTime, b.ActiveTime)
}

// awaitedEvents returns the Batches whose opens or clicks decide about the recipients of a Batch that has not read all
// of them. Without the events such a Batch would send mails to the wrong Contacts. decisions.md: 105
func awaitedEvents(tx *db.Tx, account enlist.AccountID) (map[enlist.BatchID]bool, error) {
	awaited := make(map[enlist.BatchID]bool)
	open, err := batches.Batches(tx, account, batches.BatchFilter{Open: true})
	if err != nil {
		return nil, err
	}
	for i := range open {
		if open[i].IsPopulated {
			continue
		}
		exclude, err := batches.LoadExclusion(tx, open[i].ID)
		if err != nil {
			return nil, err
		}
		populations, err := batches.Populations(tx, open[i].ID)
		if err != nil {
			return nil, err
		}
		needed, err := batches.EventBatchesOf(tx, populations, exclude.Criteria)
		if err != nil {
			return nil, err
		}
		for _, id := range needed {
			awaited[id] = true
		}
	}
	return awaited, nil
}
