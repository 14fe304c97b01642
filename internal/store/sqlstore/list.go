package sqlstore

import (
	"database/sql/driver"

	"enlist/internal/audience"
)

// listColumns are in the order of decodeList; folder names come by a look-up
// since a List's Folder may be renamed.
func (d *Dialect) listColumns() string {
	return `id, account_id, creator_key_id, creator_name, name, creation_time, last_modified_time,
	on_register, on_update, on_unsubscribe, disallow_duplicates, send_to_duplicates, folder_id,
	coalesce((SELECT folder.name FROM folder WHERE folder.id = list.folder_id), ''), ` + d.counter("list") + `,
	country_code, virtual_number, sms_stop_words, sms_response_action, sms_response_fields, address_types,
	gdpr, double_opt_in, track_opens, track_clicks, from_name, from_address`
}

const listColumnCount = 27

// counter is the number of Contacts that a table counts.
func (d *Dialect) counter(table string) string {
	if !d.ConcurrentWriters {
		return "contact_count"
	}
	return "contact_count + (SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM contact_delta WHERE " + table + "_id = " + table + ".id)"
}

func decodeList(row []driver.Value) audience.List {
	return audience.List{
		ID: audience.ListID(integer(row[0])), AccountID: audience.AccountID(integer(row[1])),
		CreatorKeyID: audience.KeyID(integer(row[2])), CreatorName: text(row[3]), Name: text(row[4]),
		CreationTime: integer(row[5]), LastModifiedTime: integer(row[6]),
		OnRegister: text(row[7]), OnUpdate: text(row[8]), OnUnsubscribe: text(row[9]),
		DisallowDuplicates: flag(row[10]), SendToDuplicates: flag(row[11]),
		FolderID: audience.FolderID(integer(row[12])), FolderName: text(row[13]), ContactCount: integer(row[14]),
		CountryCode: integer(row[15]), VirtualNumber: text(row[16]), SMSStopWords: text(row[17]),
		SMSResponseAction: text(row[18]), SMSResponseFields: text(row[19]), AddressTypes: text(row[20]),
		GDPR: flag(row[21]), DoubleOptIn: flag(row[22]), TrackOpens: flag(row[23]), TrackClicks: flag(row[24]),
		FromName: text(row[25]), FromAddress: text(row[26]),
	}
}

// Lists returns an Account's Lists by ID.
func (t *Tx) Lists(account audience.AccountID) (lists []audience.List, err error) {
	err = t.each(listColumnCount, func(row []driver.Value) error {
		l := decodeList(row)
		l.ContactCount += t.counted(func(c count) bool { return c.list == l.ID })
		lists = append(lists, l)
		return nil
	}, "SELECT "+t.sql.listColumns()+" FROM list WHERE account_id = ? AND hidden = 0 ORDER BY id", int64(account))
	return lists, err
}

// Schema returns a List with its Fields and preferences.
func (t *Tx) Schema(id audience.ListID) (*audience.Schema, error) {
	s, err := t.catalogue()
	if err != nil {
		return nil, err
	}
	return cached(s, s.schemas, id, func() (*audience.Schema, error) { return t.readSchema(id) })
}

func (t *Tx) readSchema(id audience.ListID) (*audience.Schema, error) {
	var list *audience.List
	err := t.each(listColumnCount, func(row []driver.Value) error {
		l := decodeList(row)
		l.ContactCount = 0 // changes without the catalogue's version: see ContactCount
		list = &l
		return nil
	}, "SELECT "+t.sql.listColumns()+" FROM list WHERE id = ? AND hidden = 0", int64(id))
	if err != nil {
		return nil, err
	}
	if list == nil {
		return nil, audience.ErrNoList
	}
	fields, err := t.fields(id)
	if err != nil {
		return nil, err
	}
	preferences, err := t.preferences(id)
	if err != nil {
		return nil, err
	}
	audience.SortFields(fields)
	schema := audience.NewSchema(*list, fields, preferences)
	if schema.SearchIndexes, err = t.readyIndexes(id); err != nil {
		return nil, err
	}
	return schema, t.readListeners(schema)
}

// readListeners reads what waits for events of a List, and the Account's time zone.
func (t *Tx) readListeners(s *audience.Schema) error {
	err := t.each(1, func(row []driver.Value) error {
		s.TimeZone = text(row[0])
		return nil
	}, "SELECT time_zone FROM account WHERE id = ?", int64(s.List.AccountID))
	if err != nil {
		return err
	}
	if s.Autoresponders, err = t.autoresponders("list_id = ?", int64(s.List.ID)); err != nil {
		return err
	}
	s.Webhooks, err = t.webhooks("webhook.account_id = ? AND list_id IN (0, ?)", int64(s.List.AccountID), int64(s.List.ID))
	return err
}

// ContactCount counts a List's stored Contacts.
func (t *Tx) ContactCount(id audience.ListID) (int64, error) {
	n, err := t.number("SELECT "+t.sql.counter("list")+" FROM list WHERE id = ?", int64(id))
	return n + t.counted(func(c count) bool { return c.list == id }), err
}

func listValues(l *audience.List) []any {
	return []any{
		l.Name, l.LastModifiedTime, l.OnRegister, l.OnUpdate, l.OnUnsubscribe,
		bit(l.DisallowDuplicates), bit(l.SendToDuplicates), int64(l.FolderID), l.CountryCode, l.VirtualNumber,
		l.SMSStopWords, l.SMSResponseAction, l.SMSResponseFields, l.AddressTypes, bit(l.GDPR), bit(l.DoubleOptIn),
		bit(l.TrackOpens), bit(l.TrackClicks), l.FromName, l.FromAddress,
	}
}

// AddList stores a new List.
func (t *Tx) AddList(l *audience.List) error {
	if err := t.changed(); err != nil {
		return err
	}
	args := append([]any{int64(l.AccountID), int64(l.CreatorKeyID), l.CreatorName, l.CreationTime}, listValues(l)...)
	id, err := t.conn.Insert(`INSERT INTO list (account_id, creator_key_id, creator_name, creation_time,
			name, last_modified_time, on_register, on_update, on_unsubscribe,
			disallow_duplicates, send_to_duplicates, folder_id, country_code, virtual_number,
			sms_stop_words, sms_response_action, sms_response_fields, address_types, gdpr, double_opt_in,
			track_opens, track_clicks, from_name, from_address)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, args...)
	l.ID = audience.ListID(id)
	return err
}

// UpdateList stores what may change of a List.
func (t *Tx) UpdateList(l *audience.List) error {
	if err := t.changed(); err != nil {
		return err
	}
	return t.conn.Do(`UPDATE list SET name = ?, last_modified_time = ?, on_register = ?, on_update = ?, on_unsubscribe = ?,
			disallow_duplicates = ?, send_to_duplicates = ?, folder_id = ?, country_code = ?, virtual_number = ?,
			sms_stop_words = ?, sms_response_action = ?, sms_response_fields = ?, address_types = ?, gdpr = ?, double_opt_in = ?,
			track_opens = ?, track_clicks = ?, from_name = ?, from_address = ?
		WHERE id = ?`, append(listValues(l), int64(l.ID))...)
}

// MarkListDeleted makes a List unknown.
func (t *Tx) MarkListDeleted(id audience.ListID) error {
	if err := t.changed(); err != nil {
		return err
	}
	return t.conn.Do("UPDATE list SET hidden = 1 WHERE id = ?", int64(id))
}

// DropList removes a hidden List without Contacts, its Fields and preferences.
func (t *Tx) DropList(id audience.ListID) error {
	if err := t.changed(); err != nil {
		return err
	}
	for _, query := range []string{
		"DELETE FROM field WHERE list_id = ?",
		"DELETE FROM preference WHERE list_id = ?",
		"DELETE FROM autoresponder WHERE list_id = ?",
		"DELETE FROM webhook WHERE list_id = ?", // what they have to tell still goes out
		"DELETE FROM list WHERE id = ? AND hidden = 1",
	} {
		if err := t.conn.Do(query, int64(id)); err != nil {
			return err
		}
	}
	return t.dropTargets("TRUE")
}

func (t *Tx) preferences(list audience.ListID) (preferences []audience.Preference, err error) {
	err = t.each(3, func(row []driver.Value) error {
		preferences = append(preferences, audience.Preference{
			ID: audience.PreferenceID(integer(row[0])), ListID: audience.ListID(integer(row[1])), Name: text(row[2]),
		})
		return nil
	}, "SELECT id, list_id, name FROM preference WHERE list_id = ? ORDER BY id", int64(list))
	return preferences, err
}

// AddPreference stores a new preference.
func (t *Tx) AddPreference(p *audience.Preference) error {
	if err := t.changed(); err != nil {
		return err
	}
	id, err := t.conn.Insert("INSERT INTO preference (list_id, name) VALUES (?, ?)", int64(p.ListID), p.Name)
	p.ID = audience.PreferenceID(id)
	return err
}

// DeletePreference removes a preference; what Contacts answered is not shown any more.
func (t *Tx) DeletePreference(list audience.ListID, id audience.PreferenceID) error {
	if err := t.changed(); err != nil {
		return err
	}
	return t.conn.Do("DELETE FROM preference WHERE list_id = ? AND id = ?", int64(list), int64(id))
}
