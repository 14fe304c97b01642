package lists

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// Service has the calls about Lists, their Fields and preferences. It is safe for concurrent use.
type Service struct {
	db          *db.DB
	observer    search.Observer
	convertStep ConvertStep
	past        pastDays
}

// ConvertStep converts a step of the values of Contacts after the type of a Field has changed. Package contacts has it.
type ConvertStep func(context.Context, ConvertField) (next ConvertField, done bool, err error)

// New returns a Service over a database.
func New(database *db.DB, convert ConvertStep) *Service {
	return &Service{db: database, observer: search.NoObserver{}, convertStep: convert,
		past: pastDays{of: make(map[enlist.AccountID]past)}}
}

// Observe sets what is told of changed Fields. Call it before any other method.
func (s *Service) Observe(o search.Observer) { s.observer = o }
