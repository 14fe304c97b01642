package accounts

import (
	"fmt"
	"maps"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores Accounts, how far they have moved in from another service, their API keys and their Folders.

func mapAccount(m *db.Mapper, a *enlist.Account) {
	m.ID("id", (*int64)(&a.ID))
	m.Value("name", &a.Name)
	m.Value("time_zone", &a.TimeZone)
	m.Value("contact_limit", &a.ContactLimit)
	m.Value("sending_domains", &a.SendingDomains)
	m.Value("retain_events", &a.Retention.Events)
	m.Value("retain_deliveries", &a.Retention.Deliveries)
	m.Value("retain_audit", &a.Retention.Audit)
	m.Value("tracking_policy", (*string)(&a.TrackingPolicy))
	m.Value("shares_tracking", &a.SharesTracking)
	m.Value("chose_tracking", &a.ChoseTracking)
	m.Fixed("creation_time", &a.CreationTime)
}

var accountTable = db.NewMapping("account", mapAccount)

// All returns all Accounts in the order of their IDs.
func All(tx *db.Tx) ([]enlist.Account, error) {
	return accountTable.All(tx, "ORDER BY id")
}

// ByID returns the Account with an ID.
func ByID(tx *db.Tx, id enlist.AccountID) (*enlist.Account, error) {
	s, err := tx.Catalogue()
	if err != nil {
		return nil, err
	}
	return db.Cached(s, s.Accounts, id, func() (*enlist.Account, error) {
		return accountTable.One(tx, fmt.Errorf("no account %d", id), "WHERE id = ?", int64(id))
	})
}

// Insert stores a new Account and its first Folders.
func Insert(tx *db.Tx, a *enlist.Account) error {
	if err := accountTable.AddDefinition(tx, a); err != nil {
		return err
	}
	for _, f := range FirstFolders(a.ID, a.CreationTime) {
		if err := f.Add(tx); err != nil {
			return err
		}
	}
	return nil
}

// Update stores an Account's name, time zone and limit.
func Update(tx *db.Tx, a *enlist.Account) error { return accountTable.SaveDefinition(tx, a) }

// Lock locks the row of an Account.
func Lock(tx *db.Tx, id enlist.AccountID) error {
	_, err := tx.Number("SELECT id FROM account WHERE id = ?"+tx.Locking(), int64(id))
	return err
}

// Theme returns the theme of an Account as package messages has stored it.
func Theme(tx *db.Tx, account enlist.AccountID) (text string, err error) {
	err = tx.Row([]any{&text}, "SELECT theme FROM account WHERE id = ?", int64(account))
	return text, err
}

// SetTheme stores the theme of an Account.
func SetTheme(tx *db.Tx, account enlist.AccountID, text string) error {
	return tx.Do("UPDATE account SET theme = ? WHERE id = ?", text, int64(account))
}

// MarkRetention stores when the Retention of an Account was last applied, unless that was after a time. It does not
// raise the version of the catalogue.
func MarkRetention(tx *db.Tx, account enlist.AccountID, now, before int64) (marked bool, err error) {
	const mark = "UPDATE account SET retention_time = ? WHERE id = ? AND (retention_time <= ? OR retention_time > ?)"
	n, err := tx.Exec(mark, now, int64(account), before, now)
	return n > 0, err
}

// storedKey is a row of api_key: a key and the hash of its secret text.
type storedKey struct {
	enlist.Key
	hash enlist.KeyHash
}

func mapKey(m *db.Mapper, k *storedKey) {
	m.ID("id", (*int64)(&k.ID))
	m.Fixed("account_id", (*int64)(&k.AccountID))
	m.Stored("hash", (*db.HashBytes)(&k.hash))
	m.Fixed("name", &k.Name)
	m.Fixed("prefix", &k.Prefix)
	m.Fixed("level", (*db.KeyLevel)(&k.Level))
	m.Fixed("lists", (*db.KeyLists)(&k.Lists))
	m.Fixed("rate", (*db.KeyRate)(&k.Rate))
	m.Fixed("is_strict", &k.IsStrict)
	m.Fixed("creation_time", &k.CreationTime)
	m.Fixed("expiry_time", &k.ExpiryTime)
	m.Fixed("revoked_time", &k.RevokedTime)
	m.Fixed("last_used_time", &k.LastUsedTime)
}

var keyTable = db.NewMapping("api_key", mapKey)

// KeyByHash returns the key whose secret text has this hash, even if the key is expired or revoked.
func KeyByHash(tx *db.Tx, hash enlist.KeyHash) (*enlist.Key, error) {
	s, err := tx.Catalogue()
	if err != nil {
		return nil, err
	}
	return db.Cached(s, s.Keys, hash, func() (*enlist.Key, error) {
		stored, err := keyTable.One(tx, enlist.ErrInvalidKey, "WHERE hash = ?", hash[:])
		if err != nil {
			return nil, err
		}
		return &stored.Key, nil
	})
}

// KeyNames returns the names of keys.
func KeyNames(tx *db.Tx, ids []enlist.KeyID) (map[enlist.KeyID]string, error) {
	test, arg, err := db.OneOfIDs(tx, ids)
	if err != nil {
		return nil, err
	}
	names := make(map[enlist.KeyID]string)
	return names, tx.Each(func(row *db.Cursor) error {
		names[enlist.KeyID(row.Int())] = row.Text()
		return nil
	}, "SELECT id, name FROM api_key WHERE id"+test, arg)
}

// Keys returns the keys of an Account, or of all if it is 0, in the order of their IDs.
func Keys(tx *db.Tx, account enlist.AccountID) (keys []enlist.Key, err error) {
	add := func(k *storedKey) error {
		keys = append(keys, k.Key)
		return nil
	}
	if account == 0 {
		err = keyTable.Each(tx, add, "ORDER BY id")
		return keys, err
	}
	err = keyTable.Each(tx, add, "WHERE account_id = ? ORDER BY id", int64(account))
	return keys, err
}

// KeyByID returns the key with an ID. Errors: InvalidKey.
func KeyByID(tx *db.Tx, id enlist.KeyID) (*enlist.Key, error) {
	k, err := keyTable.One(tx, enlist.ErrInvalidKey, "WHERE id = ?", int64(id))
	if err != nil {
		return nil, err
	}
	return &k.Key, nil
}

// AddKey stores a new key with the hash of its secret text and sets its ID.
func AddKey(tx *db.Tx, k *enlist.Key, hash enlist.KeyHash) error {
	stored := storedKey{*k, hash}
	err := keyTable.AddDefinition(tx, &stored)
	k.ID = stored.ID
	return err
}

// RevokeKey sets the time from which a key is invalid. If the key already has such a time, RevokeKey
// does not change this time.
func RevokeKey(tx *db.Tx, id enlist.KeyID, at int64) error {
	return changeKey(tx, id, `UPDATE api_key SET revoked_time = CASE revoked_time WHEN 0 THEN ? ELSE revoked_time END
		WHERE id = ?`, at)
}

// UpdateKey stores the name, the rate and the strictness of a key.
func UpdateKey(tx *db.Tx, k *enlist.Key) error {
	return changeKey(tx, k.ID, "UPDATE api_key SET name = ?, rate = ?, is_strict = ? WHERE id = ?", k.Name,
		k.Rate.String(), db.Bit(k.IsStrict))
}

// changeKey executes an UPDATE of a key. Its arguments are values and the ID of the key.
func changeKey(tx *db.Tx, id enlist.KeyID, update string, values ...any) error {
	if err := tx.Changed(); err != nil {
		return err
	}
	n, err := tx.Exec(update, append(values, int64(id))...)
	if err == nil && n == 0 {
		err = enlist.Refuse(enlist.InvalidKey, "no key with ID %d", id)
	}
	return err
}

// TouchKeys stores the time at which each key was last used. It does not raise the version of the
// catalogue, so other processes do not read the keys again.
func TouchKeys(tx *db.Tx, used map[enlist.KeyID]int64) error {
	const touch = "UPDATE api_key SET last_used_time = ? WHERE id = ? AND last_used_time < ?"
	// Every transaction locks the rows in the order of their IDs, so there is no deadlock.
	for _, id := range slices.Sorted(maps.Keys(used)) {
		at := used[id]
		if err := tx.Do(touch, at, int64(id), at); err != nil {
			return err
		}
	}
	return nil
}

func mapFolder(m *db.Mapper, f *Folder) {
	m.ID("id", (*int64)(&f.ID))
	m.Fixed("account_id", (*int64)(&f.AccountID))
	m.Value("name", &f.Name)
	m.Fixed("type", &f.Type)
	m.Fixed("creation_time", &f.CreationTime)
	m.Computed(`(SELECT count(*) FROM list l
			WHERE l.account_id = folder.account_id AND l.folder_id = folder.id AND hidden = 0)
		+ (SELECT count(*) FROM message m WHERE m.account_id = folder.account_id AND m.folder_id = folder.id)
		+ (SELECT count(*) FROM autoresponder a WHERE a.account_id = folder.account_id AND a.folder_id = folder.id
			AND a.list_id IN (SELECT list.id FROM list WHERE hidden = 0))
		+ (SELECT count(*) FROM file WHERE file.folder_id = folder.id)`, &f.ItemCount)
}

var folderTable = db.NewMapping("folder", mapFolder)

// Folders returns an Account's Folders in the order of their IDs.
func Folders(tx *db.Tx, account enlist.AccountID) ([]Folder, error) {
	return folderTable.All(tx, "WHERE account_id = ? ORDER BY id", int64(account))
}

// accountsWithoutFolder returns the Accounts that have no Folder of a type, in the order of their IDs.
func accountsWithoutFolder(tx *db.Tx, folderType string) ([]enlist.AccountID, error) {
	return db.IDsOf[enlist.AccountID](tx, `SELECT id FROM account WHERE NOT EXISTS (
		SELECT 1 FROM folder WHERE folder.account_id = account.id AND folder.type = ?) ORDER BY id`, folderType)
}

// Add stores a new Folder.
func (f *Folder) Add(tx *db.Tx) error { return folderTable.AddDefinition(tx, f) }

// Restore stores a Folder under its ID.
func (f *Folder) Restore(tx *db.Tx) error { return folderTable.RestoreDefinition(tx, "folder", f) }

// Update stores the name of a Folder. The attributes of its Lists contain this name.
func (f *Folder) Update(tx *db.Tx) error { return folderTable.SaveDefinition(tx, f) }

// DeleteFolder removes a Folder.
func DeleteFolder(tx *db.Tx, id enlist.FolderID) error {
	return tx.Define("DELETE FROM folder WHERE id = ?", int64(id))
}

// LoadMove returns how far an Account has moved in. source is "" if no move has begun.
func LoadMove(tx *db.Tx, account enlist.AccountID) (source, state string, err error) {
	err = tx.Row([]any{&source, &state}, "SELECT source, state FROM account_move WHERE account_id = ?", int64(account))
	return source, state, err
}

// SaveMove stores how far an Account has moved in.
func SaveMove(tx *db.Tx, account enlist.AccountID, source, state string) error {
	return tx.Do(`INSERT INTO account_move (account_id, source, state) VALUES (?, ?, ?)
		ON CONFLICT (account_id) DO UPDATE SET source = excluded.source, state = excluded.state`,
		int64(account), source, state)
}
