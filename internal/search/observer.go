package search

import (
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// Observer receives the searches that run, and the changes of Fields and Lists.
// internal/search/advisor implements it and decides which indexes searches need. The
// results of searches do not depend on the Observer.
type Observer interface {
	// SearchRan is called after each search and count. took is the time that the database
	// needed. SearchRan must return quickly, because the caller of the search waits for it.
	SearchRan(s *enlist.Search, took time.Duration, at time.Time)
	// FieldChanged is called in the Update that changes or deletes a Field. changed is nil
	// if the Field is deleted.
	FieldChanged(tx *db.Tx, old, changed *enlist.Field, now int64) error
	// ListDeleted is called in the Update that deletes a List.
	ListDeleted(tx *db.Tx, list enlist.ListID, now int64) error
}

// NoObserver is the Observer of a Service without an index advisor.
type NoObserver struct{}

func (NoObserver) SearchRan(*enlist.Search, time.Duration, time.Time) {}

func (NoObserver) FieldChanged(*db.Tx, *enlist.Field, *enlist.Field, int64) error { return nil }

func (NoObserver) ListDeleted(*db.Tx, enlist.ListID, int64) error { return nil }
