package sending

import (
	"sync/atomic"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/limiter"
	"enlist/internal/messages"
	"enlist/internal/pace"
)

// Service populates Batches, hands their mails over and stores what became of them. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	contacts *contacts.Service
	messages *messages.Service
	sending  *atomic.Pointer[pace.Settings]
	archived archivedPages
}

// New returns a Service over a database.
func New(database *db.DB, c *contacts.Service, m *messages.Service, settings *atomic.Pointer[pace.Settings]) *Service {
	return &Service{db: database, contacts: c, messages: m, sending: settings,
		archived: archivedPages{composing: limiter.New(2, 0)}}
}

// Periodic returns what each process repeats.
func (s *Service) Periodic() []db.Periodic {
	return []db.Periodic{
		{Name: "ages of waiting mails", Every: time.Minute, Do: s.KeepQueueAges},
		{Name: "old ages of mails", Every: time.Hour, Do: s.DeleteQueueAges},
		{Name: "rates that are not used", Every: time.Hour, Do: s.DeleteFullBuckets},
	}
}
