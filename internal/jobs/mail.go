package jobs

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"enlist/internal/audience"
	"enlist/internal/limiter"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// This file has the worker for mail. It limits the mails in memory, chooses the times of further
// attempts, and turns a failure into a result of the job. mail_workers.go has the three kinds of
// mail. In package audience, delivery_prepare.go decides whether a mail is still wanted.

// mailSender has the fields that the workers for mail share. All of them use the same slots.
type mailSender struct {
	service *audience.Service
	mailer  Mailer
	slots   *limiter.Limiter // one for each mail that is composed and sent
}

// mailWorker works the jobs of one kind of mail.
type mailWorker[E river.JobArgs] struct {
	river.WorkerDefaults[E]
	mailSender
	send func(context.Context, mailSender, *river.Job[E]) error
}

// Work implements river.Worker. It waits for a slot before the mail is loaded.
func (w *mailWorker[E]) Work(ctx context.Context, job *river.Job[E]) error {
	release, err := w.slots.Acquire(ctx)
	if err != nil {
		return jobResult(ctx, audience.ErrSendingPaused)
	}
	defer release()
	return w.send(ctx, w.mailSender, job)
}

// NextRetry implements river.Worker.
func (*mailWorker[E]) NextRetry(job *river.Job[E]) time.Time { return nextAttempt(job.Attempt) }

const (
	// defaultMails is how many mails are composed and sent at once. Hundreds of large mails
	// for a slow mail server would fill the memory. Many more jobs run, so that no fetch is
	// needed between two mails; a job that waits for a slot has not loaded its mail.
	defaultMails = 16

	// slotTime is how long a job waits for a slot before it goes back to the queue.
	slotTime = 20 * time.Second
)

// retryDelays are the waits before a mail is tried again. The last one repeats until
// audience.Attempts are used up, a day after the first attempt. decisions.md: 50
var retryDelays = [...]time.Duration{
	2 * time.Second, 10 * time.Second, 40 * time.Second,
	3 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour,
}

// nextAttempt returns the time of the next attempt. It varies the delay at random by a tenth,
// so that mails that failed at the same time are not retried at the same time.
func nextAttempt(attempt int) time.Time {
	wait := retryDelays[min(max(attempt, 1), len(retryDelays))-1]
	return time.Now().Add(wait*9/10 + rand.N(wait/5))
}

// pausedSnooze is how long a mail waits in the queue when the mail server does not answer.
const pausedSnooze = 5 * time.Second

// jobResult turns an error of sending into the result of the job. A mail that was not tried, or
// interrupted, goes back to the queue without using up an attempt. A mail that cannot succeed
// is cancelled, which keeps the job. Any other error leads to another attempt.
func jobResult(ctx context.Context, err error) error {
	why, _ := errors.AsType[*audience.Undelivered](err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, audience.ErrSendingPaused):
		return river.JobSnooze(pausedSnooze)
	case errors.Is(ctx.Err(), context.Canceled): // the process stops
		return river.JobSnooze(0)
	case why != nil && why.Permanent:
		return river.JobCancel(err)
	}
	return err
}

// sendToContact sends a mail to a Contact and stores the result. mail and err are the results of
// a method of Service. A nil mail means that there is nothing to send.
func (m mailSender) sendToContact(ctx context.Context, job *rivertype.JobRow, mail *audience.OutgoingMail,
	err error) error {
	if err != nil || mail == nil {
		return err
	}
	// Results are stored even when the process stops: else the mail would be sent again.
	storeCtx := context.WithoutCancel(ctx)
	subject, err := m.mailer.Send(ctx, mail)
	if err == nil {
		return m.service.RecordSent(storeCtx, mail, subject)
	}
	why, known := errors.AsType[*audience.Undelivered](err)
	if known && (why.Permanent || job.Attempt >= job.MaxAttempts) {
		if err := m.service.RecordNotSent(storeCtx, mail, why); err != nil {
			return err
		}
	}
	return jobResult(ctx, err)
}
