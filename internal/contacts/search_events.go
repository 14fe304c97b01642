package contacts

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// checkHasEvents refuses a condition that tests opens or clicks that a Retention has removed: it would find the wrong
// Contacts. decisions.md: 105
func checkHasEvents(tx *db.Tx, where *enlist.Condition) error {
	ids := where.EventBatches()
	if len(ids) == 0 {
		return nil
	}
	without, err := batchesWithoutEvents(tx, ids)
	if err == nil && len(without) > 0 {
		err = ErrEventsRemoved(without[0])
	}
	return err
}

func ErrEventsRemoved(id enlist.BatchID) error {
	return enlist.Refuse(enlist.InvalidSearch, "the opens and clicks of Batch %d were removed, because the Account keeps them for a limited time", id)
}

// batchesWithoutEvents returns those of the Batches whose events were removed.
func batchesWithoutEvents(tx *db.Tx, ids []enlist.BatchID) ([]enlist.BatchID, error) {
	test, arg, err := db.OneOfIDs(tx, ids)
	if err != nil {
		return nil, err
	}
	return db.IDsOf[enlist.BatchID](tx, "SELECT id FROM batch WHERE id"+test+" AND events_removed <> 0 ORDER BY id",
		arg)
}
