package jobs

import (
	"context"

	"enlist/internal/batches"

	"github.com/riverqueue/river"
)

// This file has the jobs of Batches: PrepareBatch stores the recipients and starts the sending, and
// RemoveBatch removes a deleted Batch. The mails are not jobs: batch_sender.go sends them.

// batchQueue returns the configuration of the queue that prepares Batches. It has several workers,
// so that a Batch with a million recipients does not delay others.
func batchQueue() river.QueueConfig {
	return river.QueueConfig{MaxWorkers: 4}
}

// prepareStep returns the step of the jobs PrepareBatch. When a Batch begins to send, it wakes the
// sender of this process. The senders of other processes look for slices regularly.
func prepareStep(o Options) func(context.Context, batches.PrepareBatch) (batches.PrepareBatch, bool, error) {
	return func(ctx context.Context, e batches.PrepareBatch) (batches.PrepareBatch, bool, error) {
		done, sending, err := o.Service.Sending.PrepareBatch(ctx, e)
		if sending && o.Batches != nil {
			o.Batches.Wake()
		}
		return e, done, err
	}
}

// removeStep is the step of the jobs RemoveBatch.
func removeStep(o Options) func(context.Context, batches.RemoveBatch) (batches.RemoveBatch, bool, error) {
	return func(ctx context.Context, e batches.RemoveBatch) (batches.RemoveBatch, bool, error) {
		done, err := o.Service.Batches.RemoveBatch(ctx, e)
		return e, done, err
	}
}
