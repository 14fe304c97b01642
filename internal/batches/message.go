package batches

import (
	"fmt"
	"math"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// SentTo returns the Lists to which the Messages of an Account were sent, or will be, by Batches and autoresponders. It
// implements messages.SentTo.
func SentTo(tx *db.Tx, account enlist.AccountID) (map[enlist.MessageID][]enlist.ListID, error) {
	lists := make(map[enlist.MessageID][]enlist.ListID)
	add := func(message enlist.MessageID, list enlist.ListID) {
		if !slices.Contains(lists[message], list) {
			lists[message] = append(lists[message], list)
		}
	}
	err := tx.Each(func(row *db.Cursor) error {
		add(enlist.MessageID(row.Int()), enlist.ListID(row.Int()))
		return nil
	}, `SELECT b.message_id, p.list_id FROM batch b JOIN batch_population p ON p.batch_id = b.id WHERE b.account_id = ?
		UNION SELECT message_id, list_id FROM batch WHERE account_id = ?
		UNION SELECT message_id, list_id FROM autoresponder WHERE account_id = ?`,
		int64(account), int64(account), int64(account))
	if err != nil {
		return nil, err
	}
	withVariants, err := Batches(tx, account, BatchFilter{HasVariants: true})
	if err != nil {
		return nil, err
	}
	for i := range withVariants {
		sentTo, err := BatchLists(tx, withVariants[i].ID)
		if err != nil {
			return nil, err
		}
		for _, message := range withVariants[i].Messages() {
			for _, list := range sentTo {
				add(message, list)
			}
		}
	}
	return lists, nil
}

// CheckUnused refuses a change of a Message that autoresponders or open Batches send. field is the
// key that the error names, or "" for the complete Message.
func CheckUnused(tx *db.Tx, m *messages.Message, field string) error {
	batches, err := Batches(tx, m.AccountID, BatchFilter{Open: true})
	if err != nil {
		return err
	}
	for i := range batches {
		if b := &batches[i]; b.sends(m.ID) {
			return enlist.Invalid(field, fmt.Sprintf("Batch %d sends the Message and has not ended; cancel it first",
				b.ID))
		}
	}
	autoresponders, err := Autoresponders(tx, m.AccountID)
	if err != nil {
		return err
	}
	n := 0
	for i := range autoresponders {
		if autoresponders[i].MessageID == m.ID {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return enlist.Invalid(field, fmt.Sprintf("autoresponders that send the Message: %d; "+
		"delete them first, or give them another Message", n))
}

// LastSent returns when a mail of a Message has last left, or math.MaxInt64 while a Batch sends it. It implements
// messages.LastSent.
func LastSent(tx *db.Tx, m *messages.Message) (last int64, err error) {
	for _, f := range []BatchFilter{{Message: m.ID}, {HasVariants: true}} {
		all, err := Batches(tx, m.AccountID, f)
		if err != nil {
			return 0, err
		}
		for i := range all {
			b := &all[i]
			switch {
			case !b.sends(m.ID) || b.Begun == 0 && b.LastSent == 0:
			case b.Ended() || b.Status == BatchRunning:
				last = max(last, b.LastSent)
			default:
				last = math.MaxInt64
			}
		}
	}
	return last, nil
}

// MessageNames returns the names of the Account's Messages, of those that a person sees.
func MessageNames(tx *db.Tx, c *enlist.Caller) (map[enlist.MessageID]string, error) {
	ofAccount, err := messages.Messages(tx, c.Account.ID)
	if err != nil {
		return nil, err
	}
	sees, err := messages.Seen(tx, c, SentTo)
	names := make(map[enlist.MessageID]string, len(ofAccount))
	for i := range ofAccount {
		if err == nil && sees(&ofAccount[i]) {
			names[ofAccount[i].ID] = ofAccount[i].Name
		}
	}
	return names, err
}

// NameOf returns the name of a Batch, or "" if there is no such Batch.
func NameOf(tx *db.Tx, id enlist.BatchID) (name string, err error) {
	if id == 0 {
		return "", nil
	}
	err = tx.Row([]any{&name}, "SELECT name FROM batch WHERE id = ?", int64(id))
	return name, err
}
