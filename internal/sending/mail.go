package sending

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"enlist/internal/db"
	"enlist/internal/events"
	"enlist/internal/limiter"
	"enlist/internal/messages"
)

// This file sends the mails that are jobs. It limits the mails in memory, chooses the times of further
// attempts, and converts a failure into a result of the job. mail_kinds.go has the kinds of mail.
// messages/prepare.go decides whether a mail must still be sent.

// MailSender sends all mails but those of Batches. Each of its methods in mail_kinds.go does the
// work of one kind of job. They use the same slots.
type MailSender struct {
	service *Service
	mailer  Mailer
	slots   *limiter.Limiter // a mail needs a slot while it is composed and sent
	hold    *holdWatch

	// Jobs that wait for the database share the next transaction.
	notifications  *grouper[events.Notify, *messages.Notification]
	autoresponders *grouper[events.Autorespond, *messages.OutgoingMail]
	results        *grouper[messages.Delivery, struct{}]
}

// NewMailSender returns a MailSender. It uses o.Mailer, o.Slots and o.Log.
func (s *Service) NewMailSender(o SenderOptions) *MailSender {
	record := func(ctx context.Context, sent []messages.Delivery) ([]struct{}, error) {
		return make([]struct{}, len(sent)), s.RecordSent(ctx, sent)
	}
	return &MailSender{service: s, mailer: o.Mailer, slots: cmp.Or(o.Slots, NewSlots(defaultMails)),
		hold:           &holdWatch{service: s, log: o.Log},
		notifications:  &grouper[events.Notify, *messages.Notification]{run: s.messages.Notifications},
		autoresponders: &grouper[events.Autorespond, *messages.OutgoingMail]{run: s.messages.AutoresponderMails},
		results:        &grouper[messages.Delivery, struct{}]{run: record}}
}

// NewSlots returns the limit of the mails that are in memory at the same time. The MailSender and the BatchSender of a
// process share it.
func NewSlots(mails int) *limiter.Limiter { return limiter.New(mails, slotTime) }

// inSlot calls send as soon as the job has a slot, before it loads the mail. send calls release when the mail is not in
// memory any more.
func (m *MailSender) inSlot(ctx context.Context, j db.Job, send func(release func()) error) error {
	release, err := m.slots.Acquire(ctx)
	if err != nil {
		return db.Later(pausedWait)
	}
	release = sync.OnceFunc(release)
	defer release()
	if m.hold.isHeld(ctx) {
		return db.Later(pausedWait)
	}
	return jobResult(j, send(release))
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

	// pausedWait is the time that a mail waits in the queue while sending is paused.
	pausedWait = 5 * time.Second
)

// retryDelays has the delay after each failed attempt to send a mail. The last delay repeats until
// the number of attempts is db.Attempts. All attempts take about a day.
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

// jobResult converts an error of sending into the result of the job. A job whose mail was not tried waits, and a job
// whose mail can never be sent is kept. After any other error there is another attempt.
func jobResult(j db.Job, err error) error {
	_, decided := errors.AsType[db.Later](err)
	why, _ := errors.AsType[*messages.Undelivered](err)
	switch {
	case err == nil || decided:
		return err
	case errors.Is(err, ErrSendingPaused):
		return db.Later(pausedWait)
	case why != nil && why.Permanent:
		return &db.Final{Err: err}
	}
	return &db.Retry{Err: err, After: retryDelay(j.Attempt)}
}

// sendToContact sends a mail to a Contact and stores the result. It calls release after the mail was sent.
func (m *MailSender) sendToContact(ctx context.Context, j db.Job, mail *messages.OutgoingMail, release func()) error {
	// The result is stored even while the process stops. Otherwise the mail would be sent again.
	storeCtx := context.WithoutCancel(ctx)
	subject, err := m.mailer.Send(ctx, mail)
	if err == nil {
		sent := m.service.Sent(mail, subject)
		release()
		_, err := m.results.do(storeCtx, sent)
		return err
	}
	why, known := errors.AsType[*messages.Undelivered](err)
	if known && (why.Permanent || j.Attempt >= j.MaxAttempts) {
		stored := m.service.RecordNotSent(storeCtx, mail, why)
		if stored != nil || why.Permanent && why.Recipient {
			return stored // a refused address is a bounce, and no failure of the job
		}
	}
	return err
}
