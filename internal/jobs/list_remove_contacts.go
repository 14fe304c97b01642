package jobs

import (
	"context"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// This file has the worker that empties a List in the background, since a List may have millions of Contacts.

// removeContacts removes the Contacts of a List that was cleared or deleted.
type removeContacts struct {
	river.WorkerDefaults[audience.RemoveContacts]
	stepper
}

// Work implements river.Worker.
func (w *removeContacts) Work(ctx context.Context, job *river.Job[audience.RemoveContacts]) error {
	return w.runSteps(ctx, func() (audience.Effect, error) {
		done, err := w.service.RemoveContacts(ctx, job.Args)
		if done || err != nil {
			return nil, err
		}
		return job.Args, nil // the next step removes the first Contacts that are left
	})
}
