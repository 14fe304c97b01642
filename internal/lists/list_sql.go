package lists

import (
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// This file stores Lists and preferences, and reads a List's Schema into the catalogue.

var listTable = db.NewMapping("list", mapList)

// mapList describes the table list. It reads the name of the List's Folder from the table folder, because
// a caller can rename the Folder. It leaves out the number of Contacts, which changes without a new version of the
// catalogue: contactCounts reads it.
func mapList(m *db.Mapper, l *enlist.List) {
	m.ID("id", (*int64)(&l.ID))
	m.Fixed("account_id", (*int64)(&l.AccountID))
	m.Fixed("creator_key_id", (*int64)(&l.CreatorKeyID))
	m.Fixed("creator_name", &l.CreatorName)
	m.Fixed("creation_time", &l.CreationTime)
	m.Value("name", &l.Name)
	m.Value("last_modified_time", &l.LastModifiedTime)
	m.Value("on_register", &l.OnRegister)
	m.Value("on_update", &l.OnUpdate)
	m.Value("on_unsubscribe", &l.OnUnsubscribe)
	m.Value("disallow_duplicates", &l.DisallowDuplicates)
	m.Value("send_to_duplicates", &l.SendToDuplicates)
	m.Value("folder_id", (*int64)(&l.FolderID))
	m.Computed("coalesce((SELECT folder.name FROM folder WHERE folder.id = list.folder_id), '')", &l.FolderName)
	m.Value("country_code", &l.CountryCode)
	m.Value("virtual_number", &l.VirtualNumber)
	m.Value("sms_stop_words", &l.SMSStopWords)
	m.Value("sms_response_action", &l.SMSResponseAction)
	m.Value("sms_response_fields", &l.SMSResponseFields)
	m.Value("address_types", &l.AddressTypes)
	m.Value("gdpr", &l.GDPR)
	m.Value("double_opt_in", &l.DoubleOptIn)
	m.Value("track_opens", &l.TrackOpens)
	m.Value("track_clicks", &l.TrackClicks)
	m.Value("open_policy", (*string)(&l.OpenPolicy))
	m.Value("click_policy", (*string)(&l.ClickPolicy))
	m.Value("from_name", &l.FromName)
	m.Value("from_address", &l.FromAddress)
	m.Value("language", &l.Language)
	m.Value("confirm_subject", &l.ConfirmSubject)
	m.Value("confirm_text", &l.ConfirmText)
	m.Value("consent_text", &l.ConsentText)
	m.Value("imprint", &l.Imprint)
	m.Value("is_public", &l.Public)
	m.Value("description", &l.Description)
	m.Value("farewell_text", &l.FarewellText)
	m.Value("preferences_text", &l.PreferencesText)
	m.Value("tracking_text", &l.TrackingText)
}

// OfAccount returns an Account's Lists in the order of their IDs.
func OfAccount(tx *db.Tx, account enlist.AccountID) ([]enlist.List, error) {
	lists, err := Defined(tx, account)
	if err != nil {
		return nil, err
	}
	contacts, err := contactCounts(tx, "account_id = ?", int64(account))
	for i := range lists {
		lists[i].ContactCount = contacts[lists[i].ID]
	}
	return lists, err
}

// contactCountsOf returns the numbers of Contacts of those of an Account's Lists that have one of the IDs.
func contactCountsOf(tx *db.Tx, account enlist.AccountID, ids []enlist.ListID) (map[enlist.ListID]int64, error) {
	test, arg, err := db.OneOfIDs(tx, ids)
	if err != nil {
		return nil, err
	}
	return contactCounts(tx, "id"+test+" AND account_id = ?", arg, int64(account))
}

// contactCounts returns the numbers of Contacts of the Lists that pass a test, with the Contacts that this transaction
// has added.
func contactCounts(tx *db.Tx, test string, args ...any) (map[enlist.ListID]int64, error) {
	contacts := make(map[enlist.ListID]int64)
	return contacts, tx.Each(func(row *db.Cursor) error {
		id := enlist.ListID(row.Int())
		contacts[id] = row.Int() + tx.CountedIn(id)
		return nil
	}, "SELECT id, "+db.Counter(tx.SQL, "list")+" FROM list WHERE "+test+" AND hidden = 0", args...)
}

// Defined returns an Account's Lists in the order of their IDs, without the numbers of their Contacts. An Account may
// have thousands, and many pages name them all, so they come from the catalogue.
func Defined(tx *db.Tx, account enlist.AccountID) ([]enlist.List, error) {
	lists, err := cached(tx, account)
	return slices.Clone(lists), err
}

// cached is Defined without a copy. Other transactions read the same Lists, so do not change them.
func cached(tx *db.Tx, account enlist.AccountID) ([]enlist.List, error) {
	s, err := tx.Catalogue()
	if err != nil {
		return nil, err
	}
	lists, err := db.Cached(s, s.Lists, account, func() (*[]enlist.List, error) {
		lists, err := listTable.All(tx, "WHERE account_id = ? AND hidden = 0 ORDER BY id", int64(account))
		return &lists, err
	})
	if err != nil {
		return nil, err
	}
	return *lists, nil
}

// Schema returns a List with the definitions that belong to it, such as its Fields and preferences.
func Schema(tx *db.Tx, id enlist.ListID) (*enlist.Schema, error) {
	s, err := tx.Catalogue()
	if err != nil {
		return nil, err
	}
	return db.Cached(s, s.Schemas, id, func() (*enlist.Schema, error) { return readSchema(tx, id) })
}

func readSchema(tx *db.Tx, id enlist.ListID) (*enlist.Schema, error) {
	list, err := listTable.One(tx, enlist.ErrNoList, "WHERE id = ? AND hidden = 0", int64(id))
	if err != nil {
		return nil, err
	}
	fields, err := fieldTable.All(tx, "WHERE list_id = ? ORDER BY id", int64(id))
	if err != nil {
		return nil, err
	}
	preferences, err := preferenceTable.All(tx, "WHERE list_id = ? ORDER BY id", int64(id))
	if err != nil {
		return nil, err
	}
	enlist.SortFields(fields)
	schema := enlist.NewSchema(*list, fields, preferences)
	if schema.Unique {
		schema.Unique, err = hasNoDuplicates(tx, id)
		if err != nil {
			return nil, err
		}
	}
	schema.SearchIndexes, err = search.ReadyIndexes(tx, id)
	if err != nil {
		return nil, err
	}
	return schema, readListeners(tx, schema)
}

// hasNoDuplicates reports whether no two Contacts of a List have the same address. It reads one entry
// of a partial index.
func hasNoDuplicates(tx *db.Tx, id enlist.ListID) (bool, error) {
	n, err := tx.Number("SELECT EXISTS (SELECT 1 FROM contact WHERE list_id = ? AND duplicate_key IS NOT NULL)",
		int64(id))
	return n == 0, err
}

// readListeners reads the autoresponders and webhooks of a List, and what its Account says.
func readListeners(tx *db.Tx, s *enlist.Schema) error {
	err := tx.Row([]any{&s.TimeZone, (*string)(&s.TrackingPolicy), &s.SharesTracking},
		"SELECT time_zone, tracking_policy, shares_tracking FROM account WHERE id = ?", int64(s.List.AccountID))
	if err != nil {
		return err
	}
	s.Autoresponders, err = Autoresponders(tx, "list_id = ?", int64(s.List.ID))
	if err != nil {
		return err
	}
	const ofList = "webhook.account_id = ? AND list_id IN (0, ?)"
	s.Webhooks, err = Webhooks(tx, ofList, int64(s.List.AccountID), int64(s.List.ID))
	return err
}

// Insert stores a new List.
func Insert(tx *db.Tx, l *enlist.List) error { return listTable.AddDefinition(tx, l) }

// Restore stores a List under its ID.
func Restore(tx *db.Tx, l *enlist.List) error { return listTable.RestoreDefinition(tx, "list", l) }

// Update stores the columns of a List that an edit can change.
func Update(tx *db.Tx, l *enlist.List) error { return listTable.SaveDefinition(tx, l) }

// MarkListDeleted hides a List from all calls. Drop removes the List later.
func MarkListDeleted(tx *db.Tx, id enlist.ListID) error {
	return tx.Define("UPDATE list SET hidden = 1 WHERE id = ?", int64(id))
}

// WithDeleted returns the IDs of all Lists of an Account, also of deleted ones whose Contacts are not removed yet.
func WithDeleted(tx *db.Tx, account enlist.AccountID) ([]enlist.ListID, error) {
	return db.IDsOf[enlist.ListID](tx, "SELECT id FROM list WHERE account_id = ? ORDER BY id", int64(account))
}

// Texts calls each with the texts of the Lists of an Account.
func Texts(tx *db.Tx, account enlist.AccountID, each func(id int64, text string)) error {
	return tx.EachText(each, `SELECT id, on_register || ' ' || on_update || ' ' || on_unsubscribe || ' ' || from_address
			|| ' ' || description || ' ' || imprint || ' ' || confirm_subject || ' ' || confirm_text
			|| ' ' || consent_text || ' ' || farewell_text || ' ' || preferences_text
		FROM list WHERE account_id = ? AND hidden = 0 ORDER BY 1`, int64(account))
}

// Drop removes a hidden List with its Fields, preferences and days.
func Drop(tx *db.Tx, id enlist.ListID) error {
	if err := tx.Define("DELETE FROM list WHERE id = ? AND hidden = 1", int64(id)); err != nil {
		return err
	}
	for _, table := range []string{"field", "preference", "list_day", "list_day_part"} {
		if err := tx.Do("DELETE FROM "+table+" WHERE list_id = ?", int64(id)); err != nil {
			return err
		}
	}
	return nil
}

func mapPreference(m *db.Mapper, p *enlist.Preference) {
	m.ID("id", (*int64)(&p.ID))
	m.Fixed("list_id", (*int64)(&p.ListID))
	m.Value("name", &p.Name)
}

var preferenceTable = db.NewMapping("preference", mapPreference)

// AddPreference stores a new preference.
func AddPreference(tx *db.Tx, p *enlist.Preference) error {
	return preferenceTable.AddDefinition(tx, p)
}

// RestorePreference stores a preference under its ID.
func RestorePreference(tx *db.Tx, p *enlist.Preference) error {
	return preferenceTable.RestoreDefinition(tx, "preference", p)
}

// DeletePreference removes a preference. Replies no longer contain the answers of Contacts to this
// preference.
func DeletePreference(tx *db.Tx, list enlist.ListID, id enlist.PreferenceID) error {
	return tx.Define("DELETE FROM preference WHERE list_id = ? AND id = ?", int64(list), int64(id))
}

// Duplicates returns the number of addresses that several Contacts of a List share.
func Duplicates(tx *db.Tx, list enlist.ListID) (int64, error) {
	return tx.Number(`SELECT count(DISTINCT duplicate_key) FROM contact
		WHERE list_id = ? AND duplicate_key IS NOT NULL`, int64(list))
}
