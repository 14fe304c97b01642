package accounts

import (
	"cmp"
	"sync/atomic"
	"time"

	"enlist/internal/db"
)

// Service has the calls about Accounts, keys, Folders, sending domains and the audit log. It is safe for concurrent
// use.
type Service struct {
	db   *db.DB
	used keyUse

	settings atomic.Pointer[Settings]
	declared []Declared
	zone     string                          // time zone of the server
	stored   atomic.Pointer[[]StoredSetting] // from which ReadSettings made settings
}

// New returns a Service over a database.
func New(database *db.DB) *Service {
	s := &Service{db: database, zone: "UTC"}
	s.settings.Store(defaultSettings())
	return s
}

// Periodic returns what each process repeats.
func (s *Service) Periodic() []db.Periodic {
	return []db.Periodic{
		{Name: "last uses of keys", Every: time.Minute, Do: s.WriteKeyUse},
		{Name: "expired results of calls", Every: time.Hour, Do: s.DeleteExpiredRetries},
	}
}

// SetServerZone sets the time zone of a new Account for which no setting says another one; without it, UTC. Call it
// before any other method.
func (s *Service) SetServerZone(zone string) { s.zone = zone }

// NewZone returns the time zone of a new Account.
func (s *Service) NewZone() string { return cmp.Or(s.Settings().TimeZone, s.zone) }
