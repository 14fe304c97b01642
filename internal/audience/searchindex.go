package audience

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// This file has the record of a search index, and the interfaces for search indexes. The
// package internal/indexadvisor decides which indexes a List needs. A store builds the indexes,
// and uses an index when it is ready.

// SearchIndexID identifies a SearchIndex. The index in the database has the name search_<id>.
// No ID is used twice.
type SearchIndexID int64

// SearchIndex is an index of a List's Contacts by one key. The index advisor or the operator
// asked for it. decisions.md: 56
type SearchIndex struct {
	ID       SearchIndexID
	ListID   ListID
	Key      string // "field_12", or the name of a system key; with the suffix ":parts" if it finds parts of texts
	State    IndexState
	Manual   bool // the operator created it; only the operator drops it
	Created  int64
	Changed  int64  // time of the last change of State or of the last attempt
	Built    int64  // time when the build ended; 0: not built yet
	BuildMS  int64  // duration of the build
	Bytes    int64  // size after the build
	LastUsed int64  // when a search last used it, about a minute late
	Error    string // why the build failed

	Place int64 // the partition of the table on PostgreSQL; 0 on SQLite
}

// IndexState is the stage of a SearchIndex, from the request to the drop.
type IndexState string

// The states. Searches use an index only while its state is IndexReady. The database builds the
// index before this state is set, and drops the index after IndexDropping is set.
const (
	IndexWaiting  IndexState = "waiting"
	IndexBuilding IndexState = "building"
	IndexReady    IndexState = "ready"
	IndexFailed   IndexState = "failed"
	IndexDropping IndexState = "dropping"
)

// IndexKey returns the name of a key in SearchIndex.Key. Unlike the name of a Field, it never
// changes.
func (k *SearchKey) IndexKey() string {
	name := k.Name
	if k.Field != nil {
		name = "field_" + strconv.FormatInt(int64(k.Field.ID), 10)
	}
	if k.Parts {
		name += partsSuffix
	}
	return name
}

// partsSuffix ends the IndexKey of an index that finds parts of texts.
const partsSuffix = ":parts"

// ForParts returns the same key for an index that finds parts of its texts.
func (k *SearchKey) ForParts() *SearchKey {
	parts := *k
	parts.Parts = true
	return &parts
}

// MinPart is the smallest number of characters for which an index for parts of texts is used. It has
// three consecutive characters as its entries.
const MinPart = 3

// IndexFor returns the index that is ready for a key, or nil if there is none. It does not
// return the indexes that every List has: of id, creation_time, last_modified_time and of
// complete addresses.
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

// KeyFor returns the key for which IndexKey returns the given name. It returns nil if the name
// is unknown or the Field was deleted.
func (s *Schema) KeyFor(name string) *SearchKey {
	if whole, parts := strings.CutSuffix(name, partsSuffix); parts {
		if k := s.KeyFor(whole); k != nil && k.Field != nil && k.IsText() {
			return k.ForParts()
		}
		return nil
	}
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

// BuiltIndex describes the index in the database that belongs to a SearchIndex.
type BuiltIndex struct {
	ID    SearchIndexID
	Good  bool  // false: the build was interrupted or still runs
	Bytes int64 // 0: not known
}

// ErrIndexBusy is the error of an IndexBuilder if another process is building or dropping the
// same index.
var ErrIndexBusy = errors.New("another process is building or dropping this index")

// SearchObserver receives the searches that run, and the changes of Fields and Lists.
// internal/indexadvisor implements it and decides which indexes searches need. The
// results of searches do not depend on the SearchObserver.
type SearchObserver interface {
	// SearchRan is called after each search and count. took is the time that the database
	// needed. SearchRan must return quickly, because the caller of the search waits for it.
	SearchRan(s *Search, took time.Duration, at time.Time)
	// FieldChanged is called in the Update that changes or deletes a Field. changed is nil
	// if the Field is deleted.
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

// IndexTx reads and changes the catalogue of search indexes, in a transaction. A Schema
// contains the indexes of its List that are ready.
type IndexTx interface {
	// SearchIndexes returns the indexes of all Lists in order of ID.
	SearchIndexes() ([]SearchIndex, error)
	// SearchIndex returns one index. The error is of kind NotFound if there is none.
	SearchIndex(id SearchIndexID) (*SearchIndex, error)
	// IndexPlace returns the Place of a List's indexes.
	IndexPlace(list ListID) (int64, error)
	// AddSearchIndex inserts an index and sets its ID. If the List has an index of the key
	// already, it stores nothing and returns false.
	AddSearchIndex(x *SearchIndex) (added bool, err error)
	// UpdateSearchIndex stores State, Manual, Changed, Built, BuildMS, Bytes and Error. If the
	// index has no row, it does nothing.
	UpdateSearchIndex(x *SearchIndex) error
	// RemoveSearchIndex deletes the row of an index that is not ready.
	RemoveSearchIndex(id SearchIndexID) error
	// RecordIndexUse sets LastUsed of each index to a Unix time, if the stored time is earlier.
	RecordIndexUse(used map[SearchIndexID]int64) error
}
