package sqlstore

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"enlist/internal/audience"
)

const accountColumns = "id, name, time_zone, contact_limit, creation_time"

func decodeAccount(row []driver.Value) audience.Account {
	return audience.Account{
		ID: audience.AccountID(integer(row[0])), Name: text(row[1]), TimeZone: text(row[2]),
		ContactLimit: integer(row[3]), CreationTime: integer(row[4]),
	}
}

// Accounts returns all Accounts by ID.
func (t *Tx) Accounts() (accounts []audience.Account, err error) {
	err = t.each(5, func(row []driver.Value) error {
		accounts = append(accounts, decodeAccount(row))
		return nil
	}, "SELECT "+accountColumns+" FROM account ORDER BY id")
	return accounts, err
}

// Account returns one Account.
func (t *Tx) Account(id audience.AccountID) (*audience.Account, error) {
	s, err := t.catalogue()
	if err != nil {
		return nil, err
	}
	return cached(s, s.accounts, id, func() (found *audience.Account, err error) {
		err = t.each(5, func(row []driver.Value) error {
			a := decodeAccount(row)
			found = &a
			return nil
		}, "SELECT "+accountColumns+" FROM account WHERE id = ?", int64(id))
		if err == nil && found == nil {
			err = fmt.Errorf("no account %d", id)
		}
		return found, err
	})
}

// AddAccount stores a new Account with its first List Folder.
func (t *Tx) AddAccount(a *audience.Account) error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	id, err := t.conn.Insert("INSERT INTO account (name, time_zone, contact_limit, creation_time) VALUES (?, ?, ?, ?)",
		a.Name, a.TimeZone, a.ContactLimit, a.CreationTime)
	if err != nil {
		return err
	}
	a.ID = audience.AccountID(id)
	return t.AddFolder(&audience.Folder{AccountID: a.ID, Name: "Lists", Type: "list", CreationTime: a.CreationTime})
}

// UpdateAccount stores an Account's name, time zone and limit.
func (t *Tx) UpdateAccount(a *audience.Account) error {
	if err := t.changed(); err != nil {
		return err
	}
	return t.conn.Do("UPDATE account SET name = ?, time_zone = ?, contact_limit = ? WHERE id = ?",
		a.Name, a.TimeZone, a.ContactLimit, int64(a.ID))
}

// AccountContacts counts the stored Contacts of all the Account's Lists.
func (t *Tx) AccountContacts(id audience.AccountID) (int64, error) {
	if t.writes { // whoever counts to add one, up to a limit, does so after the other
		if err := t.conn.Lock(Exclusive, "account "+strconv.FormatInt(int64(id), 10)); err != nil {
			return 0, err
		}
	}
	n, err := t.number("SELECT "+t.sql.counter("account")+" FROM account WHERE id = ?", int64(id))
	return n + t.counted(func(c count) bool { return c.account == id }), err
}

const keyColumns = "id, account_id, name, prefix, level, lists, creation_time, expiry_time, revoked_time, last_used_time"

func decodeKey(row []driver.Value) (audience.Key, error) {
	k := audience.Key{
		ID: audience.KeyID(integer(row[0])), AccountID: audience.AccountID(integer(row[1])), Name: text(row[2]),
		Prefix: text(row[3]), Level: audience.Level(integer(row[4])), CreationTime: integer(row[6]),
		ExpiryTime: integer(row[7]), RevokedTime: integer(row[8]), LastUsedTime: integer(row[9]),
	}
	if row[5] == nil {
		return k, nil
	}
	k.Lists = []audience.ListID{}
	return k, json.Unmarshal([]byte(text(row[5])), &k.Lists)
}

// KeyByHash returns the key with a hash, whether or not it is still good.
func (t *Tx) KeyByHash(hash audience.KeyHash) (*audience.Key, error) {
	s, err := t.catalogue()
	if err != nil {
		return nil, err
	}
	return cached(s, s.keys, hash, func() (found *audience.Key, err error) {
		err = t.each(10, func(row []driver.Value) error {
			k, err := decodeKey(row)
			found = &k
			return err
		}, "SELECT "+keyColumns+" FROM api_key WHERE hash = ?", hash[:])
		if err == nil && found == nil {
			err = audience.ErrInvalidKey
		}
		return found, err
	})
}

// Keys returns the keys of all Accounts by ID.
func (t *Tx) Keys() (keys []audience.Key, err error) {
	err = t.each(10, func(row []driver.Value) error {
		k, err := decodeKey(row)
		keys = append(keys, k)
		return err
	}, "SELECT "+keyColumns+" FROM api_key ORDER BY id")
	return keys, err
}

// AddKey stores a new key by the hash of its text.
func (t *Tx) AddKey(k *audience.Key, hash audience.KeyHash) error {
	var lists any
	if k.Lists != nil {
		b, err := json.Marshal(k.Lists)
		if err != nil {
			return err
		}
		lists = string(b)
	}
	if err := t.changed(); err != nil {
		return err
	}
	id, err := t.conn.Insert(`INSERT INTO api_key (account_id, hash, name, prefix, level, lists, creation_time, expiry_time, revoked_time, last_used_time)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`,
		int64(k.AccountID), hash[:], k.Name, k.Prefix, int64(k.Level), lists, k.CreationTime, k.ExpiryTime)
	k.ID = audience.KeyID(id)
	return err
}

// RevokeKey makes a key useless from a time on. A second time changes nothing.
func (t *Tx) RevokeKey(id audience.KeyID, at int64) error {
	if err := t.changed(); err != nil {
		return err
	}
	n, err := t.conn.Exec("UPDATE api_key SET revoked_time = CASE revoked_time WHEN 0 THEN ? ELSE revoked_time END WHERE id = ?", at, int64(id))
	if err == nil && n == 0 {
		err = audience.Refuse(audience.InvalidKey, "no key with ID %d", id)
	}
	return err
}

// TouchKeys writes down when keys were last used. It is no change of the catalogue.
func (t *Tx) TouchKeys(used map[audience.KeyID]int64) error {
	for _, id := range slices.Sorted(maps.Keys(used)) { // in one order: two that do so at once must not wait for each other
		at := used[id]
		if err := t.conn.Do("UPDATE api_key SET last_used_time = ? WHERE id = ? AND last_used_time < ?", at, int64(id), at); err != nil {
			return err
		}
	}
	return nil
}

// Folders returns an Account's Folders by ID.
func (t *Tx) Folders(account audience.AccountID) (folders []audience.Folder, err error) {
	err = t.each(6, func(row []driver.Value) error {
		folders = append(folders, audience.Folder{
			ID: audience.FolderID(integer(row[0])), AccountID: audience.AccountID(integer(row[1])), Name: text(row[2]),
			Type: text(row[3]), CreationTime: integer(row[4]), ItemCount: integer(row[5]),
		})
		return nil
	}, `SELECT id, account_id, name, type, creation_time,
			(SELECT count(*) FROM list WHERE list.account_id = folder.account_id AND list.folder_id = folder.id AND hidden = 0)
			+ (SELECT count(*) FROM message WHERE message.account_id = folder.account_id AND message.folder_id = folder.id)
			+ (SELECT count(*) FROM autoresponder WHERE autoresponder.account_id = folder.account_id AND autoresponder.folder_id = folder.id
				AND autoresponder.list_id IN (SELECT list.id FROM list WHERE hidden = 0))
		FROM folder WHERE account_id = ? ORDER BY id`, int64(account))
	return folders, err
}

// AddFolder stores a new Folder.
func (t *Tx) AddFolder(f *audience.Folder) error {
	if err := t.changed(); err != nil {
		return err
	}
	id, err := t.conn.Insert("INSERT INTO folder (account_id, name, type, creation_time) VALUES (?, ?, ?, ?)",
		int64(f.AccountID), f.Name, f.Type, f.CreationTime)
	f.ID = audience.FolderID(id)
	return err
}

// UpdateFolder stores a Folder's name, which its Lists show.
func (t *Tx) UpdateFolder(f *audience.Folder) error {
	if err := t.changed(); err != nil {
		return err
	}
	return t.conn.Do("UPDATE folder SET name = ? WHERE id = ?", f.Name, int64(f.ID))
}

// DeleteFolder removes a Folder.
func (t *Tx) DeleteFolder(id audience.FolderID) error {
	if err := t.changed(); err != nil {
		return err
	}
	return t.conn.Do("DELETE FROM folder WHERE id = ?", int64(id))
}
