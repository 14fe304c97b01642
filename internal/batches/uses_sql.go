package batches

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file reads how often Messages, and those of autoresponders, were sent and opened. Package reports shows it.

// Use is a Batch of a Message.
type Use struct {
	Batch     enlist.BatchID
	Time      int64 // when its sending began or begins
	Delivered int64 // mails that arrived, as far as is known
	Measured  int64 // of these, had a tracking pixel
	Opened    int64 // mails that a person opened
}

// maxUses is the number of Batches that Uses reads, the newest ones.
const maxUses = 500

// Uses returns the Batches of each Message that the caller may access, the oldest first.
func Uses(tx *db.Tx, c *enlist.Caller) (map[enlist.MessageID][]Use, error) {
	within, lists, err := withinLists(tx, c.Key.Lists)
	if err != nil {
		return nil, err
	}
	args := append([]any{int64(c.Account.ID), string(BatchDeleted), string(BatchCancelled),
		string(BatchFailed)}, lists...)
	uses := make(map[enlist.MessageID][]Use)
	var ids []enlist.BatchID
	err = tx.Each(func(row *db.Cursor) error {
		m := enlist.MessageID(row.Int())
		u := Use{Batch: enlist.BatchID(row.Int()), Time: row.Int(), Delivered: row.Int()}
		u.Measured = max(0, u.Delivered-row.Int())
		uses[m] = append([]Use{u}, uses[m]...)
		ids = append(ids, u.Batch)
		return nil
	}, `SELECT message_id, id, CASE begun_time WHEN 0 THEN send_time ELSE begun_time END, sent - (bounced - refused),
			unmeasured_opens
		FROM batch WHERE account_id = ? AND status NOT IN (?, ?, ?)`+within+" ORDER BY id DESC LIMIT ?",
		append(args, int64(maxUses))...)
	if err != nil {
		return nil, err
	}
	sums, err := recipients.SumsByBatch(tx, ids)
	for _, ofMessage := range uses {
		for i := range ofMessage {
			ofMessage[i].Opened = sums[ofMessage[i].Batch].HumanOpened
		}
	}
	return uses, err
}

// AutoresponderFigures are how many mails an autoresponder has sent, and what became of them.
type AutoresponderFigures struct {
	Batch     enlist.BatchID // which has the figures
	Sent      int64
	Delivered int64 // mails that arrived, as far as is known
	Opened    int64 // mails that a person opened

	MeasuredOpens, MeasuredClicks int64 // of the delivered ones, had a tracking pixel, or tracked links

	Clicked int64 // mails in which a person clicked a link
}

// FiguresOfAutoresponders returns the figures of the autoresponders of a List, without those that were also in a List
// which the caller may not access.
func FiguresOfAutoresponders(tx *db.Tx, c *enlist.Caller, list enlist.ListID) (
	map[enlist.AutoresponderID]AutoresponderFigures, error) {
	within, args, err := withinLists(tx, c.Key.Lists)
	if err != nil {
		return nil, err
	}
	figures := make(map[enlist.AutoresponderID]AutoresponderFigures)
	var ids []enlist.BatchID
	err = tx.Each(func(row *db.Cursor) error {
		id := enlist.AutoresponderID(row.Int())
		f := AutoresponderFigures{Batch: enlist.BatchID(row.Int()), Sent: row.Int(), Delivered: max(0, row.Int())}
		f.MeasuredOpens, f.MeasuredClicks = max(0, f.Delivered-row.Int()), max(0, f.Delivered-row.Int())
		figures[id] = f
		ids = append(ids, f.Batch)
		return nil
	}, `SELECT a.id, batch.id, sent, sent - (bounced - refused), unmeasured_opens, unmeasured_clicks
		FROM autoresponder a JOIN autoresponder_batch f ON f.autoresponder_id = a.id
			JOIN batch ON batch.id = f.batch_id
		WHERE a.list_id = ?`+within, append([]any{int64(list)}, args...)...)
	if err != nil {
		return nil, err
	}
	sums, err := recipients.SumsByBatch(tx, ids)
	for id, f := range figures {
		f.Opened, f.Clicked = sums[f.Batch].HumanOpened, sums[f.Batch].HumanClicked
		figures[id] = f
	}
	return figures, err
}

// EachOutcome calls each with the time of the first mail and the numbers of mails of the Batches that pass a filter.
func EachOutcome(tx *db.Tx, account enlist.AccountID, f BatchFilter,
	each func(isTest bool, first int64, n *recipients.Counts)) error {
	clauses, args, err := BatchClauses(tx, account, f)
	if err != nil {
		return err
	}
	return tx.Each(func(row *db.Cursor) error {
		isTest, first := row.Int() != 0, row.Int()
		each(isTest, first, &recipients.Counts{Sent: row.Int(), Refused: row.Int(), Bounced: row.Int(), Failed: row.Int(),
			Complained: row.Int(), Unsubscribed: row.Int()})
		return nil
	}, "SELECT is_test, first_sent_time, sent, refused, bounced, failed, complained, unsubscribed FROM batch "+clauses,
		args...)
}
