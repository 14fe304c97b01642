package jobs

import (
	"context"
	"strconv"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// This file has the three kinds of mail: each function is the send of a mailWorker (mail.go).

// sendNotification tells one address of a List about one Contact. The result is not stored,
// because a notification is not a mail to a Contact.
func sendNotification(ctx context.Context, m mailSender, job *river.Job[audience.Notify]) error {
	n, err := m.service.Notification(ctx, job.Args)
	if err != nil || n == nil {
		return err
	}
	// The Message-ID is made from this. A job's ID alone is not enough: SQLite may reuse it.
	id := strconv.FormatInt(job.ID, 10) + " " + job.CreatedAt.UTC().Format(time.RFC3339Nano)
	return jobResult(ctx, m.mailer.Notify(ctx, id, n))
}

// sendConfirmation sends a Contact the request to confirm a subscription.
func sendConfirmation(ctx context.Context, m mailSender, job *river.Job[audience.RequestConfirmation]) error {
	mail, err := m.service.ConfirmationMail(ctx, job.Args)
	return m.sendToContact(ctx, job.JobRow, mail, err)
}

// sendAutoresponder sends an autoresponder's Message to one Contact.
func sendAutoresponder(ctx context.Context, m mailSender, job *river.Job[audience.Autorespond]) error {
	// The queue started the job at its time, but the clock may have been set back since.
	if early := m.service.Until(job.Args.Due); early > 0 {
		return river.JobSnooze(early)
	}
	mail, err := m.service.AutoresponderMail(ctx, job.Args)
	return m.sendToContact(ctx, job.JobRow, mail, err)
}
