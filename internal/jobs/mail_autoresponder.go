package jobs

import (
	"context"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// This file has the worker for autoresponders, one of the three mail workers (mail.go).

// sendAutoresponder sends an autoresponder's Message to one Contact.
type sendAutoresponder struct {
	mailWorker[audience.Autorespond]
}

// Work implements river.Worker.
func (w *sendAutoresponder) Work(ctx context.Context, job *river.Job[audience.Autorespond]) error {
	// The queue started the job at its time, but the clock may have been set back since.
	if early := w.service.Until(job.Args.Due); early > 0 {
		return river.JobSnooze(early)
	}
	release, err := w.acquireSlot(ctx)
	if err != nil {
		return err
	}
	defer release()
	mail, err := w.service.AutoresponderMail(ctx, job.Args)
	return sendMail(ctx, w.mailSender, job, mail, err)
}
