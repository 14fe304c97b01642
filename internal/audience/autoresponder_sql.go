package audience

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the definitions of autoresponders. Package jobs runs the jobs that send the mails of
// autoresponders.

func mapAutoresponder(m *db.Mapper, a *enlist.Autoresponder) {
	m.ID("id", (*int64)(&a.ID))
	m.Fixed("account_id", (*int64)(&a.AccountID))
	m.Value("list_id", (*int64)(&a.ListID))
	m.Fixed("creator_key_id", (*int64)(&a.CreatorKeyID))
	m.Fixed("creator_name", &a.CreatorName)
	m.Fixed("creation_time", &a.CreationTime)
	m.Value("last_modified_time", &a.LastModifiedTime)
	m.Value("message_id", (*int64)(&a.MessageID))
	m.Value("event_type", (*string)(&a.Event))
	m.Value("folder_id", (*int64)(&a.FolderID))
	m.Value("time_zone", &a.TimeZone)
	m.Value("is_active", &a.IsActive)
	m.Value("criteria_type", &a.CriteriaType)
	m.Value("criteria_timestamp", &a.Timestamp)
	m.Value("offset_value", &a.OffsetValue)
	m.Value("offset_period", &a.OffsetPeriod)
	m.Value("specific_hour", &a.SpecificHour)
	m.Value("specific_minute", &a.SpecificMinute)
}

var autoresponderTable = db.NewMapping("autoresponder", mapAutoresponder)

// Autoresponders returns the autoresponders of an Account's Lists in the order of their IDs.
func Autoresponders(tx *db.Tx, account enlist.AccountID) ([]enlist.Autoresponder, error) {
	return autoresponders(tx, "account_id = ? AND list_id IN (SELECT list.id FROM list WHERE hidden = 0)", int64(account))
}

func autoresponders(tx *db.Tx, where string, args ...any) ([]enlist.Autoresponder, error) {
	return autoresponderTable.All(tx, "WHERE "+where+" ORDER BY id", args...)
}

// AddAutoresponder stores a new autoresponder.
func AddAutoresponder(tx *db.Tx, a *enlist.Autoresponder) error {
	return autoresponderTable.AddDefinition(tx, a)
}

// UpdateAutoresponder stores the columns of an autoresponder that an edit can change.
func UpdateAutoresponder(tx *db.Tx, a *enlist.Autoresponder) error {
	return autoresponderTable.SaveDefinition(tx, a)
}

// DeleteAutoresponder removes an autoresponder.
func DeleteAutoresponder(tx *db.Tx, id enlist.AutoresponderID) error {
	return tx.Define("DELETE FROM autoresponder WHERE id = ?", int64(id))
}
