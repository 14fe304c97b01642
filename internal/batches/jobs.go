package batches

import "enlist/internal/enlist"

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
