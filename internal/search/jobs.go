package search

import "enlist/internal/enlist"

// BuildIndex builds a database index that searches need.
type BuildIndex struct {
	Index enlist.SearchIndexID `json:"index_id"`
}

// Kind implements Effect.
func (BuildIndex) Kind() string { return "build_index" }

// DropIndex drops a database index after searches have stopped using it.
type DropIndex struct {
	Index enlist.SearchIndexID `json:"index_id"`
	Again bool                 `json:"again"` // build another index of the same key afterwards
}

// Kind implements Effect.
func (DropIndex) Kind() string { return "drop_index" }
