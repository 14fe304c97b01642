package app

import (
	"context"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/sending"
)

// This file counts what goes on in an Account, for the menu of the pages. Each page reads it, so it reads only rows that
// an index finds: the Batches that have not ended, and the Imports of the Account.

// UnderWay is what goes on.
type UnderWay struct {
	Batches int64 // are being prepared or sent
	Imports int64 // wait for a process or run
	Held    bool  // no mail of the server leaves
}

// UnderWay returns what goes on in the Account of the caller, of the Lists that it may access.
func (s *App) UnderWay(ctx context.Context, c *enlist.Caller) (u UnderWay, err error) {
	return db.View(ctx, s.DB, c, func(tx *db.Tx) (u UnderWay, err error) {
		if u.Batches, err = batches.CountUnderWay(tx, c); err != nil {
			return u, err
		}
		if u.Imports, err = imports.CountUnderWay(tx, c); err != nil {
			return u, err
		}
		hold, err := sending.LoadHold(tx)
		u.Held = hold != nil
		return u, err
	})
}
