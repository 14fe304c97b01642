package messages

import (
	"cmp"
	"context"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file lets callers choose Messages for Batches and autoresponders, and look at them. A caller of only some Lists
// may use any Message there, so it can choose one if it may send. Calls of keys do not come here.
// reference.md: auth.restricted

// Choice is a Message that can be chosen.
type Choice struct {
	ID   enlist.MessageID
	Name string
}

// RequireUse refuses a caller of only some Lists who may not send: it sees no Messages.
func RequireUse(c *enlist.Caller) error {
	if c.Key.Level >= enlist.Standard && !c.NoSending {
		return nil
	}
	return enlist.RequireWholeAccount(c)
}

// Choices returns the Account's Messages, the one that was changed last first. Errors: Denied for a caller of only some
// Lists who may not send.
func (s *Service) Choices(ctx context.Context, c *enlist.Caller) ([]Choice, error) {
	if err := RequireUse(c); err != nil {
		return nil, err
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Choice, error) {
		all, err := Messages(tx, c.Account.ID)
		slices.SortStableFunc(all, func(a, b Message) int { return cmp.Compare(b.LastModifiedTime, a.LastModifiedTime) })
		choices := make([]Choice, len(all))
		for i := range all {
			choices[i] = Choice{all[i].ID, all[i].Name}
		}
		return choices, err
	})
}

// MessageToUse returns one Message with its contents. Errors: NoMessage, and Denied for a caller of only some Lists who
// may not send.
func (s *Service) MessageToUse(ctx context.Context, c *enlist.Caller, id enlist.MessageID) (*Message, error) {
	if err := RequireUse(c); err != nil {
		return nil, err
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*Message, error) { return LoadMessage(tx, c.Account.ID, id) })
}
