package audience

import (
	"fmt"
	"maps"
	"slices"

	"enlist/internal/enlist"
)

// This file stores Accounts, their API keys and their Folders.

func mapAccount(m *mapper, a *enlist.Account) {
	m.id("id", (*int64)(&a.ID))
	m.value("name", &a.Name)
	m.value("time_zone", &a.TimeZone)
	m.value("contact_limit", &a.ContactLimit)
	m.value("sending_domains", &a.SendingDomains)
	m.value("retain_events", &a.Retention.Events)
	m.value("retain_deliveries", &a.Retention.Deliveries)
	m.value("retain_audit", &a.Retention.Audit)
	m.fixed("creation_time", &a.CreationTime)
}

var accountTable = newMapping("account", mapAccount)

// Accounts returns all Accounts in the order of their IDs.
func (t *Tx) Accounts() ([]enlist.Account, error) {
	return accountTable.all(t, "ORDER BY id")
}

// Account returns the Account with an ID.
func (t *Tx) Account(id enlist.AccountID) (*enlist.Account, error) {
	s, err := t.catalogue()
	if err != nil {
		return nil, err
	}
	return cached(s, s.accounts, id, func() (*enlist.Account, error) {
		return accountTable.one(t, fmt.Errorf("no account %d", id), "WHERE id = ?", int64(id))
	})
}

// AddAccount stores a new Account and its first Folders.
func (t *Tx) AddAccount(a *enlist.Account) error {
	if err := accountTable.addDefinition(t, a); err != nil {
		return err
	}
	for _, f := range FirstFolders(a.ID, a.CreationTime) {
		if err := t.AddFolder(&f); err != nil {
			return err
		}
	}
	return nil
}

// UpdateAccount stores an Account's name, time zone and limit.
func (t *Tx) UpdateAccount(a *enlist.Account) error { return accountTable.saveDefinition(t, a) }

// AccountContacts counts the stored Contacts of all the Account's Lists.
func (t *Tx) AccountContacts(id enlist.AccountID) (int64, error) {
	// A transaction that adds a Contact first reads this number to check contact_limit. The lock
	// makes other such transactions of the Account wait until this one ends.
	if err := t.lockToWrite("account %d", id); err != nil {
		return 0, err
	}
	n, err := t.number("SELECT "+counter(t.SQL, "account")+" FROM account WHERE id = ?", int64(id))
	return n + t.counted(func(c contactCount) bool { return c.account == id }), err
}

// storedKey is a row of api_key: a key and the hash of its secret text.
type storedKey struct {
	enlist.Key
	hash enlist.KeyHash
}

func mapKey(m *mapper, k *storedKey) {
	m.id("id", (*int64)(&k.ID))
	m.fixed("account_id", (*int64)(&k.AccountID))
	m.stored("hash", (*hashBytes)(&k.hash))
	m.fixed("name", &k.Name)
	m.fixed("prefix", &k.Prefix)
	m.fixed("level", (*keyLevel)(&k.Level))
	m.fixed("lists", (*keyLists)(&k.Lists))
	m.fixed("rate", (*keyRate)(&k.Rate))
	m.fixed("creation_time", &k.CreationTime)
	m.fixed("expiry_time", &k.ExpiryTime)
	m.fixed("revoked_time", &k.RevokedTime)
	m.fixed("last_used_time", &k.LastUsedTime)
}

var keyTable = newMapping("api_key", mapKey)

// KeyByHash returns the key whose secret text has this hash, even if the key is expired or revoked.
func (t *Tx) KeyByHash(hash enlist.KeyHash) (*enlist.Key, error) {
	s, err := t.catalogue()
	if err != nil {
		return nil, err
	}
	return cached(s, s.keys, hash, func() (*enlist.Key, error) {
		found, err := keyTable.one(t, enlist.ErrInvalidKey, "WHERE hash = ?", hash[:])
		if err != nil {
			return nil, err
		}
		return &found.Key, nil
	})
}

// Keys returns the keys of all Accounts in the order of their IDs.
func (t *Tx) Keys() (keys []enlist.Key, err error) {
	err = keyTable.each(t, func(k *storedKey) error {
		keys = append(keys, k.Key)
		return nil
	}, "ORDER BY id")
	return keys, err
}

// AddKey stores a new key with the hash of its secret text and sets its ID.
func (t *Tx) AddKey(k *enlist.Key, hash enlist.KeyHash) error {
	stored := storedKey{*k, hash}
	err := keyTable.addDefinition(t, &stored)
	k.ID = stored.ID
	return err
}

// RevokeKey sets the time from which a key is invalid. If the key already has such a time, RevokeKey
// does not change this time.
func (t *Tx) RevokeKey(id enlist.KeyID, at int64) error {
	return t.changeKey(id, `UPDATE api_key SET revoked_time = CASE revoked_time WHEN 0 THEN ? ELSE revoked_time END
		WHERE id = ?`, at)
}

// SetKeyRate stores the rate of a key's calls.
func (t *Tx) SetKeyRate(id enlist.KeyID, rate enlist.CallRate) error {
	return t.changeKey(id, "UPDATE api_key SET rate = ? WHERE id = ?", rate.String())
}

// changeKey executes an UPDATE of a key. Its arguments are value and the ID of the key.
func (t *Tx) changeKey(id enlist.KeyID, update string, value any) error {
	if err := t.changed(); err != nil {
		return err
	}
	n, err := t.Exec(update, value, int64(id))
	if err == nil && n == 0 {
		err = enlist.Refuse(enlist.InvalidKey, "no key with ID %d", id)
	}
	return err
}

// TouchKeys stores the time at which each key was last used. It does not raise the version of the
// catalogue, so other processes do not read the keys again.
func (t *Tx) TouchKeys(used map[enlist.KeyID]int64) error {
	const touch = "UPDATE api_key SET last_used_time = ? WHERE id = ? AND last_used_time < ?"
	// Every transaction locks the rows in the order of their IDs, so there is no deadlock.
	for _, id := range slices.Sorted(maps.Keys(used)) {
		at := used[id]
		if err := t.Do(touch, at, int64(id), at); err != nil {
			return err
		}
	}
	return nil
}

func mapFolder(m *mapper, f *Folder) {
	m.id("id", (*int64)(&f.ID))
	m.fixed("account_id", (*int64)(&f.AccountID))
	m.value("name", &f.Name)
	m.fixed("type", &f.Type)
	m.fixed("creation_time", &f.CreationTime)
	m.computed(`(SELECT count(*) FROM list l
			WHERE l.account_id = folder.account_id AND l.folder_id = folder.id AND hidden = 0)
		+ (SELECT count(*) FROM message m WHERE m.account_id = folder.account_id AND m.folder_id = folder.id)
		+ (SELECT count(*) FROM autoresponder a WHERE a.account_id = folder.account_id AND a.folder_id = folder.id
			AND a.list_id IN (SELECT list.id FROM list WHERE hidden = 0))
		+ (SELECT count(*) FROM file WHERE file.folder_id = folder.id)`, &f.ItemCount)
}

var folderTable = newMapping("folder", mapFolder)

// Folders returns an Account's Folders in the order of their IDs.
func (t *Tx) Folders(account enlist.AccountID) ([]Folder, error) {
	return folderTable.all(t, "WHERE account_id = ? ORDER BY id", int64(account))
}

// AccountsWithoutFolder returns the Accounts that have no Folder of a type, in the order of their IDs.
func (t *Tx) AccountsWithoutFolder(folderType string) (accounts []enlist.AccountID, err error) {
	err = t.each(func(row *Cursor) error {
		accounts = append(accounts, enlist.AccountID(row.Int()))
		return nil
	}, `SELECT id FROM account WHERE NOT EXISTS (
		SELECT 1 FROM folder WHERE folder.account_id = account.id AND folder.type = ?) ORDER BY id`, folderType)
	return accounts, err
}

// AddFolder stores a new Folder.
func (t *Tx) AddFolder(f *Folder) error { return folderTable.addDefinition(t, f) }

// UpdateFolder stores the name of a Folder. The attributes of its Lists contain this name.
func (t *Tx) UpdateFolder(f *Folder) error { return folderTable.saveDefinition(t, f) }

// DeleteFolder removes a Folder.
func (t *Tx) DeleteFolder(id enlist.FolderID) error {
	return t.define("DELETE FROM folder WHERE id = ?", int64(id))
}
