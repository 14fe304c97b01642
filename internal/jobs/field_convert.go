package jobs

import (
	"context"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// This file has the worker that converts the values of a Field after its type has changed.

// convertField stores a Field's values in the form of its new type.
type convertField struct {
	river.WorkerDefaults[audience.ConvertField]
	stepper
}

// Work implements river.Worker.
func (w *convertField) Work(ctx context.Context, job *river.Job[audience.ConvertField]) error {
	at := job.Args
	return w.runSteps(ctx, func() (audience.Effect, error) {
		next, done, err := w.service.ConvertField(ctx, at)
		if done || err != nil {
			return nil, err
		}
		at = next
		return next, nil
	})
}
