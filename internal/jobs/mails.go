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
	case errors.Is(err, audience.ErrPaused):
		return river.JobSnooze(pauseNap)
	case errors.Is(ctx.Err(), context.Canceled): // the process stops
		return river.JobSnooze(0)
	case why != nil && why.Permanent:
		return river.JobCancel(err)
	}
	return err
}

// sendLetter sends a letter, if there is one to be sent, and records what became of it.
func sendLetter[E river.JobArgs](ctx context.Context, m mails, job *river.Job[E], l *audience.Letter, err error) error {
	if err != nil || l == nil {
		return err
	}
	subject, err := m.mailer.Send(ctx, l)
	if err == nil {
		// Recorded even when the process stops: else it would be sent again.
		return m.service.Sent(context.WithoutCancel(ctx), l, subject)
	}
	why, known := errors.AsType[*audience.Undelivered](err)
	if known && (why.Permanent || job.Attempt >= job.MaxAttempts) {
		if err := m.service.NotSent(context.WithoutCancel(ctx), l, why); err != nil {
			return err
		}
	}
	return outcome(ctx, err)
}
