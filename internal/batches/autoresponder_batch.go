package batches

import (
	"context"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file keeps the figures of autoresponders. Each autoresponder has a Batch of status BatchRunning, so its figures
// are read by the same calls as those of other Batches. No sender takes mails from this Batch: its recipients are
// stored when their mails are sent. It has a recipient for each Contact, however many events of the Contact the
// autoresponder has answered. decisions.md: 76

// AutoresponderBatch returns the ID of the Batch that has the figures of an autoresponder. It returns 0 for an
// autoresponder that an earlier version of the program added, until its first mail. Errors: NoAutoresponder, Denied.
func (s *Service) AutoresponderBatch(ctx context.Context, c *enlist.Caller,
	id enlist.AutoresponderID) (enlist.BatchID, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (enlist.BatchID, error) {
		if _, err := loadAutoresponder(tx, c, id); err != nil {
			return 0, err
		}
		batch, _, err := autoresponderBatch(tx, id, 0)
		return batch, err
	})
}

// AddAutoresponderBatch adds the Batch of an autoresponder and returns its ID.
func AddAutoresponderBatch(tx *db.Tx, a *enlist.Autoresponder) (enlist.BatchID, error) {
	b := Batch{AccountID: a.AccountID, CreatorKeyID: a.CreatorKeyID, CreatorName: a.CreatorName,
		CreationTime: a.CreationTime, ListID: a.ListID, MessageID: a.MessageID,
		MessageType: string(messages.MessageEmail),
		IsPopulated: true, Status: BatchRunning, SendTime: a.CreationTime, ActiveTime: a.CreationTime}
	if err := b.Insert(tx, []Population{runningPopulation(0, a.ListID)}); err != nil {
		return 0, err
	}
	added, err := insertAutoresponderBatch(tx, a.ID, b.ID)
	if err != nil || added {
		return b.ID, err
	}
	if err := deleteBatch(tx, b.ID); err != nil { // another transaction has added one meanwhile
		return 0, err
	}
	id, _, err := autoresponderBatch(tx, a.ID, 0)
	return id, err
}

// runningPopulation is the population for the recipients in a List. Its number is the ID of the List.
func runningPopulation(batch enlist.BatchID, list enlist.ListID) Population {
	return Population{Batch: batch, Number: int64(list), List: list, Type: populationEvents, Done: true}
}

// EditAutoresponderBatch stores which Message an autoresponder sends now.
func EditAutoresponderBatch(tx *db.Tx, a *enlist.Autoresponder) error {
	id, _, err := autoresponderBatch(tx, a.ID, 0)
	if err != nil || id == 0 {
		return err
	}
	b, err := LockBatch(tx, id)
	if err != nil || b.MessageID == a.MessageID {
		return err
	}
	b.MessageID = a.MessageID
	return b.Save(tx)
}

// deleteAutoresponderBatch deletes the Batch of an autoresponder, which is deleted too. A job removes its recipients.
func deleteAutoresponderBatch(tx *db.Tx, a *enlist.Autoresponder, now int64) error {
	id, _, err := autoresponderBatch(tx, a.ID, 0)
	if err != nil || id == 0 {
		return err
	}
	b, err := LockBatch(tx, id)
	if err != nil {
		return err
	}
	if err := b.checkNotAwaited(tx, "autoresponder_id"); err != nil {
		return err
	}
	if err := RemoveAutoresponderBatch(tx, a.ID); err != nil {
		return err
	}
	return b.delete(tx, now)
}

// FiguresOf returns the Batch that has the figures of a mail: the Batch that sent it, or the Batch of its
// autoresponder. It returns 0 for other mails.
func FiguresOf(tx *db.Tx, k enlist.DeliveryKey) (id enlist.BatchID, err error) {
	id = k.Batch()
	if a := k.Autoresponder(); id == 0 && a != 0 {
		id, _, err = autoresponderBatch(tx, a, 0)
	}
	return id, err
}

// BatchForMail returns the Batch to which a mail of an autoresponder is added. It adds the Batch, or the List to the
// Batch, if necessary. It returns 0 for other mails, and if the autoresponder is deleted.
func BatchForMail(tx *db.Tx, k enlist.DeliveryKey) (enlist.BatchID, error) {
	a := k.Autoresponder()
	if a == 0 {
		return 0, nil
	}
	batch, hasList, err := autoresponderBatch(tx, a, k.List)
	switch {
	case err != nil || hasList:
		return batch, err
	case batch != 0: // the autoresponder had another List before
		p := runningPopulation(batch, k.List)
		return batch, populationTable.Do(tx, populationTable.InsertNew, db.Inserted, &p)
	}
	schema, err := lists.Schema(tx, k.List)
	if err != nil {
		return 0, enlist.IgnoreKind(enlist.NoList, err)
	}
	i := slices.IndexFunc(schema.Autoresponders, func(other enlist.Autoresponder) bool { return other.ID == a })
	if i < 0 {
		return 0, nil
	}
	return AddAutoresponderBatch(tx, &schema.Autoresponders[i])
}
