package db

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"

	"enlist/internal/enlist"
)

// This file splits calls about many Contacts into several transactions, so that
// other callers can write in between, and resumes such a call after a crash.

// Steps are the functions of a call that runs in several transactions.
type Steps[P any] struct {
	// Prepare runs before each transaction, with the progress so far. It may be nil.
	Prepare func(ctx context.Context, p P) error
	// Run does the next part of the work in a transaction and records its progress in p. A
	// transaction can run twice. So Run can append to the slices in p, but must not change their
	// elements. p is stored as JSON, so encoding and decoding must not change its value.
	Run func(tx *Tx, now int64, p *P) (done bool, err error)
}

// RunInSteps calls step.Run until it returns done, each time in a new transaction.
//
// With an Idempotency-Key, each transaction also stores the progress. A repeated call after a
// crash continues from the stored progress. If two calls with the same Idempotency-Key run at
// the same time, each does a part of the work. After an error in one step, the changes of the
// earlier steps stay stored. reference.md: idempotency; decisions.md: 53
func RunInSteps[P any](ctx context.Context, db *DB, c *enlist.Caller, step Steps[P]) (P, error) {
	var at, next progress[P]
	for !at.Done {
		if step.Prepare != nil {
			if err := step.Prepare(ctx, at.SoFar); err != nil {
				return at.SoFar, err
			}
		}
		err := db.Update(ctx, func(tx *Tx) error {
			if err := db.Confirm(tx, c); err != nil {
				return err
			}
			now := db.Now().Unix()
			next = at
			if err := next.load(tx, c, now); err != nil || next.Done {
				return err
			}
			var err error
			next.Done, err = step.Run(tx, now, &next.SoFar)
			if err != nil {
				return err
			}
			return next.save(tx, c, now)
		})
		if err != nil {
			return at.SoFar, err
		}
		at = next
	}
	return at.SoFar, nil
}

// progress says how much of a call is done.
type progress[P any] struct {
	Done  bool `json:"done"`
	SoFar P    `json:"so_far"`
}

// load replaces p by the progress that is stored under the Idempotency-Key, if there is any.
func (p *progress[P]) load(tx *Tx, c *enlist.Caller, now int64) error {
	if c.Retry == nil {
		return nil
	}
	saved, err := tx.ClaimRetry(c.Account.ID, c.Key.ID, c.Retry, now)
	if err != nil {
		return enlist.IgnoreKind(enlist.NotFound, err)
	}
	*p = progress[P]{}
	return json.Unmarshal(saved, p)
}

// save stores p under the Idempotency-Key, if the call has one.
func (p *progress[P]) save(tx *Tx, c *enlist.Caller, now int64) error {
	if c.Retry == nil {
		return nil
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return tx.SaveRetry(c.Account.ID, c.Key.ID, c.Retry, text, now)
}

// The plan of a call is the set of Contacts that its search found at the start. After
// a step the same search would find other Contacts. So with an Idempotency-Key the
// plan is stored beside the progress.

// SavedPlan returns the plan of an earlier call with this Idempotency-Key. The error
// is of kind NotFound if there was no such call.
func SavedPlan(ctx context.Context, db *DB, c *enlist.Caller) (plan IDSet, err error) {
	if c.Retry == nil {
		return nil, enlist.ErrNotFound
	}
	err = db.InView(ctx, c, func(tx *Tx) error {
		saved, err := tx.ClaimRetry(c.Account.ID, c.Key.ID, c.Retry.Plan(), db.Now().Unix())
		if err != nil {
			return err
		}
		return json.Unmarshal(saved, &plan)
	})
	return plan, err
}

// SavePlan stores ids as the plan of a call and returns ids. If another call with the same
// Idempotency-Key has already stored a plan, SavePlan returns that plan.
func SavePlan(ctx context.Context, db *DB, c *enlist.Caller, ids IDSet) (IDSet, error) {
	if c.Retry == nil {
		return ids, nil
	}
	planCaller := *c
	planCaller.Retry = c.Retry.Plan()
	return Update(ctx, db, &planCaller, func(tx *Tx, now int64) (IDSet, error) {
		// A plan is stored before its progress, so the plan also expires first. The progress
		// of an expired plan must not be used with a new plan, so reset the progress.
		var fresh, old progress[struct{}]
		if err := old.load(tx, c, now); err != nil {
			return nil, err
		}
		return ids, fresh.save(tx, c, now)
	})
}

// IDSet is a set of IDs in ascending order. Its JSON is a string that encodes the differences
// between neighbours, so that a million IDs take about 1.3 MB.
type IDSet []enlist.ContactID

// MarshalJSON writes the set.
func (s IDSet) MarshalJSON() ([]byte, error) {
	var last enlist.ContactID
	b := make([]byte, 0, 2*len(s))
	for _, id := range s {
		b = binary.AppendUvarint(b, uint64(id-last))
		last = id
	}
	return json.Marshal(b) // as base64
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (s *IDSet) UnmarshalJSON(data []byte) error {
	var b []byte // encoding/json reads it from base64
	if err := json.Unmarshal(data, &b); err != nil {
		return err
	}
	*s = make(IDSet, 0, len(b))
	for last := uint64(0); len(b) > 0; {
		difference, n := binary.Uvarint(b)
		if n <= 0 {
			return errors.New("read IDs: the last one is incomplete")
		}
		last += difference
		*s = append(*s, enlist.ContactID(last))
		b = b[n:]
	}
	return nil
}

// ErrMoreSteps ends an Update that needs more than one step.
var ErrMoreSteps = errors.New("too many records for one transaction")
