package messages

import (
	"context"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file makes and reads the links of mails. It also makes two other short texts that are
// signed in the same way: Tag and MessageID. sending/link_view.go has what a link shows and does, and
// sending/link_target.go finds the URL of a tracked link. Package web serves the links.

// LinkKey returns the database's key for links. The first call creates it.
func (s *Service) LinkKey(ctx context.Context) (enlist.LinkKey, error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) (key enlist.LinkKey, err error) {
		stored, err := accounts.StoredSecret(tx, "links", len(key))
		copy(key[:], stored)
		return key, err
	})
}
