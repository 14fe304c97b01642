package jobs

import (
	"context"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// This file has the worker for requests to confirm a subscription, one of the three mail workers (mail.go).

// sendConfirmation sends a Contact the request to confirm a subscription.
type sendConfirmation struct {
	mailWorker[audience.RequestConfirmation]
}

// Work implements river.Worker.
func (w *sendConfirmation) Work(ctx context.Context, job *river.Job[audience.RequestConfirmation]) error {
	release, err := w.acquireSlot(ctx)
	if err != nil {
		return err
	}
	defer release()
	mail, err := w.service.ConfirmationMail(ctx, job.Args)
	return sendMail(ctx, w.mailSender, job, mail, err)
}
