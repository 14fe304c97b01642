package jobs

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"enlist/internal/app"
	"enlist/internal/events"
	"enlist/internal/limiter"
	"enlist/internal/messages"
	"enlist/internal/sending"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// This file has the worker for mail. It limits the mails in memory, chooses the times of further
// attempts, and converts a failure into a result of the job. mail_workers.go has the four kinds
// of mail. In package app, delivery_prepare.go decides whether a mail must still be sent.

// mailSender has the fields that the workers for mail share. All workers use the same slots.
type mailSender struct {
	service *app.App
	mailer  Mailer
	slots   *limiter.Limiter // a mail needs a slot while it is composed and sent
	hold    *holdWatch

	// Workers that wait for the database share the next transaction.
	notifications  *grouper[events.Notify, *messages.Notification]
	autoresponders *grouper[events.Autorespond, *messages.OutgoingMail]
	results        *grouper[messages.Delivery, struct{}]
}

// newMailSender returns the mailSender for the settings.
func newMailSender(o Options) mailSender {
	record := func(ctx context.Context, sent []messages.Delivery) ([]struct{}, error) {
		return make([]struct{}, len(sent)), o.Service.Sending.RecordSent(ctx, sent)
	}
	return mailSender{service: o.Service, mailer: o.Mailer, slots: cmp.Or(o.Slots, NewSlots(defaultMails)),
		hold:           &holdWatch{service: o.Service, log: o.Log},
		notifications:  &grouper[events.Notify, *messages.Notification]{run: o.Service.Messages.Notifications},
		autoresponders: &grouper[events.Autorespond, *messages.OutgoingMail]{run: o.Service.Messages.AutoresponderMails},
		results:        &grouper[messages.Delivery, struct{}]{run: record}}
}

// mailWorker runs the jobs of one kind of mail.
type mailWorker[E river.JobArgs] struct {
	river.WorkerDefaults[E]
	mailSender
	// send calls release when the mail is not in memory any more.
	send func(ctx context.Context, m mailSender, job *river.Job[E], release func()) error
}

// Work implements river.Worker. It waits for a slot before it loads the mail.
func (w *mailWorker[E]) Work(ctx context.Context, job *river.Job[E]) error {
	release, err := w.slots.Acquire(ctx)
	if err != nil {
		return jobResult(ctx, sending.ErrSendingPaused)
	}
	release = sync.OnceFunc(release)
	defer release()
	if w.hold.isHeld(ctx) {
		return jobResult(ctx, sending.ErrSendingPaused)
	}
	return w.send(ctx, w.mailSender, job, release)
}

// NextRetry implements river.Worker.
func (*mailWorker[E]) NextRetry(job *river.Job[E]) time.Time {
	return time.Now().Add(retryDelay(job.Attempt))
}

const (
	// defaultMails is the default number of mails that are composed and sent at the same time.
	// With hundreds of large mails and a slow mail server, the process would run out of memory.
	// The queue starts many more jobs, and most of them wait for a slot. So when a slot becomes
	// free, the next mail needs no fetch of jobs. A job that waits for a slot has not loaded its
	// mail.
	defaultMails = 16

	// slotTime is the longest time that a job waits for a slot. After this time the job goes back
	// to the queue.
	slotTime = 20 * time.Second
)

// retryDelays has the delay after each failed attempt to send a mail. The last delay repeats until
// the number of attempts is db.Attempts. All attempts take about a day. decisions.md: 50
var retryDelays = [...]time.Duration{
	2 * time.Second, 10 * time.Second, 40 * time.Second,
	3 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour,
}

// retryDelay returns the delay before the next attempt. attempt is the number of attempts that failed.
// retryDelay changes the delay at random by up to 10 %. So mails that failed at the same time are
// not retried at the same time.
func retryDelay(attempt int) time.Duration {
	wait := retryDelays[min(max(attempt, 1), len(retryDelays))-1]
	return wait*9/10 + rand.N(wait/5)
}

// pausedSnooze is the time that a mail waits in the queue while sending is paused.
const pausedSnooze = 5 * time.Second

// jobResult converts an error of sending into the result of the job. The job goes back to the
// queue if sending was not tried, or was interrupted because the process stops. The queue does not
// count such a run as an attempt. A job whose mail can never be sent is cancelled, but not
// deleted. After any other error the queue retries the job.
func jobResult(ctx context.Context, err error) error {
	why, _ := errors.AsType[*messages.Undelivered](err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sending.ErrSendingPaused):
		return river.JobSnooze(pausedSnooze)
	case errors.Is(ctx.Err(), context.Canceled): // the process stops
		return river.JobSnooze(0)
	case why != nil && why.Permanent:
		return river.JobCancel(err)
	}
	return err
}

// sendToContact sends a mail to a Contact and stores the result. It calls release after the mail was sent.
func (m mailSender) sendToContact(ctx context.Context, job *rivertype.JobRow, mail *messages.OutgoingMail,
	release func()) error {
	// The result is stored even while the process stops. Otherwise the mail would be sent again.
	storeCtx := context.WithoutCancel(ctx)
	subject, err := m.mailer.Send(ctx, mail)
	if err == nil {
		sent := m.service.Sending.Sent(mail, subject)
		release()
		_, err := m.results.do(storeCtx, sent)
		return err
	}
	why, known := errors.AsType[*messages.Undelivered](err)
	if known && (why.Permanent || job.Attempt >= job.MaxAttempts) {
		if err := m.service.Sending.RecordNotSent(storeCtx, mail, why); err != nil {
			return err
		}
	}
	return jobResult(ctx, err)
}
