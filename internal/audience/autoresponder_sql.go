package audience

import "enlist/internal/enlist"

// This file stores the definitions of autoresponders. Package jobs runs the jobs that send the mails of
// autoresponders.

func mapAutoresponder(m *mapper, a *enlist.Autoresponder) {
	m.id("id", (*int64)(&a.ID))
	m.fixed("account_id", (*int64)(&a.AccountID))
	m.value("list_id", (*int64)(&a.ListID))
	m.fixed("creator_key_id", (*int64)(&a.CreatorKeyID))
	m.fixed("creator_name", &a.CreatorName)
	m.fixed("creation_time", &a.CreationTime)
	m.value("last_modified_time", &a.LastModifiedTime)
	m.value("message_id", (*int64)(&a.MessageID))
	m.value("event_type", (*string)(&a.Event))
	m.value("folder_id", (*int64)(&a.FolderID))
	m.value("time_zone", &a.TimeZone)
	m.value("is_active", &a.IsActive)
	m.value("criteria_type", &a.CriteriaType)
	m.value("criteria_timestamp", &a.Timestamp)
	m.value("offset_value", &a.OffsetValue)
	m.value("offset_period", &a.OffsetPeriod)
	m.value("specific_hour", &a.SpecificHour)
	m.value("specific_minute", &a.SpecificMinute)
}

var autoresponderTable = newMapping("autoresponder", mapAutoresponder)

// Autoresponders returns the autoresponders of an Account's Lists in the order of their IDs.
func (t *Tx) Autoresponders(account enlist.AccountID) ([]enlist.Autoresponder, error) {
	return t.autoresponders("account_id = ? AND list_id IN (SELECT list.id FROM list WHERE hidden = 0)", int64(account))
}

func (t *Tx) autoresponders(where string, args ...any) ([]enlist.Autoresponder, error) {
	return autoresponderTable.all(t, "WHERE "+where+" ORDER BY id", args...)
}

// AddAutoresponder stores a new autoresponder.
func (t *Tx) AddAutoresponder(a *enlist.Autoresponder) error {
	return autoresponderTable.addDefinition(t, a)
}

// UpdateAutoresponder stores the columns of an autoresponder that an edit can change.
func (t *Tx) UpdateAutoresponder(a *enlist.Autoresponder) error {
	return autoresponderTable.saveDefinition(t, a)
}

// DeleteAutoresponder removes an autoresponder.
func (t *Tx) DeleteAutoresponder(id enlist.AutoresponderID) error {
	return t.define("DELETE FROM autoresponder WHERE id = ?", int64(id))
}
