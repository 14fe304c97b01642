package contacts

import (
	"sync/atomic"

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
	unused   SegmentUnused
	keyOf    KeyOfPerson

	isNormalised atomic.Bool // this process has looked at all addresses: see NormaliseQuoted
}

// SegmentUnused refuses to delete a Segment that Batches or autoresponders use. Package batches has it.
type SegmentUnused func(tx *db.Tx, schema *enlist.Schema, id enlist.SegmentID) error

// KeyOfPerson returns the present level and Lists of a person in an Account; nil: the person does not use it. Package
// people has it.
type KeyOfPerson func(tx *db.Tx, account enlist.AccountID, person int64) (*enlist.Key, error)

// New returns a Service over a database.
func New(database *db.DB, a *accounts.Service, unused SegmentUnused, keyOf KeyOfPerson) *Service {
	return &Service{db: database, accounts: a, observer: search.NoObserver{}, unused: unused, keyOf: keyOf}
}

// Observe sets what is told of searches and of deleted Lists. Call it before any other method.
func (s *Service) Observe(o search.Observer) { s.observer = o }
