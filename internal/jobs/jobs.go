// Package jobs runs the effects of changes in the background: it sends mail, posts webhooks, and
// does long work on Lists. The transaction that makes a change also stores an db.Effect as a
// job. Each kind of effect has its own queue. A worker of this package runs the job later, at least
// once. The queue library is riverqueue/river.
//
// Config decides for which kinds of jobs this process has workers. A job of another kind stays in
// its queue until a process has a worker for it. A job for a long change of a List ends after
// runTime, and enqueues another job for the rest of the change. If a process dies, another process
// continues its jobs.
//
// The work itself is in the packages of the subjects: functions that know nothing of the queue. jobs.go registers them,
// worker.go runs them. The sender of Batches (sending.BatchSender) is no job. The command `enlist jobs`
// and `enlist doctor` use queue_admin.go. log.go filters the log of the queue library. periodic.go
// does what each process repeats, such as the removal of old rows: no jobs.
package jobs

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/limiter"
	"enlist/internal/privacy"
	"enlist/internal/sending"
	"enlist/internal/webhooks"

	"github.com/riverqueue/river"
)

const (
	// timeout is the longest time of a job. The queue cancels the job after this time. For a mail, timeout is longer
	// than the wait for a slot (sending.NewSlots) and the time limits of package mail together. If a process that had no
	// token (db.Presence) died, the queue retries its jobs after rescueAfter. rescueAfter must be longer than timeout,
	// because otherwise the queue could start a job that still runs.
	timeout     = 105 * time.Second
	rescueAfter = 2 * time.Minute

	// pollInterval is the time between two polls of a queue for jobs. The store notifies the workers of
	// new jobs, and of jobs that become due. So polls find only jobs whose notification was lost: with a
	// connection, or with a process that died.
	pollInterval = 15 * time.Second

	// cancelledRetention is the time after which a cancelled job is deleted. Until then the
	// operator can retry a mail that was refused permanently.
	cancelledRetention = 30 * 24 * time.Hour

	// forever is the time after which the queue library deletes other jobs: so long that it never
	// does. In the library, -1 means "never", but with -1 its driver for SQLite deletes the jobs at
	// once (version 0.31).
	forever = 200 * 365 * 24 * time.Hour
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

// Config returns the configuration of a client of the queue library, with the workers of this
// process. The client runs jobs after its method Start was called.
func Config(o Options) *river.Config {
	q := registry{river.NewWorkers(), make(map[string]river.QueueConfig)}
	q.addLongChanges(o)
	add(&q, sharedQueue(), shared(o.Service.Imports.RunJob))
	m := o.Service.Sending.NewMailSender(sending.SenderOptions{Mailer: o.Mailer, Slots: o.Slots, Log: o.Log})
	add(&q, mailQueue(), m.Notify)
	add(&q, mailQueue(), m.Confirm)
	add(&q, mailQueue(), m.SendLink)
	add(&q, mailQueue(), m.Autorespond)
	add(&q, mailQueue(), m.Test)
	if o.Poster != nil {
		add(&q, webhookQueue(), o.Service.Webhooks.NewSender(o.Poster).Deliver)
	}
	return &river.Config{
		Workers:              q.workers,
		Queues:               q.queues,
		Logger:               slog.New(filteredLog{o.Log.Handler(), new(atomic.Int64)}),
		FetchPollInterval:    pollInterval,
		JobTimeout:           timeout,
		RescueStuckJobsAfter: rescueAfter,
		// The operator can list jobs that failed in all attempts, and retry them.
		DiscardedJobRetentionPeriod: forever,
		CancelledJobRetentionPeriod: cancelledRetention,
		CompletedJobRetentionPeriod: time.Minute, // without effect: the store deletes completed jobs at once
	}
}

// addLongChanges adds the workers for changes in steps.
func (q *registry) addLongChanges(o Options) {
	s := o.Service
	addSteps(q, serialQueue(), o.Store, repeated(s.Contacts.RemoveContacts)) // each step removes the next Contacts
	addSteps(q, serialQueue(), o.Store, repeated(s.Contacts.MakeChange))
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
func serialQueue() river.QueueConfig { return river.QueueConfig{MaxWorkers: 1} }

// sharedQueue returns the configuration of the queues of Imports and of the preparation of Batches, which take long. It
// has many more workers than slots (shared), so that one fetch also takes jobs of other Accounts.
func sharedQueue() river.QueueConfig { return river.QueueConfig{MaxWorkers: 16 * heavySlots} }

// mailQueue returns the configuration of a queue for mail. Each fetch of jobs is one transaction.
// To need few fetches, the queue has many workers, and one fetch takes jobs for all free workers.
func mailQueue() river.QueueConfig {
	return river.QueueConfig{MaxWorkers: 200, FetchCooldown: 20 * time.Millisecond}
}

// webhookQueue returns the configuration of the queue for webhooks. It has many workers, because a
// slow receiver occupies a worker for up to 10 s. webhooks.Sender shares them between the targets.
func webhookQueue() river.QueueConfig { return river.QueueConfig{MaxWorkers: webhooks.Slots} }

// registry has the workers of this process, and their queues.
type registry struct {
	workers *river.Workers
	queues  map[string]river.QueueConfig
}

// add registers the work of one kind of jobs, and the queue for them.
func add[E db.Effect](q *registry, queue river.QueueConfig, do work[E]) {
	addWorker(q, queue, &worker[E]{work: do})
}

// addSteps registers a long change.
func addSteps[E db.Effect](q *registry, queue river.QueueConfig, store db.Engine,
	step func(context.Context, E) (E, bool, error)) {
	add(q, queue, inSteps(store, step))
}

func addWorker[E db.Effect](q *registry, queue river.QueueConfig, w *worker[E]) {
	var kind E
	river.AddWorker(q.workers, w)
	q.queues[kind.Kind()] = queue
}
