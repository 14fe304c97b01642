package audience

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
)

// inSteps makes a change in several Updates that would hold the writer for too
// long in one. step does the next part, notes what it has done in p, and says
// whether that was the last part. As one part may run twice, it only adds to
// what p has; and p must come through JSON unchanged.
//
// With an Idempotency-Key, how far the call is is stored with each step: a
// repeat after a crash goes on from there, and one that comes in meanwhile takes
// part in it. Without, what a call has done before it fails stays done.
// decisions.md: 30, 53
func inSteps[P any](ctx context.Context, s *Service, c *Caller, step func(tx Tx, now int64, p *P) (done bool, err error)) (P, error) {
	var at, next progress[P]
	for !at.Done {
		err := s.store.Update(ctx, func(tx Tx) error {
			if err := confirm(tx, c); err != nil {
				return err
			}
			now := s.now().Unix()
			next = at
			if err := next.load(tx, c, now); err != nil || next.Done {
				return err
			}
			var err error
			if next.Done, err = step(tx, now, &next.SoFar); err != nil {
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

// progress is how far a call is.
type progress[P any] struct {
	Done  bool `json:"done"`
	SoFar P    `json:"so_far"`
}

// load takes what is stored under the Idempotency-Key, if there is anything.
func (p *progress[P]) load(tx Tx, c *Caller, now int64) error {
	if c.Retry == nil {
		return nil
	}
	saved, err := tx.ClaimRetry(c.Account.ID, c.Key.ID, c.Retry, now)
	if err != nil {
		return ignoreKind(NotFound, err)
	}
	*p = progress[P]{}
	return json.Unmarshal(saved, p)
}

func (p *progress[P]) save(tx Tx, c *Caller, now int64) error {
	if c.Retry == nil {
		return nil
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return tx.SaveRetry(c.Account.ID, c.Key.ID, c.Retry, text, now)
}

// The plan of a call in steps is what it was found to be about when it began: to
// look again, after a part of it is done, would find something else. With an
// Idempotency-Key it is stored beside the progress.

// planned returns the plan that a call with this Idempotency-Key has had.
func planned(ctx context.Context, s *Service, c *Caller) (plan idSet, found bool, err error) {
	if c.Retry == nil {
		return nil, false, nil
	}
	err = s.view(ctx, c, func(tx Tx) error {
		saved, err := tx.ClaimRetry(c.Account.ID, c.Key.ID, c.Retry.plan(), s.now().Unix())
		if err != nil {
			return ignoreKind(NotFound, err)
		}
		found = true
		return json.Unmarshal(saved, &plan)
	})
	return plan, found, err
}

// settle makes ids the plan of a call, unless one of the same Idempotency-Key
// has just come first: then it returns that one's.
func settle(ctx context.Context, s *Service, c *Caller, ids idSet) (idSet, error) {
	if c.Retry == nil {
		return ids, nil
	}
	with := *c
	with.Retry = c.Retry.plan()
	return change(ctx, s, &with, func(tx Tx, now int64) (idSet, error) {
		var fresh, old progress[struct{}] // a plan may be forgotten a moment before what is noted of it
		if err := old.load(tx, c, now); err != nil {
			return nil, err
		}
		return ids, fresh.save(tx, c, now)
	})
}

// plan is under which a plan is stored: no header has a space in it.
func (r *Retry) plan() *Retry {
	return &Retry{Header: r.Header + " plan", Fingerprint: r.Fingerprint}
}

// idSet is IDs in ascending order. As JSON it is a string of the distances
// between them, so that a million take some 1.3 MB.
type idSet []ContactID

// MarshalJSON writes the set.
func (s idSet) MarshalJSON() ([]byte, error) {
	var last ContactID
	b := make([]byte, 0, 2*len(s))
	for _, id := range s {
		b = binary.AppendUvarint(b, uint64(id-last))
		last = id
	}
	return json.Marshal(b) // as base64
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *idSet) UnmarshalJSON(data []byte) error {
	var b []byte // a string of base64, as encoding/json has it
	if err := json.Unmarshal(data, &b); err != nil {
		return err
	}
	*s = make(idSet, 0, len(b))
	for last := uint64(0); len(b) > 0; {
		distance, n := binary.Uvarint(b)
		if n <= 0 {
			return errors.New("read IDs: cut off")
		}
		last += distance
		*s = append(*s, ContactID(last))
		b = b[n:]
	}
	return nil
}
