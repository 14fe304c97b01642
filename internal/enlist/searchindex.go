package enlist

import (
	"errors"
	"strconv"
	"strings"
)

// This file has the record of a search index, and the interfaces for search indexes. The
// package internal/search/advisor decides which indexes a List needs. A store builds the indexes,
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

// IndexState is the stage of a SearchIndex.
type IndexState string

// The states. Searches use an index only while its state is IndexReady. The database builds the
// index before this state is set, and drops it after the row is deleted.
const (
	IndexWaiting  IndexState = "waiting"
	IndexBuilding IndexState = "building" // only in reports: the index in the database is not complete
	IndexReady    IndexState = "ready"
	IndexFailed   IndexState = "failed"
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
	for i := range ContactKeys {
		if k := &ContactKeys[i]; k.Name == name {
			return k
		}
	}
	if f := s.FieldByKey(name); f != nil {
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
