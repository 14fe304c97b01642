package webhooks

import "enlist/internal/db"

// Service has the calls about webhooks, and delivers their events. It is safe for concurrent use.
type Service struct {
	db    *db.DB
	stops func(*db.Tx) (bool, error)
}

// New returns a Service over a database. stops reports whether the hold of mails also stops webhooks.
func New(database *db.DB, stops func(*db.Tx) (bool, error)) *Service {
	return &Service{database, stops}
}
