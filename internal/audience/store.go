package audience

import "context"

// Store keeps everything. The packages under internal/store implement it, for
// SQLite and for PostgreSQL.
type Store interface {
	Transactor
	Cache
	IndexBuilder
	// Ready returns nil when the database answers and accepts writes.
	Ready(ctx context.Context) error
	// Close waits for running transactions and closes the connections.
	Close() error
}

// Transactor runs functions in transactions. A function may run more than once. It
// must have no effect except through Tx, and must not call the Store again: with
// all connections in use, it would wait for itself.
type Transactor interface {
	// View runs fn on one snapshot. It is for look-ups, which take microseconds.
	View(ctx context.Context, fn func(Tx) error) error
	// Search is View for reads that may look at every Contact of a List. Only a few
	// run at once, for a limited time. When none can start in time, or the limit is
	// over, the error is of kind Busy.
	Search(ctx context.Context, fn func(Tx) error) error
	// Stream is Search for replies that are sent while they are read, as slowly as
	// the client takes them. It has a limit of its own on how many run at once.
	Stream(ctx context.Context, fn func(Tx) error) error
	// ViewPrimary is Stream for reads that a change depends on: fn sees everything
	// that was committed when ViewPrimary was called. A Search or a Stream may read
	// from a standby that is a little behind. decisions.md: 55
	ViewPrimary(ctx context.Context, fn func(Tx) error) error
	// Update runs fn and makes all its changes durable before it returns nil. After
	// an error none of them is stored. At most one hint is given.
	Update(ctx context.Context, fn func(Tx) error, hint ...InsertsContact) error
}

// InsertsContact is a hint for an Update whose function usually inserts one Contact
// and does nothing else that needs an answer of the database. A store may run such
// functions of several callers in one transaction. A wrong hint costs time only.
type InsertsContact struct {
	List ListID
	Key  string // normalised address of the Contact
}

// Cache returns what earlier transactions have read, without asking the database.
// It may have changed since: confirm it in a transaction.
type Cache interface {
	// CachedKey returns a key and its Account; false when they are not cached.
	CachedKey(hash KeyHash) (*Key, *Account, bool)
	// CachedSchema returns a List; false when it is not cached. A transaction that
	// sees the same version returns the same pointer.
	CachedSchema(id ListID) (*Schema, bool)
}

// IndexBuilder builds and drops the database's own indexes of keys, outside of
// transactions.
type IndexBuilder interface {
	// BuildIndex builds the index of a key, in place of one that is not complete, and
	// returns its size in bytes. Other connections read and write meanwhile; on
	// SQLite they only read. ErrIndexBusy when another process is building or
	// dropping this index.
	BuildIndex(ctx context.Context, id SearchIndexID, list ListID, k *SearchKey) (bytes int64, err error)
	// DropIndex drops the index; without one it does nothing. ErrIndexBusy as above.
	DropIndex(ctx context.Context, id SearchIndexID) error
	// BuiltIndexes returns the indexes that the database has, by ID.
	BuiltIndexes(ctx context.Context) ([]BuiltIndex, error)
}

// Tx is one transaction. It is made of roles, each of which is declared in the file
// that uses it; doc.go says where.
//
// Other transactions may write at the same time. Definitions (Accounts, keys,
// Folders, Lists, Fields, Messages, autoresponders, webhooks) do not change during an
// Update, nor does what it has read of the following: Contacts, the result of a
// retry, a delivery, a webhook target, an Account's number of Contacts.
//
// A missing row is an error of the kind that the method names. A write that would
// break uniqueness says so in its result. Slices and Schemas that a method returns
// may be shared and must not be changed.
type Tx interface {
	AccountTx
	KeyTx
	FolderTx
	ListTx
	FieldTx
	PreferenceTx
	ContactTx
	SearchTx
	ConsentTx
	UnsubscriberTx
	RetryTx
	IndexTx
	MessageTx
	AutoresponderTx
	WebhookTx
	WebhookQueueTx
	DeliveryTx
	LinkTx
	JobTx
	LockTx
}

// LockTx takes the locks of a transaction that changes more than single Contacts.
type LockTx interface {
	// LockListForBulk must be the first call of an Update that changes many Contacts
	// of a List in any order. Such Updates run one after another when they would
	// otherwise deadlock.
	LockListForBulk(list ListID) error
	// LockDefinitions makes this Update run alone: Updates that wrote before have
	// ended, and later ones begin after it. The function may run again from the start.
	LockDefinitions() error
}
