package reports

import (
	"enlist/internal/contacts"
	"enlist/internal/db"
)

// Service has the figures and rows of Batches. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	contacts *contacts.Service
}

// New returns a Service over a database.
func New(database *db.DB, c *contacts.Service) *Service {
	return &Service{db: database, contacts: c}
}
