package audience

import (
	"sync/atomic"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/lists"
	"enlist/internal/pace"
	"enlist/internal/search"
	"enlist/internal/webhooks"
)

// This file has the Service, which has the Services of all subjects.

// Service executes the calls of the API. It is safe for concurrent use.
type Service struct {
	*Accounts
	*Lists
	*Webhooks
	*Contacts

	db       *db.DB
	sending  atomic.Pointer[pace.Settings]
	files    FileSettings
	composer Composer
}

// The Services of the subjects that have packages of their own.
type (
	Accounts = accounts.Service
	Lists    = lists.Service
	Webhooks = webhooks.Service
	Contacts = contacts.Service
)

// NewService returns a Service for a database. now is the only clock of the Service, so that tests
// can set the time.
func NewService(store db.Engine, now func() time.Time) *Service {
	d := &db.DB{Engine: store, Now: now, Confirm: accounts.Confirm}
	s := &Service{db: d, Accounts: accounts.New(d), Webhooks: webhooks.New(d)}
	s.Contacts = contacts.New(d, s.Accounts)
	s.Lists = lists.New(d, s.ConvertField)
	s.sending.Store(new(pace.Settings))
	return s
}

// SetSearchObserver sets the Observer to call. Call it before any other method.
func (s *Service) SetSearchObserver(o search.Observer) {
	s.Lists.Observe(o)
	s.Contacts.Observe(o)
}
