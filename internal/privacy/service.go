package privacy

import (
	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/files"
	"time"
)

// Service has the calls about a person's data: export, erasure, proofs and retention. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	accounts *accounts.Service
	contacts *contacts.Service
	files    *files.Service
}

// New returns a Service over a database.
func New(database *db.DB, a *accounts.Service, c *contacts.Service, f *files.Service) *Service {
	return &Service{db: database, accounts: a, contacts: c, files: f}
}

// Periodic returns what each process repeats.
func (s *Service) Periodic() []db.Periodic {
	return []db.Periodic{{Name: "removal of old data", Every: time.Hour, Do: s.ScheduleRetention}}
}
