package audience

import "context"

// This file has the hold: the operator stops all mails, for example after a restore of the
// database, until the operator releases them. The hold is stored in the database, so it applies to
// all processes and survives a restart. specification: batch.hold; decisions.md: 63

// Hold says that no mail is sent.
type Hold struct {
	Reason string
	Time   int64 // when it began
}

// HoldTx reads and changes the hold, in a transaction.
type HoldTx interface {
	// Hold returns the hold, or nil if mails are sent.
	Hold() (*Hold, error)
	// SetHold stores the hold, or replaces the one that is stored.
	SetHold(h *Hold) error
	// DeleteHold removes the hold. It returns false if there is none.
	DeleteHold() (deleted bool, err error)
}

// HoldMails stops all mails. Mails that are being handed over are completed. Errors: InvalidParameters.
func (s *Service) HoldMails(ctx context.Context, reason string) error {
	reason, err := readLine(reason)
	if err != nil {
		return Refuse(InvalidParameters, "reason: %v", err)
	}
	_, err = ownUpdate(ctx, s, func(tx Tx, now int64) (bool, error) {
		return true, tx.SetHold(&Hold{Reason: reason, Time: now})
	})
	return err
}

// ReleaseMails lets mails be sent again. It returns false if there is no hold.
func (s *Service) ReleaseMails(ctx context.Context) (released bool, err error) {
	return ownUpdate(ctx, s, func(tx Tx, _ int64) (bool, error) { return tx.DeleteHold() })
}

// Held returns the hold, or nil if mails are sent.
func (s *Service) Held(ctx context.Context) (*Hold, error) { return ownView(ctx, s, Tx.Hold) }

// sendingNow returns the Batches whose mails may be handed over now. stopped is true while mails are
// held or the calendar is closed.
func (s *Service) sendingNow(tx Tx) (ids []BatchID, stopped bool, err error) {
	hold, err := tx.Hold()
	if err != nil || hold != nil || !s.sending.Calendar.isOpen(s.now()) {
		return nil, true, err
	}
	ids, err = tx.SendingBatches()
	return ids, false, err
}
