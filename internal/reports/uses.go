package reports

import (
	"context"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file says how often the Messages of an Account were sent and opened.

// Use is a Batch of a Message.
type Use struct {
	Batch     enlist.BatchID
	Time      int64 // when its sending began or begins
	Delivered int64 // mails that arrived, as far as is known
	Opened    int64 // mails that a person opened
}

// maxUses is the number of Batches that MessageUses reads, the newest ones.
const maxUses = 500

// MessageUses returns the Batches of each Message, the oldest first. Errors: Denied.
func (s *Service) MessageUses(ctx context.Context, c *enlist.Caller) (map[enlist.MessageID][]Use, error) {
	return db.ViewUnrestricted(ctx, s.db, c, func(tx *db.Tx) (map[enlist.MessageID][]Use, error) {
		uses := make(map[enlist.MessageID][]Use)
		err := tx.Each(func(row *db.Cursor) error {
			m := enlist.MessageID(row.Int())
			u := Use{Batch: enlist.BatchID(row.Int()), Time: row.Int(), Delivered: row.Int(), Opened: row.Int()}
			uses[m] = append([]Use{u}, uses[m]...)
			return nil
		}, `SELECT message_id, id, CASE begun_time WHEN 0 THEN send_time ELSE begun_time END, sent - (bounced - refused),
				CAST((SELECT coalesce(sum(human_opened), 0) FROM batch_sum WHERE batch_sum.batch_id = batch.id) AS BIGINT)
			FROM batch WHERE account_id = ? AND status NOT IN (?, ?, ?) ORDER BY id DESC LIMIT ?`,
			int64(c.Account.ID), string(batches.BatchDeleted), string(batches.BatchCancelled),
			string(batches.BatchFailed), int64(maxUses))
		return uses, err
	})
}
