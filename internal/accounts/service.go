package accounts

import (
	"sync/atomic"

	"enlist/internal/db"
)

// Service has the calls about Accounts, keys, Folders, sending domains and the audit log. It is safe for concurrent
// use.
type Service struct {
	db   *db.DB
	used keyUse

	settings atomic.Pointer[Settings]
	declared []Declared
	stored   atomic.Pointer[[]StoredSetting] // from which ReadSettings made settings
}

// New returns a Service over a database.
func New(database *db.DB) *Service {
	s := &Service{db: database}
	s.settings.Store(defaultSettings())
	return s
}
