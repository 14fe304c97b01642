package batches

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores which Batch has the figures of an autoresponder.

// autoresponderBatch returns the Batch of an autoresponder, and whether it has a population of the List.
func autoresponderBatch(tx *db.Tx, id enlist.AutoresponderID, list enlist.ListID) (batch enlist.BatchID, hasList bool,
	err error) {
	err = tx.Row([]any{(*int64)(&batch), &hasList}, `SELECT batch_id, (SELECT count(*) FROM batch_population p WHERE p.batch_id = a.batch_id AND p.list_id = ?)
		FROM autoresponder_batch a WHERE autoresponder_id = ?`, int64(list), int64(id))
	return batch, hasList, err
}

// insertAutoresponderBatch stores the Batch of an autoresponder, unless it has one.
func insertAutoresponderBatch(tx *db.Tx, id enlist.AutoresponderID, batch enlist.BatchID) (bool, error) {
	n, err := tx.Exec("INSERT INTO autoresponder_batch (autoresponder_id, batch_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
		int64(id), int64(batch))
	return n == 1, err
}

// RemoveAutoresponderBatch removes the row that AddAutoresponderBatch has added.
func RemoveAutoresponderBatch(tx *db.Tx, id enlist.AutoresponderID) error {
	return tx.Do("DELETE FROM autoresponder_batch WHERE autoresponder_id = ?", int64(id))
}
