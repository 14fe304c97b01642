package jobs

import (
	"context"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// forgetField removes what Contacts hold of a deleted Field.
type forgetField struct {
	river.WorkerDefaults[audience.DeleteFieldValues]
	base
}

// Work implements river.Worker.
func (w *forgetField) Work(ctx context.Context, job *river.Job[audience.DeleteFieldValues]) error {
	at := job.Args
	return w.inTurns(ctx, func() (audience.Effect, error) {
		next, done, err := w.service.ForgetField(ctx, at)
		if done || err != nil {
			return nil, err
		}
		at = next
		return next, nil
	})
}
