package audience

import "enlist/internal/enlist"

// AccountTx reads and changes the Accounts of a database, in a transaction.
type AccountTx interface {
	// Accounts returns all Accounts in order of ID.
	Accounts() ([]enlist.Account, error)
	// Account returns one Account. If no Account has the ID, the error is of kind Internal,
	// because the domain calls Account only with the AccountID of a key or of a List.
	Account(id enlist.AccountID) (*enlist.Account, error)
	// AddAccount inserts an Account with its FirstFolders and sets its ID.
	AddAccount(a *enlist.Account) error
	// UpdateAccount stores the name, the time zone, the limit, the domains and the Retention.
	UpdateAccount(a *enlist.Account) error
	// AccountContacts returns how many Contacts all Lists of an Account have. If the
	// Account has a limit, then after a call in an Update no other transaction can change
	// the number until the Update ends.
	AccountContacts(id enlist.AccountID) (int64, error)
}

// ContactTx reads and changes single Contacts, in a transaction. After an Update has read a
// Contact, no other transaction can change the Contact until the Update ends.
type ContactTx interface {
	// Contact returns one Contact. The error is of kind NoContact if the List has no
	// Contact with the ID.
	Contact(list enlist.ListID, id enlist.ContactID) (*enlist.Contact, error)
	// ContactByKey returns the first Contact with an address. key is the normalised
	// address. The error is of kind NoContact if no Contact of the List has the address.
	ContactByKey(list enlist.ListID, key string) (*enlist.Contact, error)
	// ContactsByAddress returns the Contacts whose Key is key or whose Mobile is mobile,
	// in order of ID. A key or mobile of "" matches no Contact. It returns at most limit Contacts, and only
	// Contacts with an ID above after.
	ContactsByAddress(list enlist.ListID, key, mobile string, after enlist.ContactID, limit int) ([]enlist.Contact, error)
	// InsertContact inserts a Contact, sets its ID and updates the counters. If IsFirst is
	// set and another Contact is the first with the Key, it stores nothing and returns false.
	InsertContact(c *enlist.Contact) (inserted bool, err error)
	// InsertOrFind inserts a Contact whose IsFirst is set, as InsertContact does. If another
	// Contact is the first with the Key, it stores nothing and returns that Contact.
	// Otherwise existing is nil.
	InsertOrFind(c *enlist.Contact) (existing *enlist.Contact, err error)
	// UpdateContact stores the values, the Key, the flags and the times of c.
	UpdateContact(c *enlist.Contact) error
	// RemoveContactsByID deletes the Contacts of the List that have one of the IDs. It
	// returns the IDs of the deleted Contacts in ascending order.
	RemoveContactsByID(list enlist.ListID, ids []enlist.ContactID) (removed []enlist.ContactID, err error)
	// QuotedKeys returns the Keys of a List's Contacts that begin with a quote, each once and in
	// order of their bytes. It returns at most limit Keys, and only Keys that sort after the
	// text after.
	QuotedKeys(list enlist.ListID, after string, limit int) ([]string, error)
}

// FieldTx changes the Fields of Lists, in a transaction. A Schema contains the Fields of its
// List.
type FieldTx interface {
	// AddField inserts a Field and sets its ID.
	AddField(f *enlist.Field) error
	// UpdateField stores the definition of a Field. It does not change values of Contacts.
	UpdateField(f *enlist.Field) error
	// DeleteField removes the definition of a Field. DeleteFieldValues removes the values
	// of Contacts.
	DeleteField(list enlist.ListID, id enlist.FieldID) error
	// FieldOfFolder returns the name and the List of the oldest Field that stores its files in
	// a Folder. It ignores deleted Lists. list is 0 if there is no such Field.
	FieldOfFolder(folder enlist.FolderID) (list enlist.ListID, name string, err error)
	// DeleteFieldValues removes the values of a deleted Field from Contacts of the List.
	DeleteFieldValues(list enlist.ListID, field enlist.FieldID, contacts []enlist.ContactID) error
}

// KeyTx reads and changes API keys, in a transaction.
type KeyTx interface {
	// KeyByHash returns the key with a hash, even if the key is revoked or expired. The
	// error is of kind InvalidKey for an unknown hash.
	KeyByHash(hash enlist.KeyHash) (*enlist.Key, error)
	// Keys returns the keys of all Accounts in order of ID, including revoked keys.
	Keys() ([]enlist.Key, error)
	// AddKey inserts a key and sets its ID.
	AddKey(k *enlist.Key, hash enlist.KeyHash) error
	// RevokeKey sets RevokedTime to the Unix time at. The error is of kind
	// InvalidKey if no key has the ID.
	RevokeKey(id enlist.KeyID, at int64) error
	// SetKeyRate sets the Rate. The error is of kind InvalidKey if no key has the ID.
	SetKeyRate(id enlist.KeyID, rate enlist.CallRate) error
	// TouchKeys sets LastUsedTime of each key to its Unix time in used, if that time is
	// later than the stored time.
	TouchKeys(used map[enlist.KeyID]int64) error
}

// ListTx reads and changes Lists, in a transaction.
type ListTx interface {
	// Lists returns the Lists of an Account in order of ID, without deleted Lists.
	// ContactCount and FolderName are set.
	Lists(account enlist.AccountID) ([]enlist.List, error)
	// Schema returns a List with its Fields and everything else in its definition. The
	// error is of kind NoList if the List is unknown or deleted.
	Schema(id enlist.ListID) (*enlist.Schema, error)
	// ContactCount returns the number of Contacts of a List.
	ContactCount(id enlist.ListID) (int64, error)
	// AddList inserts a List and sets its ID.
	AddList(l *enlist.List) error
	// UpdateList stores everything but the ID, the Account, the creator and the
	// time of creation.
	UpdateList(l *enlist.List) error
	// MarkListDeleted hides a List: from now on Schema and Lists do not return it.
	MarkListDeleted(id enlist.ListID) error
	// DropList deletes the row of a hidden List that has no Contacts any more.
	DropList(id enlist.ListID) error
	// LastContactID returns the highest ID of a List's Contacts, or 0 if it has none.
	LastContactID(list enlist.ListID) (enlist.ContactID, error)
	// RemoveContactsUpTo deletes at most limit Contacts with an ID of at most upto, and
	// returns their number. If removed is less than limit, no such Contact is left.
	RemoveContactsUpTo(list enlist.ListID, upto enlist.ContactID, limit int) (removed int, err error)
	// Duplicates returns the number of addresses that more than one Contact of a List has.
	Duplicates(list enlist.ListID) (addresses int64, err error)
}

// PreferenceTx changes the preferences of Lists, in a transaction. A Schema contains the
// preferences of its List.
type PreferenceTx interface {
	// AddPreference inserts a preference and sets its ID.
	AddPreference(p *enlist.Preference) error
	// DeletePreference removes a preference and the answers of all Contacts.
	DeletePreference(list enlist.ListID, id enlist.PreferenceID) error
}

// IndexTx reads and changes the catalogue of search indexes, in a transaction. A Schema
// contains the indexes of its List that are ready.
type IndexTx interface {
	// SearchIndexes returns the indexes of all Lists in order of ID.
	SearchIndexes() ([]enlist.SearchIndex, error)
	// SearchIndex returns one index. The error is of kind NotFound if there is none.
	SearchIndex(id enlist.SearchIndexID) (*enlist.SearchIndex, error)
	// IndexPlace returns the Place of a List's indexes.
	IndexPlace(list enlist.ListID) (int64, error)
	// AddSearchIndex inserts an index and sets its ID. If the List has an index of the key
	// already, it stores nothing and returns false.
	AddSearchIndex(x *enlist.SearchIndex) (added bool, err error)
	// UpdateSearchIndex stores State, Manual, Changed, Built, BuildMS, Bytes and Error. If the
	// index has no row, it does nothing.
	UpdateSearchIndex(x *enlist.SearchIndex) error
	// RemoveSearchIndex deletes the row of an index that is not ready.
	RemoveSearchIndex(id enlist.SearchIndexID) error
	// RecordIndexUse sets LastUsed of each index to a Unix time, if the stored time is earlier.
	RecordIndexUse(used map[enlist.SearchIndexID]int64) error
}
