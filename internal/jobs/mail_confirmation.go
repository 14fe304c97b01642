package jobs

import (
	"context"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// askToConfirm sends one Contact the request to confirm a subscription.
type askToConfirm struct {
	mailing[audience.RequestConfirmation]
}

// Work implements river.Worker.
func (w *askToConfirm) Work(ctx context.Context, job *river.Job[audience.RequestConfirmation]) error {
	leave, err := w.turn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	l, err := w.service.ConfirmationMail(ctx, job.Args)
	return sendLetter(ctx, w.mails, job, l, err)
}
