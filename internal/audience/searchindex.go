package audience

import (
	"errors"
	"strconv"
	"time"
)

// This file has the record of a search index and the interfaces around it. The package
// internal/indexadvisor decides which indexes a List needs. A store builds them, and uses
// those that are ready.

// SearchIndexID identifies a SearchIndex. The database's index is called
// search_<id>; no ID is used twice.
type SearchIndexID int64

// SearchIndex is an index of a List's Contacts by one key, which the
// index advisor or the operator has asked for. decisions.md: 56
type SearchIndex struct {
	ID       SearchIndexID
	ListID   ListID
	Key      string // "field_12", or the name of a system key
	State    IndexState
	Manual   bool // it stays until the operator drops it
	Created  int64
	Changed  int64 // since when it is in its State, or was last tried
	Built    int64 // when the build ended; 0: not yet
	BuildMS  int64 // duration of the build
	Bytes    int64 // its size after the build
	ScanMS   int64 // duration of a search without it
	LastUsed int64
	Error    string // why the build failed

	Place   int64 // the partition of the table on PostgreSQL; 0 on SQLite
	Uses    int64 // searches that used it, since the day that was asked for
	SavedMS int64 // time that it saved those searches
}

// IndexState is the stage of a SearchIndex, from the request to the drop.
type IndexState string

// The states. Searches use an index only while it is Ready. The database has the index
// before it becomes Ready and drops it after it is Dropping.
const (
	IndexWaiting  IndexState = "waiting"
	IndexBuilding IndexState = "building"
	IndexReady    IndexState = "ready"
	IndexFailed   IndexState = "failed"
	IndexDropping IndexState = "dropping"
)

// IndexKey is the name by which a SearchIndex knows a key: unlike a Field's, it
// never changes.
func (k *SearchKey) IndexKey() string {
	if k.Field == nil {
		return k.Name
	}
	return "field_" + strconv.FormatInt(int64(k.Field.ID), 10)
}

// IndexFor returns the index that is ready for a key, nil when none is. Those that
// every List has, of id, creation_time, last_modified_time and of addresses as a
// whole, are not among them.
func (s *Schema) IndexFor(k *SearchKey) *SearchIndex {
	if len(s.SearchIndexes) == 0 {
		return nil
	}
	key := k.IndexKey()
	for i := range s.SearchIndexes {
		if s.SearchIndexes[i].Key == key {
			return &s.SearchIndexes[i]
		}
	}
	return nil
}

// Indexed reports whether an index is ready for a key.
func (s *Schema) Indexed(k *SearchKey) bool { return s.IndexFor(k) != nil }

// KeyFor returns the key that IndexKey calls by a name. It returns nil when the List
// has none: an unknown name, or a Field that was deleted.
func (s *Schema) KeyFor(name string) *SearchKey {
	for i := range contactKeys {
		if k := &contactKeys[i]; k.Name == name {
			return k
		}
	}
	if f := s.fieldByKey(name); f != nil {
		return f.SearchKey()
	}
	return nil
}

// BuiltIndex is a SearchIndex as the database has it.
type BuiltIndex struct {
	ID    SearchIndexID
	Good  bool  // false: its build was interrupted, or still runs
	Bytes int64 // 0: not known
}

// ErrIndexBusy is what an IndexBuilder returns when another process is building or
// dropping the same index.
var ErrIndexBusy = errors.New("another process is building or dropping this index")

// SearchObserver receives the searches that run, and the changes of Fields and Lists.
// internal/indexadvisor implements it and decides which indexes searches need. The
// results of searches do not depend on it.
type SearchObserver interface {
	// SearchRan is called after each search and count, with the time that the database
	// took for it. It must be quick: the caller waits.
	SearchRan(s *Search, took time.Duration, at time.Time)
	// FieldChanged is called in the Update that changes or deletes a Field. changed is
	// nil when it is deleted.
	FieldChanged(tx Tx, old, changed *Field, now int64) error
	// ListDeleted is called in the Update that deletes a List.
	ListDeleted(tx Tx, list ListID, now int64) error
}

// SetSearchObserver sets the SearchObserver to call. Call it before any other method.
func (s *Service) SetSearchObserver(o SearchObserver) { s.observer = o }

// noObserver is the SearchObserver of a Service without an index advisor.
type noObserver struct{}

func (noObserver) SearchRan(*Search, time.Duration, time.Time) {}

func (noObserver) FieldChanged(Tx, *Field, *Field, int64) error { return nil }

func (noObserver) ListDeleted(Tx, ListID, int64) error { return nil }

// IndexUse counts the searches that used a SearchIndex.
type IndexUse struct {
	Uses    int64
	SavedMS int64 // time that it saved them
}

// DayOf returns the day of a Unix time, counted from 1970. Uses are counted for each day.
func DayOf(time int64) int64 { return time / (24 * 60 * 60) }

// IndexTx reads and changes the catalogue of search indexes, in a transaction. A
// Schema holds those of its List that are ready.
type IndexTx interface {
	// SearchIndexes returns the indexes of all Lists by ID, each with its use
	// since the day of a Unix time.
	SearchIndexes(since int64) ([]SearchIndex, error)
	// SearchIndex returns one index, without its use. Its error is of kind
	// NotFound when there is none.
	SearchIndex(id SearchIndexID) (*SearchIndex, error)
	// IndexPlace returns the Place of a List's indexes.
	IndexPlace(list ListID) (int64, error)
	// AddSearchIndex inserts an index and sets its ID. It returns false and stores
	// nothing when the List has an index of the key.
	AddSearchIndex(x *SearchIndex) (added bool, err error)
	// UpdateSearchIndex stores State, Manual, the times and Error.
	UpdateSearchIndex(x *SearchIndex) error
	// RemoveSearchIndex deletes the row of an index that is not ready.
	RemoveSearchIndex(id SearchIndexID) error
	// RecordIndexUse adds to the use of indexes on the day of a Unix time, and raises
	// LastUsed.
	RecordIndexUse(used map[SearchIndexID]IndexUse, at int64) error
	// DeleteIndexUse removes the use of the days before that of a Unix time.
	DeleteIndexUse(before int64) error
}
