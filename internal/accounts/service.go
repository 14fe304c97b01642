package accounts

import "enlist/internal/db"

// Service has the calls about Accounts, keys, Folders, sending domains and the audit log. It is safe for concurrent use.
type Service struct {
	db   *db.DB
	used keyUse
}

// New returns a Service over a database.
func New(database *db.DB) *Service { return &Service{db: database} }
