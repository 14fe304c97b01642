package files

import (
	"time"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/limiter"
)

// Service has the calls about files. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	accounts *accounts.Service
	files    FileSettings
	above    Above
	decoding *limiter.Limiter // images
}

// New returns a Service over a database.
func New(database *db.DB, a *accounts.Service, above Above) *Service {
	return &Service{db: database, accounts: a, above: above, decoding: newDecoding()}
}

// Periodic returns what each process repeats.
func (s *Service) Periodic() []db.Periodic {
	return []db.Periodic{{Name: "copies of images without their file", Every: time.Hour, Do: s.RemoveStaleCopies}}
}
