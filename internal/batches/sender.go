package batches

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// refusedSender returns why one of the senders of a Batch may not be used, or "" if all may.
func (s *Service) refusedSender(tx *db.Tx, a *enlist.Account, m *messages.Message,
	populations []Population) (string, error) {
	for i := range populations {
		schema, err := lists.Schema(tx, populations[i].List)
		if err != nil {
			return "", err
		}
		if _, why, err := s.messages.SenderRefusal(tx, a, m, &schema.List); err != nil || why != "" {
			return why, err
		}
	}
	return "", nil
}

// PauseSender pauses a Batch whose sender is not allowed any more.
func (b *Batch) PauseSender(tx *db.Tx, why string) error {
	b.Status, b.Reason = BatchPaused, why
	return SetBatchState(tx, b)
}
