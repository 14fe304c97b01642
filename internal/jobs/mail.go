package jobs

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"enlist/internal/audience"
	"enlist/internal/limiter"

	"github.com/riverqueue/river"
)

// This file has the code that the three workers for mail share: the limit on mails in memory, the times
// of further attempts, and the effect of a failure on the job. The workers are in the other
// files mail_*.go; whether a mail is still wanted is decided in audience/delivery_prepare.go.

// mailSender has the fields that the workers for mail share. All of them use the same slots.
type mailSender struct {
	service *audience.Service
	mailer  Mailer
	slots   *limiter.Limiter // one for each mail that is composed and sent
}

// mailWorker is a worker for mail without its method Work.
type mailWorker[E river.JobArgs] struct {
	river.WorkerDefaults[E]
	mailSender
}

// NextRetry implements river.Worker.
func (mailWorker[E]) NextRetry(job *river.Job[E]) time.Time { return nextAttempt(job.Attempt) }

const (
	// defaultMails is how many mails are composed and sent at once. Many more jobs are
	// running, so that no fetch is needed between two mails, but those that wait for a slot
	// hold no contents. Hundreds of large mails for a slow mail server would fill the memory.
	defaultMails = 16

	// slotTime is how long a job waits for a slot before it goes back to the queue.
	slotTime = 20 * time.Second
)

// acquireSlot waits until a mail may be loaded and sent. The caller must call release.
func (m mailSender) acquireSlot(ctx context.Context) (release func(), err error) {
	release, err = m.slots.Acquire(ctx)
	if err != nil {
		err = jobResult(ctx, audience.ErrSendingPaused)
	}
	return release, err
}

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

// sendMail sends a mail to a Contact and stores the result. It takes what a method of Service
// returned: a nil mail means that there is nothing to send.
func sendMail[E river.JobArgs](ctx context.Context, m mailSender, job *river.Job[E],
	mail *audience.OutgoingMail, err error) error {
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
