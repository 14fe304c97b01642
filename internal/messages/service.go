package messages

import (
	"context"
	"sync/atomic"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
)

// Service has the calls about Messages, and prepares mails. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	accounts *accounts.Service
	sending  *atomic.Pointer[pace.Settings]
	composer Composer
	unused   Unused
	sentTo   SentTo
}

// Unused refuses a change of a Message that Batches or autoresponders send. field is the key that the error names, or
// "" for the complete Message. Package batches has it.
type Unused func(tx *db.Tx, m *Message, field string) error

// New returns a Service over a database.
func New(database *db.DB, a *accounts.Service, settings *atomic.Pointer[pace.Settings], unused Unused, sentTo SentTo) *Service {
	return &Service{db: database, accounts: a, sending: settings, unused: unused, sentTo: sentTo}
}

// LinkKey returns the database's key for links. The first call creates it.
func (s *Service) LinkKey(ctx context.Context) (enlist.LinkKey, error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) (key enlist.LinkKey, err error) {
		stored, err := accounts.StoredSecret(tx, "links", len(key))
		copy(key[:], stored)
		return key, err
	})
}
