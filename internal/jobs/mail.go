package jobs

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// mails is what workers have that send.
type mails struct {
	service *audience.Service
	mailer  Mailer
	turns   chan struct{} // one for each mail that may be at work
}

// mailing is a worker that sends, but for its Work.
type mailing[E river.JobArgs] struct {
	river.WorkerDefaults[E]
	mails
}

// NextRetry implements river.Worker.
func (mailing[E]) NextRetry(job *river.Job[E]) time.Time { return nextTry(job.Attempt) }

const (
	// defaultMails is how many mails are at work at once. There are more jobs, so
	// that the next ones need not be fetched first, but they hold no contents:
	// hundreds of large mails before a slow mail server would fill the memory.
	defaultMails = 16

	// turnTime is how long a job waits for its turn before it is put back.
	turnTime = 20 * time.Second
)

// turn waits until a mail may be loaded and sent. leave must follow.
func (m mails) turn(ctx context.Context) (leave func(), err error) {
	timer := time.NewTimer(turnTime)
	defer timer.Stop()
	select {
	case m.turns <- struct{}{}:
		return func() { <-m.turns }, nil
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil, outcome(ctx, audience.ErrSendingPaused)
}

// retries are the waits before a mail is tried again; the last one repeats until
// audience.Attempts are used up, a day after the first. decisions.md: 50
var retries = [...]time.Duration{
	2 * time.Second, 10 * time.Second, 40 * time.Second,
	3 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour,
}

// nextTry returns when a mail that failed is tried again: up to a tenth sooner
// or later, so that what failed together does not come back together.
func nextTry(attempt int) time.Time {
	wait := retries[min(max(attempt, 1), len(retries))-1]
	return time.Now().Add(wait*9/10 + rand.N(wait/5))
}

// pauseNap is how long a mail is put back while the mail server does not answer.
const pauseNap = 5 * time.Second

// outcome turns an error of sending into what the queue does with the job: one
// that was not tried, or interrupted, is put back, one that trying again cannot
// help is kept aside, every other is tried again.
func outcome(ctx context.Context, err error) error {
	switch why, _ := errors.AsType[*audience.Undelivered](err); {
	case err == nil:
		return nil
	case errors.Is(err, audience.ErrSendingPaused):
		return river.JobSnooze(pauseNap)
	case errors.Is(ctx.Err(), context.Canceled): // the process stops
		return river.JobSnooze(0)
	case why != nil && why.Permanent:
		return river.JobCancel(err)
	}
	return err
}

// sendLetter sends a letter, if there is one to be sent, and records what became of it.
func sendLetter[E river.JobArgs](ctx context.Context, m mails, job *river.Job[E], l *audience.OutgoingMail, err error) error {
	if err != nil || l == nil {
		return err
	}
	subject, err := m.mailer.Send(ctx, l)
	if err == nil {
		// Recorded even when the process stops: else it would be sent again.
		return m.service.RecordSent(context.WithoutCancel(ctx), l, subject)
	}
	why, known := errors.AsType[*audience.Undelivered](err)
	if known && (why.Permanent || job.Attempt >= job.MaxAttempts) {
		if err := m.service.RecordNotSent(context.WithoutCancel(ctx), l, why); err != nil {
			return err
		}
	}
	return outcome(ctx, err)
}
