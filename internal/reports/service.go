package reports

import "enlist/internal/db"

// Service has the figures and rows of Batches. It is safe for concurrent use.
type Service struct {
	db *db.DB
}

// New returns a Service over a database.
func New(database *db.DB) *Service {
	return &Service{db: database}
}
