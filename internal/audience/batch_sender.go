package audience

import (
	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// senderRefusal returns why a Message may not be sent to a List with its sender. An unknown sender is allowed: the
// command line does not know the default sender, and the sender of Batches checks again.
func (s *Service) senderRefusal(tx *db.Tx, a *enlist.Account, m *Message, list *enlist.List) (from, why string, err error) {
	for _, from := range []string{m.FromAddress, list.FromAddress} {
		if from != "" {
			why, err := accounts.RefusalOf(a, tx, from)
			return from, why, err
		}
	}
	from = s.senderOf(a.ID)
	if from != "" {
		why, err = accounts.MissingDomain(a, tx, from)
	}
	return from, why, err
}

// refusedSender returns why one of the senders of a Batch may not be used, or "" if all may.
func (s *Service) refusedSender(tx *db.Tx, a *enlist.Account, m *Message, populations []Population) (string, error) {
	for i := range populations {
		schema, err := lists.Schema(tx, populations[i].List)
		if err != nil {
			return "", err
		}
		if _, why, err := s.senderRefusal(tx, a, m, &schema.List); err != nil || why != "" {
			return why, err
		}
	}
	return "", nil
}

// pauseSender pauses a Batch whose sender is not allowed any more.
func (b *Batch) pauseSender(tx *db.Tx, why string) error {
	b.Status, b.Reason = BatchPaused, why
	return SetBatchState(tx, b)
}
