package contacts

import (
	"time"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// Service has the calls about Contacts, their consents and the Unsubscriber List. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	accounts *accounts.Service
	observer search.Observer
	above    Above
}

// Above has what packages above this one do.
type Above struct {
	// SegmentUnused refuses to delete a Segment that Batches or autoresponders use.
	SegmentUnused func(tx *db.Tx, schema *enlist.Schema, id enlist.SegmentID) error
	// KeyOf returns the present level and Lists of a person in an Account; nil: the person does not use it.
	KeyOf func(tx *db.Tx, account enlist.AccountID, person int64) (*enlist.Key, error)
	// FormSent and FormConfirmed count that a person has sent a Form, and confirmed a subscription with it.
	FormSent, FormConfirmed func(tx *db.Tx, schema *enlist.Schema, id enlist.FormID, now int64) error
	// Forget removes what other packages have of removed Contacts of a List.
	Forget []func(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) error
	// DropList removes what other packages have of a List that is removed.
	DropList []func(tx *db.Tx, list enlist.ListID) error
}

// New returns a Service over a database.
func New(database *db.DB, a *accounts.Service, above Above) *Service {
	return &Service{db: database, accounts: a, observer: func(*db.Tx, *enlist.Search, time.Duration) {},
		above: above}
}

// Observe sets what is told of searches. Call it before any other method.
func (s *Service) Observe(o search.Observer) { s.observer = o }

// Periodic returns what each process repeats.
func (s *Service) Periodic() []db.Periodic {
	return []db.Periodic{{Name: "limits of mailboxes", Every: time.Hour, Do: s.ForgetMailboxes}}
}
