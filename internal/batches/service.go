package batches

import (
	"enlist/internal/db"
	"enlist/internal/messages"
)

// Service has the calls about Batches and autoresponders. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	messages *messages.Service
	checks   chan struct{} // has an item for each check of many Contacts that runs
}

// New returns a Service over a database.
func New(database *db.DB, m *messages.Service) *Service {
	return &Service{db: database, messages: m, checks: make(chan struct{}, maxChecks)}
}
