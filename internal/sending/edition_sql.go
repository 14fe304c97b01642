package sending

import (
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores how many mails of each edition of its Messages a Batch has sent.

func mapEditionSums(m *db.Mapper, e *Edition) { m.Fixed("sent", &e.Sent) }

var addToEdition = batches.AddTo("batch_edition", []string{"batch_id", "variant", "message_id", "message_time"},
	[]string{"subject", "first_time"}, mapEditionSums)

// AddToEdition adds to the number of sent mails of an Edition.
func AddToEdition(tx *db.Tx, batch enlist.BatchID, e *Edition) error {
	return tx.Do(addToEdition, int64(batch), e.Variant, int64(e.Message), e.MessageTime, e.Subject, e.FirstTime, e.Sent)
}

// Editions returns the Editions of a Batch.
func Editions(tx *db.Tx, batch enlist.BatchID) (all []Edition, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		all = append(all, Edition{Variant: row.Int(), Message: enlist.MessageID(row.Int()),
			MessageTime: row.Int(), Subject: row.Text(), FirstTime: row.Int(), Sent: row.Int()})
		return nil
	}, `SELECT variant, message_id, message_time, subject, first_time, sent FROM batch_edition WHERE batch_id = ?
		ORDER BY variant, first_time, message_time`, int64(batch))
	return all, err
}
