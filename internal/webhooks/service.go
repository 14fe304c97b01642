package webhooks

import "enlist/internal/db"

// Service has the calls about webhooks, and delivers their events. It is safe for concurrent use.
type Service struct {
	db *db.DB
}

// New returns a Service over a database.
func New(database *db.DB) *Service { return &Service{db: database} }
