package sending

import (
	"context"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has what the page about the recording of opens and clicks does. Its link works as long as the Contact exists,
// because a refusal must be as easy as the agreement. decisions.md: 160

// DecideTracking stores what the Contact of a link decides, and returns the page after it. If the link went to another
// address than that of the Contact, it decides nothing; if this is not known any more, it can only refuse. Errors: InvalidParameters.
func (s *Service) DecideTracking(ctx context.Context, d enlist.DeliveryKey, r contacts.TrackingDecision) (*LinkView,
	error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*LinkView, error) {
		v, err := loadLinkView(tx, d)
		if err != nil || v.Contact == nil || v.Moved || v.Unknown && r.Consent == enlist.TrackingGranted {
			return v, err
		}
		return v, contacts.DecideTracking(tx, v.Schema, v.Contact, &r, now)
	})
}
