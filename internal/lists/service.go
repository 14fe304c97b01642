package lists

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// Service has the calls about Lists, their Fields and preferences. It is safe for concurrent use.
type Service struct {
	db          *db.DB
	convertStep ConvertStep
	past        pastDays
}

// ConvertStep converts a step of the values of Contacts after the type of a Field has changed. Package contacts has it.
type ConvertStep func(context.Context, ConvertField) (next ConvertField, done bool, err error)

// New returns a Service over a database.
func New(database *db.DB, convert ConvertStep) *Service {
	return &Service{db: database, convertStep: convert,
		past: pastDays{of: make(map[enlist.AccountID]past)}}
}
