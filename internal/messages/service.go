package messages

import (
	"sync/atomic"

	"enlist/internal/accounts"
	"enlist/internal/db"
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
