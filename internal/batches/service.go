package batches

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// Service has the calls about Batches and autoresponders. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	messages *messages.Service
	keyOf    KeyOf
	checks   chan struct{} // has an item for each check of many Contacts that runs
}

// KeyOf returns the present role and Lists of a user in an Account; nil: the user does not use it. Package users has it.
type KeyOf func(tx *db.Tx, account enlist.AccountID, user int64) (*enlist.Key, error)

// New returns a Service over a database.
func New(database *db.DB, m *messages.Service, keyOf KeyOf) *Service {
	return &Service{db: database, messages: m, keyOf: keyOf, checks: make(chan struct{}, maxChecks)}
}

// PrepareBatch stores the recipients of a Batch in steps, and starts its sending at the send time.
type PrepareBatch struct {
	Batch   enlist.BatchID   `json:"batch_id"`
	Account enlist.AccountID `json:"account_id"`
	Due     int64            `json:"due"` // when the job may start; 0: at once
}

// Owner returns the Account whose places the job takes.
func (p PrepareBatch) Owner() enlist.AccountID { return p.Account }

// Kind implements Effect.
func (PrepareBatch) Kind() string { return "prepare_batch" }

// DueTime returns when the job may start.
func (p PrepareBatch) DueTime() int64 { return p.Due }

// RemoveBatch removes the recipients of a deleted Batch, in steps, and then the Batch.
type RemoveBatch struct {
	Batch enlist.BatchID `json:"batch_id"`
}

// Kind implements Effect.
func (RemoveBatch) Kind() string { return "remove_batch" }
