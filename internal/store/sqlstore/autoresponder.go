package sqlstore

import (
	"database/sql/driver"

	"enlist/internal/audience"
)

const autoresponderColumns = `id, account_id, list_id, creator_key_id, creator_name, creation_time, last_modified_time, message_id, event_type,
	folder_id, time_zone, is_active, criteria_type, criteria_timestamp, offset_value, offset_period, specific_hour, specific_minute`

func decodeAutoresponder(row []driver.Value) audience.Autoresponder {
	return audience.Autoresponder{
		ID: audience.AutoresponderID(integer(row[0])), AccountID: audience.AccountID(integer(row[1])), ListID: audience.ListID(integer(row[2])),
		CreatorKeyID: audience.KeyID(integer(row[3])), CreatorName: text(row[4]), CreationTime: integer(row[5]), LastModifiedTime: integer(row[6]),
		MessageID: audience.MessageID(integer(row[7])), Event: audience.Event(text(row[8])), FolderID: audience.FolderID(integer(row[9])),
		TimeZone: text(row[10]), IsActive: flag(row[11]), CriteriaType: text(row[12]), Timestamp: integer(row[13]),
		OffsetValue: integer(row[14]), OffsetPeriod: text(row[15]), SpecificHour: integer(row[16]), SpecificMinute: integer(row[17]),
	}
}

// Autoresponders returns the autoresponders of an Account's Lists by ID.
func (t *Tx) Autoresponders(account audience.AccountID) ([]audience.Autoresponder, error) {
	return t.autoresponders("account_id = ? AND list_id IN (SELECT list.id FROM list WHERE hidden = 0)", int64(account))
}

func (t *Tx) autoresponders(where string, args ...any) (found []audience.Autoresponder, err error) {
	err = t.each(18, func(row []driver.Value) error {
		found = append(found, decodeAutoresponder(row))
		return nil
	}, "SELECT "+autoresponderColumns+" FROM autoresponder WHERE "+where+" ORDER BY id", args...)
	return found, err
}

func autoresponderValues(a *audience.Autoresponder) []any {
	return []any{int64(a.ListID), a.LastModifiedTime, int64(a.MessageID), string(a.Event), int64(a.FolderID), a.TimeZone, bit(a.IsActive),
		a.CriteriaType, a.Timestamp, a.OffsetValue, a.OffsetPeriod, a.SpecificHour, a.SpecificMinute}
}

// AddAutoresponder stores a new autoresponder.
func (t *Tx) AddAutoresponder(a *audience.Autoresponder) error {
	if err := t.changed(); err != nil {
		return err
	}
	id, err := t.conn.Insert(`INSERT INTO autoresponder (account_id, creator_key_id, creator_name, creation_time,
			list_id, last_modified_time, message_id, event_type, folder_id, time_zone, is_active,
			criteria_type, criteria_timestamp, offset_value, offset_period, specific_hour, specific_minute)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		append([]any{int64(a.AccountID), int64(a.CreatorKeyID), a.CreatorName, a.CreationTime}, autoresponderValues(a)...)...)
	a.ID = audience.AutoresponderID(id)
	return err
}

// UpdateAutoresponder stores what may change of an autoresponder.
func (t *Tx) UpdateAutoresponder(a *audience.Autoresponder) error {
	if err := t.changed(); err != nil {
		return err
	}
	return t.conn.Do(`UPDATE autoresponder SET list_id = ?, last_modified_time = ?, message_id = ?, event_type = ?, folder_id = ?,
			time_zone = ?, is_active = ?, criteria_type = ?, criteria_timestamp = ?, offset_value = ?, offset_period = ?,
			specific_hour = ?, specific_minute = ?
		WHERE id = ?`, append(autoresponderValues(a), int64(a.ID))...)
}

// DeleteAutoresponder removes an autoresponder.
func (t *Tx) DeleteAutoresponder(id audience.AutoresponderID) error {
	if err := t.changed(); err != nil {
		return err
	}
	return t.conn.Do("DELETE FROM autoresponder WHERE id = ?", int64(id))
}
