// Package jobs carries out the effects of changes: it sends mail, posts webhooks, and does long
// work on Lists in the background. A change stores an audience.Effect as a job in its own
// transaction, in the queue named like the effect's kind. A worker of this package carries it
// out later, at least once. The queue library is riverqueue/river.
//
// Config says which kinds this process works. Jobs of other kinds stay in their queue until a
// process has a worker for them. No job runs for long, except those for indexes: a job that
// has more to do after runTime enqueues another job for the rest. So a process may die at any
// moment, and another process continues.
//
// jobs.go registers the workers. mail*.go, webhook.go, index.go and steps.go have them. The
// command `enlist jobs` uses queue.go. queue_sweep.go deletes completed jobs, and log.go
// filters the library's log.
package jobs

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"enlist/internal/audience"
	"enlist/internal/limiter"

	"github.com/riverqueue/river"
)

const (
	// A job is cancelled after timeout. That is enough for a mail to wait for its slot and for
	// the slowest mail server that package mail accepts. The queue retries a job whose process
	// died after rescueAfter. It must be longer than timeout, or a running job would be started
	// a second time.
	timeout     = 105 * time.Second
	rescueAfter = 2 * time.Minute

	// pollInterval is how often a process looks for jobs. SQLite cannot notify other
	// processes. A poll that finds nothing is one statement that writes nothing.
	pollInterval = 2 * time.Second

	// cancelledRetention is how long cancelled jobs are kept: the operator may retry a mail
	// that was refused permanently.
	cancelledRetention = 30 * 24 * time.Hour

	// forever is how long other jobs are kept. The queue library's value for that is -1, but
	// its driver for SQLite deletes such jobs at once (version 0.31).
	forever = 200 * 365 * 24 * time.Hour
)

// Options are what the workers need.
type Options struct {
	Service *audience.Service
	Store   audience.Store
	Mailer  Mailer
	Mails   int     // how many mails are composed and sent at once; 0: 16
	Poster  Poster  // nil: this process leaves webhooks to other processes
	Indexes Indexes // nil: this process leaves indexes to other processes
	Log     *slog.Logger
}

// Mailer composes and sends mails. Its error is an *audience.Undelivered when a mail could not
// be sent, and audience.ErrSendingPaused when it was not tried.
type Mailer interface {
	// Notify sends a notification. It makes the Message-ID from id, so that a mail that is
	// sent twice can be recognised.
	Notify(ctx context.Context, id string, n *audience.Notification) error
	// Send sends a mail to a Contact and returns the subject with its merge fields filled.
	Send(ctx context.Context, m *audience.OutgoingMail) (subject string, err error)
}

// Config returns the workers of a process and how the queue library runs them. A client of the
// library that is made with it takes up jobs once it is started.
func Config(o Options) *river.Config {
	workers := river.NewWorkers()
	queues := make(map[string]river.QueueConfig)
	serial := river.QueueConfig{MaxWorkers: 1}
	removeContacts := func(ctx context.Context, e audience.RemoveContacts) (audience.RemoveContacts, bool, error) {
		done, err := o.Service.RemoveContacts(ctx, e)
		return e, done, err // the next step removes the first Contacts that are left
	}
	add(workers, queues, &stepWorker[audience.RemoveContacts]{store: o.Store, step: removeContacts}, serial)
	add(workers, queues, &stepWorker[audience.DeleteFieldValues]{store: o.Store, step: o.Service.DeleteFieldValues},
		serial)
	add(workers, queues, &stepWorker[audience.ConvertField]{store: o.Store, step: o.Service.ConvertField}, serial)
	if o.Indexes != nil {
		add(workers, queues, &indexWorker[audience.BuildIndex]{work: o.Indexes.Build}, serial)
		drop := &indexWorker[audience.DropIndex]{work: o.Indexes.Drop, busy: river.JobSnooze(busySnooze)}
		add(workers, queues, drop, serial)
	}
	m := mailSender{o.Service, o.Mailer, limiter.New(cmp.Or(o.Mails, defaultMails), slotTime)}
	add(workers, queues, &mailWorker[audience.Notify]{mailSender: m, send: sendNotification}, mailQueue())
	add(workers, queues, &mailWorker[audience.RequestConfirmation]{mailSender: m, send: sendConfirmation}, mailQueue())
	add(workers, queues, &mailWorker[audience.Autorespond]{mailSender: m, send: sendAutoresponder}, mailQueue())
	if o.Poster != nil {
		add(workers, queues, &deliverWebhook{service: o.Service, poster: o.Poster}, webhookQueue())
	}
	return &river.Config{
		Workers:              workers,
		Queues:               queues,
		Logger:               slog.New(filteredLog{o.Log.Handler(), new(atomic.Int64)}),
		FetchPollInterval:    pollInterval,
		JobTimeout:           timeout,
		RescueStuckJobsAfter: rescueAfter,
		// The operator can look at jobs that failed in all attempts, and retry them.
		DiscardedJobRetentionPeriod: forever,
		CancelledJobRetentionPeriod: cancelledRetention,
		CompletedJobRetentionPeriod: forever, // Sweep deletes them
	}
}

// mailQueue is the configuration of a queue for mail. Each fetch is a transaction of its own,
// so there are many workers and a fetch brings jobs for all that are free.
func mailQueue() river.QueueConfig {
	return river.QueueConfig{
		MaxWorkers:        200,
		FetchCooldown:     20 * time.Millisecond,
		FetchPollInterval: 500 * time.Millisecond,
	}
}

// webhookQueue is the configuration of the queue for webhooks. A slow receiver occupies one
// worker and must not delay the others.
func webhookQueue() river.QueueConfig {
	return river.QueueConfig{MaxWorkers: 16, FetchPollInterval: 500 * time.Millisecond}
}

// add registers a worker for the queue of its kind.
func add[E river.JobArgs](workers *river.Workers, queues map[string]river.QueueConfig,
	w river.Worker[E], q river.QueueConfig) {
	var kind E
	river.AddWorker(workers, w)
	queues[kind.Kind()] = q
}
