package jobs

import (
	"context"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// This file has the worker that removes the values of a Field after the Field was deleted.

// deleteFieldValues removes the values of a deleted Field from Contacts.
type deleteFieldValues struct {
	river.WorkerDefaults[audience.DeleteFieldValues]
	stepper
}

// Work implements river.Worker.
func (w *deleteFieldValues) Work(ctx context.Context, job *river.Job[audience.DeleteFieldValues]) error {
	at := job.Args
	return w.runSteps(ctx, func() (audience.Effect, error) {
		next, done, err := w.service.DeleteFieldValues(ctx, at)
		if done || err != nil {
			return nil, err
		}
		at = next
		return next, nil
	})
}
