package search

import (
	"maps"
	"slices"
	"strconv"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the definitions of SearchIndexes. A SearchIndex is an index of one key of one List.
// Package advisor decides which SearchIndexes exist. Packages sqlite and postgres build and drop the
// indexes in the database (sqlite/searchindex.go, postgres/searchindex.go).

// IndexName returns the name of a SearchIndex in the database.
func IndexName(id enlist.SearchIndexID) string {
	return "search_" + strconv.FormatInt(int64(id), 10)
}

// IndexID returns the ID of the SearchIndex with this name in the database, or 0 if the name belongs to
// another index.
func IndexID(name string) enlist.SearchIndexID {
	const prefix = len("search_")
	if len(name) <= prefix {
		return 0
	}
	id, err := strconv.ParseInt(name[prefix:], 10, 64)
	if err != nil || IndexName(enlist.SearchIndexID(id)) != name {
		return 0
	}
	return enlist.SearchIndexID(id)
}

// IndexOn returns the text after ON in the statement that creates a SearchIndex. The expression of the
// index is the expression that searches use to compare and to sort. Otherwise the database would not use
// the index. It is a partial index of one List. The List's ID is a literal. With a parameter instead of
// a literal, the database could not prove that the WHERE clause of a search implies that of the index.
// Then it would not use the index.
func IndexOn(d *db.Dialect, table string, list enlist.ListID, k *enlist.SearchKey) string {
	absent := ""
	if k.Field != nil {
		absent = d.IndexAbsent
	}
	return table + " ((" + Expression(d, k) + ")" + absent + d.IndexTail + ") WHERE list_id = " +
		strconv.FormatInt(int64(list), 10)
}

// PartsOn is IndexOn for an index for parts of texts. class is the name of its operator class. Only PostgreSQL
// has such indexes. It collects new entries in a list of up to gin_pending_list_limit kB, which each search reads.
// At the default of 4 MB, a search took over 10 ms after some thousand subscriptions.
func PartsOn(d *db.Dialect, table string, list enlist.ListID, k *enlist.SearchKey, class string) string {
	return table + " USING gin ((" + Expression(d, k) + ") " + class +
		") WITH (gin_pending_list_limit = 256) WHERE list_id = " + strconv.FormatInt(int64(list), 10)
}

// Expression returns the expression of the index of a key.
func Expression(d *db.Dialect, k *enlist.SearchKey) string {
	q := Query{SQL: d}
	if k.Parts {
		return q.shown(k)
	}
	return q.Ordered(k)
}

// ReadyIndexes returns the indexes of a List that searches are allowed to use.
func ReadyIndexes(tx *db.Tx, list enlist.ListID) ([]enlist.SearchIndex, error) {
	return indexesWhere(tx, "list_id = ? AND state = 'ready'", int64(list))
}

// Indexes returns the SearchIndexes of all Lists in any state.
func Indexes(tx *db.Tx) ([]enlist.SearchIndex, error) { return indexesWhere(tx, "TRUE") }

// Index returns the SearchIndex with an ID, or ErrNotFound.
func Index(tx *db.Tx, id enlist.SearchIndexID) (*enlist.SearchIndex, error) {
	all, err := indexesWhere(tx, "id = ?", int64(id))
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, enlist.ErrNotFound
	}
	return &all[0], nil
}

func indexesWhere(tx *db.Tx, where string, args ...any) ([]enlist.SearchIndex, error) {
	return searchIndexTable.Of(tx.SQL).All(tx, "WHERE "+where+" ORDER BY id", args...)
}

var searchIndexTable = db.NewDialectMapping("search_index", mapSearchIndex)

// mapSearchIndex describes the table search_index.
func mapSearchIndex(d *db.Dialect, m *db.Mapper, x *enlist.SearchIndex) {
	m.ID("id", (*int64)(&x.ID))
	m.Fixed("list_id", (*int64)(&x.ListID))
	m.Fixed("key_name", &x.Key)
	m.Value("state", (*string)(&x.State))
	m.Value("by_hand", &x.Manual)
	m.Fixed("creation_time", &x.Created)
	m.Value("state_time", &x.Changed)
	m.Value("built_time", &x.Built)
	m.Value("build_ms", &x.BuildMS)
	m.Value("error", &x.Error)
	m.Value("bytes", &x.Bytes)
	m.Computed("last_used_time", &x.LastUsed)
	m.Computed(d.IndexPlace, &x.Place)
}

// IndexPlace returns the number of the partition of the table contact that stores the Contacts of a List.
func IndexPlace(tx *db.Tx, list enlist.ListID) (int64, error) {
	return tx.Number("SELECT "+tx.SQL.IndexPlace+" FROM (SELECT CAST(? AS BIGINT) AS list_id) AS one", int64(list))
}

// AddIndex stores a new index and sets its ID. It returns false and stores nothing if the List already
// has an index of the key.
func AddIndex(tx *db.Tx, x *enlist.SearchIndex) (added bool, err error) {
	id, err := searchIndexTable.Of(tx.SQL).AddNew(tx, x)
	x.ID = enlist.SearchIndexID(id)
	return id != 0, err
}

// UpdateIndex stores those columns of an index that are allowed to change. It does nothing if the
// table has no row for the index.
func UpdateIndex(tx *db.Tx, x *enlist.SearchIndex) error {
	was, err := Index(tx, x.ID)
	if enlist.KindOf(err) == enlist.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if was.State != x.State && (was.State == enlist.IndexReady || x.State == enlist.IndexReady) {
		if err := tx.Changed(); err != nil { // the Schema of a List contains the ready indexes
			return err
		}
	}
	return searchIndexTable.Of(tx.SQL).Save(tx, x)
}

// RemoveIndex deletes the row of an index. After tx is committed, no search uses the index, and it can be dropped.
func RemoveIndex(tx *db.Tx, id enlist.SearchIndexID) error {
	return tx.Define("DELETE FROM search_index WHERE id = ?", int64(id)) // the Schema of a List contains the ready indexes
}

// RetypeIndexes removes the indexes of a Field whose values are compared in another way with its new type. One that the
// operator created is built again, with another ID.
func RetypeIndexes(tx *db.Tx, old, changed *enlist.Field, now int64) error {
	key := old.SearchKey()
	if key.Type == changed.SearchKey().Type {
		return nil
	}
	rows, err := indexesWhere(tx, "list_id = ? AND key_name IN (?, ?)", int64(old.ListID), key.IndexKey(),
		key.ForParts().IndexKey())
	if err != nil {
		return err
	}
	for _, x := range rows {
		if err := RemoveIndex(tx, x.ID); err != nil {
			return err
		}
		if !x.Manual {
			continue
		}
		if _, err := AddIndex(tx, &enlist.SearchIndex{ListID: x.ListID, Key: x.Key, State: enlist.IndexWaiting,
			Manual: true, Created: now, Changed: now}); err != nil {
			return err
		}
	}
	return nil
}

// RecordIndexUse sets the time of the last use of each index, if the stored time is earlier. The order of the IDs
// prevents deadlocks with other processes.
func RecordIndexUse(tx *db.Tx, used map[enlist.SearchIndexID]int64) error {
	for _, id := range slices.Sorted(maps.Keys(used)) {
		const touch = "UPDATE search_index SET last_used_time = ? WHERE id = ? AND last_used_time < ?"
		if err := tx.Do(touch, used[id], int64(id), used[id]); err != nil {
			return err
		}
	}
	return nil
}
