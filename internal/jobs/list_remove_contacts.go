package jobs

import (
	"context"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// removeContacts empties a List that was cleared or deleted.
type removeContacts struct {
	river.WorkerDefaults[audience.RemoveContacts]
	base
}

// Work implements river.Worker.
func (w *removeContacts) Work(ctx context.Context, job *river.Job[audience.RemoveContacts]) error {
	return w.inTurns(ctx, func() (audience.Effect, error) {
		done, err := w.service.RemoveContacts(ctx, job.Args)
		if done || err != nil {
			return nil, err
		}
		return job.Args, nil // what was removed is gone: the same again is what is left
	})
}
