package audience

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the rate of calls that a key may make. Package rpc counts the calls. decisions.md: 107

// SetKeyRate sets the rate of a key. Errors: InvalidKey if no key has the ID.
func (s *Service) SetKeyRate(ctx context.Context, id enlist.KeyID, rate enlist.CallRate) error {
	return s.editKey(ctx, id, func(tx *db.Tx, _ int64) error { return SetKeyRate(tx, id, rate) })
}
