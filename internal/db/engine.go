package db

import (
	"context"

	"enlist/internal/enlist"
)

// Engine is the database. The packages sqlite and postgres implement it.
type Engine interface {
	Transactor
	IndexBuilder
	Presence

	// Cache returns what earlier transactions have read of definitions. It may be out of date, so confirm it in a
	// transaction.
	Cache() *Cache
	// Watch is Looks.Watch. All that watch share one look a second.
	Watch(tell func(changed bool)) (stop func())
	// Ready returns nil when the database answers and stores writes. It writes and commits, so
	// it fails if the disk is full.
	Ready(ctx context.Context) error
	// Scrub removes deleted data from the files of the database as far as the engine can. The error is of kind Busy if
	// it could not remove all of it, because another transaction reads.
	Scrub(ctx context.Context) error
	// FreeSpace returns the number of bytes that the disk of the database has room for. known is false if the engine
	// cannot find out.
	FreeSpace() (bytes int64, known bool)
	// Close waits for running transactions and closes the connections.
	Close() error
}

// Transactor runs functions in transactions. A function may run more than once, so it must
// have no effect except through Tx. It must not call the Engine again: if all connections are
// in use, it would wait for its own connection.
type Transactor interface {
	// View runs fn on one snapshot. It is for look-ups, which take microseconds. A View, a
	// Search or a Stream may wait while the Account of ctx (AccountOf) uses half of the
	// connections. If a View runs too long, the error is of kind Busy, or of ctx.
	View(ctx context.Context, fn func(*Tx) error) error
	// Search is View for reads that may look at every Contact of a List. Only a few can run
	// at the same time, and for a limited time. If fn cannot start in time, or runs too
	// long, the error is of kind Busy.
	Search(ctx context.Context, fn func(*Tx) error) error
	// Stream is Search for replies that are sent while they are read. It may run as long as
	// a slow client needs. The number of concurrent Streams has its own limit.
	Stream(ctx context.Context, fn func(*Tx) error) error
	// ViewPrimary is Stream for reads on which a change depends: fn sees everything that
	// was committed before ViewPrimary was called. A Search or a Stream may read from a
	// standby server that lags behind. reference.md: search.replica
	ViewPrimary(ctx context.Context, fn func(*Tx) error) error
	// Update runs fn and makes all its changes durable before it returns nil. After an
	// error no change is stored.
	Update(ctx context.Context, fn func(*Tx) error) error
	// UpdateInBatch is Update for a function that usually only inserts the Contact of an address, its ledger row and
	// effects. The engine may run the functions of several callers in one transaction, without their other statements:
	// a function that needs one gets ErrNotBatchable, and runs again in a transaction of its own.
	UpdateInBatch(ctx context.Context, a Address, fn func(*Tx) error) error
}

// IndexBuilder builds and drops the indexes in the database, outside of transactions.
type IndexBuilder interface {
	// BuildIndex builds the index of a key and returns its size in bytes. It replaces an
	// incomplete index. Other connections can read and write meanwhile; on SQLite they can
	// only read. The error is ErrIndexBusy if another process is building or dropping this
	// index.
	BuildIndex(ctx context.Context, id enlist.SearchIndexID, list enlist.ListID,
		k *enlist.SearchKey) (bytes int64, err error)
	// DropIndex drops the index. If there is no such index, it does nothing. The error is
	// ErrIndexBusy if another process is building or dropping this index.
	DropIndex(ctx context.Context, id enlist.SearchIndexID) error
	// FindsParts reports whether BuildIndex can build indexes for parts of texts (SearchKey.Parts).
	FindsParts() bool
	// BuiltIndexes returns the indexes in the database, in order of ID.
	BuiltIndexes(ctx context.Context) ([]enlist.BuiltIndex, error)
}
