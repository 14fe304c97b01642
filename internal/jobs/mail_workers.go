package jobs

import (
	"context"
	"strconv"
	"time"

	"enlist/internal/events"
	"enlist/internal/messages"

	"github.com/riverqueue/river"
)

// This file has the four kinds of mail. Each function is the value of mailWorker.send (mail.go) for
// one kind.

// sendNotification sends a notification about a Contact to one of the List's addresses. It does
// not store the result, because a notification is not a mail to a Contact.
func sendNotification(ctx context.Context, m mailSender, job *river.Job[events.Notify], _ func()) error {
	n, err := m.notifications.do(ctx, job.Args)
	if err != nil || n == nil {
		return err
	}
	// The Message-ID is derived from id. The ID of the job is not enough, because SQLite can use
	// the same ID again for another job.
	id := strconv.FormatInt(job.ID, 10) + " " + job.CreatedAt.UTC().Format(time.RFC3339Nano)
	return jobResult(ctx, m.mailer.Notify(ctx, id, n))
}

// sendConfirmation sends a Contact the mail that asks the Contact to confirm the subscription.
func sendConfirmation(ctx context.Context, m mailSender, job *river.Job[events.RequestConfirmation],
	release func()) error {
	mail, err := m.service.Messages.ConfirmationMail(ctx, job.Args)
	if err != nil || mail == nil {
		return err
	}
	return m.sendToContact(ctx, job.JobRow, mail, release)
}

// sendAutoresponder sends an autoresponder's Message to one Contact.
func sendAutoresponder(ctx context.Context, m mailSender, job *river.Job[events.Autorespond],
	release func()) error {
	// The queue started the job when it was due, but the clock may have been set back after that.
	if early := m.service.Messages.Until(job.Args.Due); early > 0 {
		return river.JobSnooze(early)
	}
	mail, err := m.autoresponders.do(ctx, job.Args)
	if err != nil || mail == nil {
		return err
	}
	return m.sendToContact(ctx, job.JobRow, mail, release)
}

// sendTest sends a Message to an address of the caller. It does not store the result, because this is not
// a mail to a Contact.
func sendTest(ctx context.Context, m mailSender, job *river.Job[messages.SendTest], _ func()) error {
	mail, err := m.service.Messages.TestMail(ctx, job.Args)
	if err != nil || mail == nil {
		return err
	}
	_, err = m.mailer.Send(ctx, mail)
	return jobResult(ctx, err)
}
