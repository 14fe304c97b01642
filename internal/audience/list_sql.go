package audience

import "enlist/internal/enlist"

// This file stores Lists and preferences, and reads a List's Schema into the catalogue.

var listTable = newDialectMapping("list", mapList)

// mapList describes the table list. It reads the name of the List's Folder from the table folder, because
// a caller can rename the Folder.
func mapList(d *Dialect, m *mapper, l *enlist.List) {
	m.id("id", (*int64)(&l.ID))
	m.fixed("account_id", (*int64)(&l.AccountID))
	m.fixed("creator_key_id", (*int64)(&l.CreatorKeyID))
	m.fixed("creator_name", &l.CreatorName)
	m.fixed("creation_time", &l.CreationTime)
	m.value("name", &l.Name)
	m.value("last_modified_time", &l.LastModifiedTime)
	m.value("on_register", &l.OnRegister)
	m.value("on_update", &l.OnUpdate)
	m.value("on_unsubscribe", &l.OnUnsubscribe)
	m.value("disallow_duplicates", &l.DisallowDuplicates)
	m.value("send_to_duplicates", &l.SendToDuplicates)
	m.value("folder_id", (*int64)(&l.FolderID))
	m.computed("coalesce((SELECT folder.name FROM folder WHERE folder.id = list.folder_id), '')", &l.FolderName)
	m.computed(counter(d, "list"), &l.ContactCount)
	m.value("country_code", &l.CountryCode)
	m.value("virtual_number", &l.VirtualNumber)
	m.value("sms_stop_words", &l.SMSStopWords)
	m.value("sms_response_action", &l.SMSResponseAction)
	m.value("sms_response_fields", &l.SMSResponseFields)
	m.value("address_types", &l.AddressTypes)
	m.value("gdpr", &l.GDPR)
	m.value("double_opt_in", &l.DoubleOptIn)
	m.value("track_opens", &l.TrackOpens)
	m.value("track_clicks", &l.TrackClicks)
	m.value("from_name", &l.FromName)
	m.value("from_address", &l.FromAddress)
}

// counter returns the expression for the number of Contacts in a row of the table list or account. With
// concurrent writers, the expression adds the rows of contact_delta that are not compacted yet.
func counter(d *Dialect, table string) string {
	if !d.ConcurrentWriters {
		return "contact_count"
	}
	return "contact_count + (SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM contact_delta" +
		" WHERE " + table + "_id = " + table + ".id)"
}

// Lists returns an Account's Lists in the order of their IDs.
func (t *Tx) Lists(account enlist.AccountID) ([]enlist.List, error) {
	lists, err := listTable.of(t.SQL).all(t, "WHERE account_id = ? AND hidden = 0 ORDER BY id", int64(account))
	for i := range lists {
		l := &lists[i]
		l.ContactCount += t.counted(func(c contactCount) bool { return c.list == l.ID })
	}
	return lists, err
}

// Schema returns a List with the definitions that belong to it, such as its Fields and preferences.
func (t *Tx) Schema(id enlist.ListID) (*enlist.Schema, error) {
	s, err := t.catalogue()
	if err != nil {
		return nil, err
	}
	return cached(s, s.schemas, id, func() (*enlist.Schema, error) { return t.readSchema(id) })
}

func (t *Tx) readSchema(id enlist.ListID) (*enlist.Schema, error) {
	list, err := listTable.of(t.SQL).one(t, enlist.ErrNoList, "WHERE id = ? AND hidden = 0", int64(id))
	if err != nil {
		return nil, err
	}
	list.ContactCount = 0 // the count changes without a new version of the catalogue, so the cache must not contain it
	fields, err := t.fields(id)
	if err != nil {
		return nil, err
	}
	preferences, err := t.preferences(id)
	if err != nil {
		return nil, err
	}
	enlist.SortFields(fields)
	schema := enlist.NewSchema(*list, fields, preferences)
	if schema.Unique {
		schema.Unique, err = t.hasNoDuplicates(id)
		if err != nil {
			return nil, err
		}
	}
	schema.SearchIndexes, err = t.readyIndexes(id)
	if err != nil {
		return nil, err
	}
	return schema, t.readListeners(schema)
}

// hasNoDuplicates reports whether no two Contacts of a List have the same address. It reads one entry
// of a partial index.
func (t *Tx) hasNoDuplicates(id enlist.ListID) (bool, error) {
	n, err := t.number("SELECT EXISTS (SELECT 1 FROM contact WHERE list_id = ? AND duplicate_key IS NOT NULL)",
		int64(id))
	return n == 0, err
}

// readListeners reads the autoresponders and webhooks of a List, and the Account's time zone.
func (t *Tx) readListeners(s *enlist.Schema) error {
	err := t.each(func(row *Cursor) error {
		s.TimeZone = row.Text()
		return nil
	}, "SELECT time_zone FROM account WHERE id = ?", int64(s.List.AccountID))
	if err != nil {
		return err
	}
	s.Autoresponders, err = t.autoresponders("list_id = ?", int64(s.List.ID))
	if err != nil {
		return err
	}
	const ofList = "webhook.account_id = ? AND list_id IN (0, ?)"
	s.Webhooks, err = t.webhooks(ofList, int64(s.List.AccountID), int64(s.List.ID))
	return err
}

// ContactCount returns the number of a List's Contacts. The number includes the changes of this
// transaction that Session.Finish has not written yet.
func (t *Tx) ContactCount(id enlist.ListID) (int64, error) {
	n, err := t.number("SELECT "+counter(t.SQL, "list")+" FROM list WHERE id = ?", int64(id))
	return n + t.counted(func(c contactCount) bool { return c.list == id }), err
}

// AddList stores a new List.
func (t *Tx) AddList(l *enlist.List) error { return listTable.of(t.SQL).addDefinition(t, l) }

// UpdateList stores the columns of a List that an edit can change.
func (t *Tx) UpdateList(l *enlist.List) error { return listTable.of(t.SQL).saveDefinition(t, l) }

// MarkListDeleted hides a List from all calls. DropList removes the List later.
func (t *Tx) MarkListDeleted(id enlist.ListID) error {
	return t.define("UPDATE list SET hidden = 1 WHERE id = ?", int64(id))
}

// DropList removes a hidden List and its definitions. The caller must first remove the Contacts of
// the List.
func (t *Tx) DropList(id enlist.ListID) error {
	if err := t.define("DELETE FROM list WHERE id = ? AND hidden = 1", int64(id)); err != nil {
		return err
	}
	for _, query := range []string{
		"DELETE FROM field WHERE list_id = ?",
		"DELETE FROM preference WHERE list_id = ?",
		"DELETE FROM autoresponder WHERE list_id = ?",
		"DELETE FROM webhook WHERE list_id = ?", // the server still posts the events that are in the queue
	} {
		if err := t.Do(query, int64(id)); err != nil {
			return err
		}
	}
	return t.dropTargets("TRUE")
}

func mapPreference(m *mapper, p *enlist.Preference) {
	m.id("id", (*int64)(&p.ID))
	m.fixed("list_id", (*int64)(&p.ListID))
	m.fixed("name", &p.Name)
}

var preferenceTable = newMapping("preference", mapPreference)

func (t *Tx) preferences(list enlist.ListID) ([]enlist.Preference, error) {
	return preferenceTable.all(t, "WHERE list_id = ? ORDER BY id", int64(list))
}

// AddPreference stores a new preference.
func (t *Tx) AddPreference(p *enlist.Preference) error { return preferenceTable.addDefinition(t, p) }

// DeletePreference removes a preference. Replies no longer contain the answers of Contacts to this
// preference.
func (t *Tx) DeletePreference(list enlist.ListID, id enlist.PreferenceID) error {
	return t.define("DELETE FROM preference WHERE list_id = ? AND id = ?", int64(list), int64(id))
}
