// Package jobs runs the effects of changes in the background: it sends mail, posts webhooks, and
// does long work on Lists. The transaction that makes a change also stores an db.Effect as a
// job. Each kind of effect has its own queue. A worker of this package runs the job later, at least
// once. The queue library is riverqueue/river.
//
// Config decides for which kinds of jobs this process has workers. A job of another kind stays in
// its queue until a process has a worker for it. Only jobs for indexes run for a long time. A job
// for a long change of a List ends after runTime, and enqueues another job for the rest of the
// change. If a process dies, another process continues its jobs.
//
// jobs.go registers the workers. The workers are in mail*.go, batch.go, import.go, webhook*.go, index.go and
// steps.go. batch_*.go have the sender of Batches, which is no job. The command `enlist jobs` uses
// queue_admin.go. log.go filters the log of the queue library.
package jobs

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/events"
	"enlist/internal/files"
	"enlist/internal/imports"
	"enlist/internal/limiter"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/privacy"
	"enlist/internal/search"

	"github.com/riverqueue/river"
)

const (
	// timeout is the longest time of a job. The queue cancels the job after this time. For a mail,
	// timeout is longer than slotTime and the time limits of package mail together. If the process
	// of a job died, the queue retries the job after rescueAfter. rescueAfter must be longer than
	// timeout, because otherwise the queue could start a job that still runs.
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
	Service     *app.App
	Store       db.Engine
	Mailer      Mailer
	Slots       *limiter.Limiter // of NewSlots; nil: 16 slots
	Connections int              // to the mail server, which is the number of mails of Batches at the same time; the default is 8
	Batches     *BatchSender     // nil if this process does not send Batches
	Poster      Poster           // nil if this process does not post webhooks
	Indexes     Indexes          // nil if this process does not build or drop indexes
	Log         *slog.Logger
	Now         func() time.Time // the clock of the Service, for the BatchSender; nil: time.Now
}

// Mailer composes and sends mails. Its methods return an *messages.Undelivered if a mail could not
// be sent. They return sending.ErrSendingPaused if they did not try to send the mail.
type Mailer interface {
	// Notify sends a notification. The Message-ID is derived from id. If a caller sends the same
	// notification again, with the same id, the second mail has the same Message-ID.
	Notify(ctx context.Context, id string, n *messages.Notification) error
	// Send sends a mail to a Contact. It returns the subject with its merge fields filled.
	Send(ctx context.Context, m *messages.OutgoingMail) (subject string, err error)
}

// NewSlots returns the limit of the mails that are in memory at the same time. The workers of the
// queue and the BatchSender share it.
func NewSlots(mails int) *limiter.Limiter { return limiter.New(mails, slotTime) }

// Config returns the configuration of a client of the queue library, with the workers of this
// process. The client runs jobs after its method Start was called.
func Config(o Options) *river.Config {
	workers := river.NewWorkers()
	queues := make(map[string]river.QueueConfig)
	serial := river.QueueConfig{MaxWorkers: 1}
	removeContacts := func(ctx context.Context, e contacts.RemoveContacts) (contacts.RemoveContacts, bool, error) {
		done, err := o.Service.Contacts.RemoveContacts(ctx, e)
		return e, done, err // the next step has the same arguments and removes the next Contacts
	}
	add(workers, queues, &stepWorker[contacts.RemoveContacts]{store: o.Store, step: removeContacts}, serial)
	add(workers, queues, &stepWorker[lists.DeleteFieldValues]{store: o.Store, step: o.Service.Contacts.DeleteFieldValues},
		serial)
	add(workers, queues, &stepWorker[lists.ConvertField]{store: o.Store, step: o.Service.Contacts.ConvertField}, serial)
	if o.Indexes != nil {
		add(workers, queues, &indexWorker[search.BuildIndex]{work: o.Indexes.Build}, serial)
		drop := &indexWorker[search.DropIndex]{work: o.Indexes.Drop, busy: river.JobSnooze(busySnooze)}
		add(workers, queues, drop, serial)
	}
	add(workers, queues, &stepWorker[batches.PrepareBatch]{store: o.Store, step: prepareStep(o)}, batchQueue())
	add(workers, queues, &stepWorker[batches.RemoveBatch]{store: o.Store, step: removeStep(o)}, serial)
	removeContent := func(ctx context.Context, e files.RemoveContent) (files.RemoveContent, bool, error) {
		done, err := o.Service.Files.RemoveContent(ctx, e)
		return e, done, err
	}
	add(workers, queues, &stepWorker[files.RemoveContent]{store: o.Store, step: removeContent}, serial)
	add(workers, queues, &importWorker{service: o.Service}, importQueue())
	removeResults := func(ctx context.Context, e imports.RemoveImportResults) (imports.RemoveImportResults, bool, error) {
		done, err := o.Service.Imports.RemoveImportResults(ctx, e)
		return e, done, err
	}
	add(workers, queues, &stepWorker[imports.RemoveImportResults]{store: o.Store, step: removeResults}, serial)
	retention := func(ctx context.Context, e privacy.ApplyRetention) (privacy.ApplyRetention, bool, error) {
		rest, done, err := o.Service.Privacy.ApplyRetention(ctx, e)
		if done && rest.Events+rest.Deliveries+rest.Audit > 0 {
			o.Log.Info("removed old data", "account", rest.Account, "events", rest.Events, "deliveries", rest.Deliveries,
				"audit", rest.Audit)
		}
		return rest, done, err
	}
	add(workers, queues, &stepWorker[privacy.ApplyRetention]{store: o.Store, step: retention}, serial)
	m := newMailSender(o)
	add(workers, queues, &mailWorker[events.Notify]{mailSender: m, send: sendNotification}, mailQueue())
	add(workers, queues, &mailWorker[events.RequestConfirmation]{mailSender: m, send: sendConfirmation}, mailQueue())
	add(workers, queues, &mailWorker[events.Autorespond]{mailSender: m, send: sendAutoresponder}, mailQueue())
	add(workers, queues, &mailWorker[messages.SendTest]{mailSender: m, send: sendTest}, mailQueue())
	if o.Poster != nil {
		add(workers, queues, &deliverWebhook{service: o.Service, poster: o.Poster, places: newWebhookPlaces()}, webhookQueue())
	}
	return &river.Config{
		Workers:              workers,
		Queues:               queues,
		Logger:               slog.New(filteredLog{o.Log.Handler(), new(atomic.Int64)}),
		FetchPollInterval:    pollInterval,
		JobTimeout:           timeout,
		RescueStuckJobsAfter: rescueAfter,
		// The operator can list jobs that failed in all attempts, and retry them.
		DiscardedJobRetentionPeriod: forever,
		CancelledJobRetentionPeriod: cancelledRetention,
		// The store deletes completed jobs at once. A server of an earlier version keeps them for a second.
		CompletedJobRetentionPeriod: time.Minute,
	}
}

// mailQueue returns the configuration of a queue for mail. Each fetch of jobs is one transaction.
// To need few fetches, the queue has many workers, and one fetch takes jobs for all free workers.
func mailQueue() river.QueueConfig {
	return river.QueueConfig{MaxWorkers: 200, FetchCooldown: 20 * time.Millisecond}
}

// webhookQueue returns the configuration of the queue for webhooks. It has many workers, because a
// slow receiver occupies a worker for up to 10 s. webhook_places.go shares them between the targets.
func webhookQueue() river.QueueConfig {
	return river.QueueConfig{MaxWorkers: webhookWorkers}
}

// add registers a worker and the queue for its kind of jobs.
func add[E river.JobArgs](workers *river.Workers, queues map[string]river.QueueConfig,
	w river.Worker[E], q river.QueueConfig) {
	var kind E
	river.AddWorker(workers, w)
	queues[kind.Kind()] = q
}
