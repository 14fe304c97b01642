package jobs

import (
	"context"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// autorespond sends an autoresponder's Message to one Contact.
type autorespond struct{ mailing[audience.Autorespond] }

// Work implements river.Worker.
func (w *autorespond) Work(ctx context.Context, job *river.Job[audience.Autorespond]) error {
	// The queue goes by the clock too, but it may have been set back since.
	if early := w.service.Until(job.Args.Due); early > 0 {
		return river.JobSnooze(early)
	}
	leave, err := w.turn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	l, err := w.service.AutoresponderMail(ctx, job.Args)
	return sendLetter(ctx, w.mails, job, l, err)
}
