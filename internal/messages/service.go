package messages

import (
	"context"
	"sync/atomic"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/limiter"
	"enlist/internal/pace"
)

// Service has the calls about Messages, and prepares mails. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	accounts *accounts.Service
	sending  *atomic.Pointer[pace.Settings]
	composer Composer
	links    LinkChecker   // nil: none
	trials   limiter.Rates // of calls that send test mails, of each Account
	unused   Unused
	sentTo   SentTo
	lastSent LastSent
}

// Unused refuses a change of a Message that Batches or autoresponders send. field is the key that the error names, or
// "" for the complete Message. Package batches has it.
type Unused func(tx *db.Tx, m *Message, field string) error

// LastSent returns when a mail of a Message has last left. It is math.MaxInt64 while a Batch sends the Message, and 0 if
// no mail has left. Package batches has it.
type LastSent func(tx *db.Tx, m *Message) (int64, error)

// Above has what packages above this one know about Messages.
type Above struct {
	Unused   Unused
	SentTo   SentTo
	LastSent LastSent
}

// New returns a Service over a database.
func New(database *db.DB, a *accounts.Service, settings *atomic.Pointer[pace.Settings], above Above) *Service {
	return &Service{db: database, accounts: a, sending: settings, unused: above.Unused, sentTo: above.SentTo,
		lastSent: above.LastSent}
}

// LinkKey returns the database's key for links. The first call creates it.
func (s *Service) LinkKey(ctx context.Context) (enlist.LinkKey, error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) (key enlist.LinkKey, err error) {
		stored, err := accounts.StoredSecret(tx, "links", len(key))
		copy(key[:], stored)
		return key, err
	})
}
