package accounts

import (
	"cmp"
	"sync/atomic"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// Service has the calls about Accounts, keys, Folders, sending domains and the audit log. It is safe for concurrent
// use.
type Service struct {
	db   *db.DB
	used keyUse

	unusedByFields func(*db.Tx, enlist.FolderID) error

	settings atomic.Pointer[Settings]
	declared []Declared
	zone     string                          // time zone of the server
	stored   atomic.Pointer[[]StoredSetting] // from which ReadSettings made settings
}

// New returns a Service over a database. unusedByFields refuses to delete a Folder in which a Field stores its files;
// package lists has it.
func New(database *db.DB, unusedByFields func(*db.Tx, enlist.FolderID) error) *Service {
	s := &Service{db: database, unusedByFields: unusedByFields, zone: "UTC"}
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
