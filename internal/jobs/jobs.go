// Package jobs runs the effects of changes in the background: it sends mail, posts webhooks, and
// does long work on Lists. The transaction that makes a change also stores an db.Effect as a
// job. Each kind of effect has its own queue. A worker of package jobqueue runs the job later, at least
// once.
//
// Config decides for which kinds of jobs this process has workers. A job of another kind stays in
// its queue until a process has a worker for it. A job for a long change of a List ends after
// runTime, and enqueues another job for the rest of the change. If a process dies, another process
// continues its jobs.
//
// The work itself is in the packages of the subjects: functions that know nothing of the queue. jobs.go registers them,
// worker.go has their work. The sender of Batches (sending.BatchSender) is no job. The command `enlist jobs`
// and `enlist doctor` use queue_admin.go. periodic.go
// does what each process repeats, such as the removal of old rows: no jobs.
package jobs

import (
	"context"
	"log/slog"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/db/jobqueue"
	"enlist/internal/limiter"
	"enlist/internal/privacy"
	"enlist/internal/sending"
	"enlist/internal/webhooks"
)

const (
	// timeout is the longest time of a job. The queue cancels the job after this time. For a mail, timeout is longer
	// than the wait for a slot (sending.NewSlots) and the time limits of package mail together. If a process that had no
	// token (db.Presence) died, the queue retries its jobs after rescueAfter. rescueAfter must be longer than timeout,
	// because otherwise the queue could start a job that still runs.
	timeout     = 105 * time.Second
	rescueAfter = 2 * time.Minute

	// cancelledRetention is the time after which a cancelled job is deleted. Until then the
	// operator can retry a mail that was refused permanently. Jobs that failed in all attempts are kept: the operator can
	// list and retry them.
	cancelledRetention = 30 * 24 * time.Hour
)

// Options has the settings of the workers and the objects that they use.
type Options struct {
	Service *app.App
	Store   db.Engine
	Mailer  sending.Mailer
	Slots   *limiter.Limiter     // of sending.NewSlots; nil: 16 slots
	Batches *sending.BatchSender // nil if this process does not send Batches
	Poster  webhooks.Poster      // nil if this process does not post webhooks
	Log     *slog.Logger
}

// Config returns the configuration of a client of the queue, with the workers of this process. The client runs jobs
// after its method Start was called.
func Config(o Options) *jobqueue.Config {
	q := make(registry)
	q.addLongChanges(o)
	add(q, sharedQueue(), shared(o.Service.Imports.RunJob))
	m := o.Service.Sending.NewMailSender(sending.SenderOptions{Mailer: o.Mailer, Slots: o.Slots, Log: o.Log})
	add(q, serialQueue(), o.Service.Batches.ForgetTracking)
	add(q, mailQueue(), m.Notify)
	add(q, mailQueue(), m.Confirm)
	add(q, mailQueue(), m.SendLink)
	add(q, mailQueue(), m.Autorespond)
	add(q, mailQueue(), m.Test)
	add(q, serialQueue(), o.Service.Users.MailPasswordLink)
	add(q, serialQueue(), o.Service.Users.MailNote)
	add(q, serialQueue(), o.Service.Users.MailInvited)
	add(q, serialQueue(), o.Service.Users.MailApproval)
	if o.Poster != nil {
		add(q, webhookQueue(), o.Service.Webhooks.NewSender(o.Poster).Deliver)
	}
	return &jobqueue.Config{Queues: q, Timeout: timeout, RescueAfter: rescueAfter, KeepCancelled: cancelledRetention,
		Log: o.Log}
}

// addLongChanges adds the workers for changes in steps.
func (q registry) addLongChanges(o Options) {
	s := o.Service
	addSteps(q, serialQueue(), o.Store, repeated(s.Contacts.RemoveContacts)) // each step removes the next Contacts
	addSteps(q, serialQueue(), o.Store, repeated(s.Contacts.MakeChange))
	addSteps(q, serialQueue(), o.Store, repeated(s.Contacts.CopyContacts))
	addSteps(q, serialQueue(), o.Store, s.Contacts.ShareTracking)
	addSteps(q, serialQueue(), o.Store, s.Contacts.DeleteFieldValues)
	addSteps(q, serialQueue(), o.Store, s.Contacts.ConvertField)
	prepare := repeated(func(ctx context.Context, e batches.PrepareBatch) (bool, error) {
		done, sends, err := s.Sending.PrepareBatch(ctx, e)
		if sends && o.Batches != nil {
			o.Batches.Wake() // the senders of other processes look for slices regularly
		}
		return done, err
	})
	add(q, sharedQueue(), shared(inSteps(o.Store, prepare)))
	addSteps(q, serialQueue(), o.Store, repeated(s.Batches.RemoveBatch))
	addSteps(q, serialQueue(), o.Store, repeated(s.Files.RemoveContent))
	addSteps(q, serialQueue(), o.Store, repeated(s.Imports.RemoveImportResults))
	addSteps(q, serialQueue(), o.Store, func(ctx context.Context, e privacy.ApplyRetention) (
		privacy.ApplyRetention, bool, error) {
		rest, done, err := s.Privacy.ApplyRetention(ctx, e)
		if done && rest.Events+rest.Deliveries+rest.Audit > 0 {
			o.Log.Info("removed old data", "account", rest.Account, "events", rest.Events,
				"deliveries", rest.Deliveries, "audit", rest.Audit)
		}
		return rest, done, err
	})
}

// serialQueue returns the configuration of a queue whose jobs run one after another.
func serialQueue() jobqueue.Queue { return jobqueue.Queue{Workers: 1} }

// sharedQueue returns the configuration of the queues of Imports and of the preparation of Batches, which take long. It
// has many more workers than slots (shared), so that one fetch also takes jobs of other Accounts.
func sharedQueue() jobqueue.Queue { return jobqueue.Queue{Workers: 16 * heavySlots} }

// mailQueue returns the configuration of a queue for mail. Each fetch of jobs is one transaction.
// To need few fetches, the queue has many workers, and one fetch takes jobs for all free workers.
func mailQueue() jobqueue.Queue {
	return jobqueue.Queue{Workers: 200, Pause: 20 * time.Millisecond, Private: true}
}

// webhookQueue returns the configuration of the queue for webhooks. It has many workers, because a
// slow receiver occupies a worker for up to 10 s. webhooks.Sender shares them between the targets.
func webhookQueue() jobqueue.Queue { return jobqueue.Queue{Workers: webhooks.Slots} }

// registry has the queues of this process, by the kind of their jobs.
type registry map[string]jobqueue.Queue

// add registers the work of one kind of jobs, and the queue for them.
func add[E db.Effect](q registry, queue jobqueue.Queue, do work[E]) {
	var kind E
	queue.Work = do.run
	q[kind.Kind()] = queue
}

// addSteps registers a long change.
func addSteps[E db.Effect](q registry, queue jobqueue.Queue, store db.Engine,
	step func(context.Context, E) (E, bool, error)) {
	add(q, queue, inSteps(store, step))
}
