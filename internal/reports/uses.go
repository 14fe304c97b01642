package reports

import (
	"context"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file says how often the Messages of an Account, and those of autoresponders, were sent and opened.

type (
	// Use is a Batch of a Message.
	Use = batches.Use
	// AutoresponderFigures are the figures of an autoresponder.
	AutoresponderFigures = batches.AutoresponderFigures
)

// MessageUses returns the Batches of each Message that the caller may access, the oldest first.
func (s *Service) MessageUses(ctx context.Context, c *enlist.Caller) (map[enlist.MessageID][]Use, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (map[enlist.MessageID][]Use, error) { return batches.Uses(tx, c) })
}

// AutoresponderFigures returns the figures of the autoresponders of a List, without those that were also in a List
// which the caller may not access. Errors: NoList, Denied.
func (s *Service) AutoresponderFigures(ctx context.Context, c *enlist.Caller, list enlist.ListID) (
	map[enlist.AutoresponderID]AutoresponderFigures, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (map[enlist.AutoresponderID]AutoresponderFigures, error) {
		if _, err := lists.Load(tx, c, list); err != nil {
			return nil, err
		}
		return batches.FiguresOfAutoresponders(tx, c, list)
	})
}
