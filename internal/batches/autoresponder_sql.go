package batches

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file stores the definitions of autoresponders. Package jobs runs the jobs that send the mails of
// autoresponders.

// Autoresponders returns the autoresponders of an Account's Lists in the order of their IDs.
func Autoresponders(tx *db.Tx, account enlist.AccountID) ([]enlist.Autoresponder, error) {
	return lists.Autoresponders(tx, "account_id = ? AND list_id IN (SELECT list.id FROM list WHERE hidden = 0)",
		int64(account))
}

// AddAutoresponder stores a new autoresponder.
func AddAutoresponder(tx *db.Tx, a *enlist.Autoresponder) error {
	return lists.AutoresponderTable.AddDefinition(tx, a)
}

// RestoreAutoresponder stores an autoresponder under its ID.
func RestoreAutoresponder(tx *db.Tx, a *enlist.Autoresponder) error {
	return lists.AutoresponderTable.RestoreDefinition(tx, "autoresponder", a)
}

// UpdateAutoresponder stores the columns of an autoresponder that an edit can change.
func UpdateAutoresponder(tx *db.Tx, a *enlist.Autoresponder) error {
	return lists.AutoresponderTable.SaveDefinition(tx, a)
}

// DeleteAutoresponder removes an autoresponder.
func DeleteAutoresponder(tx *db.Tx, id enlist.AutoresponderID) error {
	return tx.Define("DELETE FROM autoresponder WHERE id = ?", int64(id))
}

// RemoveAutoresponders removes the autoresponders of a List.
func RemoveAutoresponders(tx *db.Tx, list enlist.ListID) error {
	return tx.Do("DELETE FROM autoresponder WHERE list_id = ?", int64(list))
}
