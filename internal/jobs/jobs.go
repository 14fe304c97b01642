// Package jobs carries out what changes set in motion. A change stores an
// audience.Effect in its own transaction, in the queue that is named like its
// kind; a worker here takes it up later, at least once.
//
// Config says what this process works. Kinds without a worker stay in their
// queue until a process has one. No job runs long, but for those of indexes: what
// needs more than a turn stores where it has got to as a job of its own, so that a
// process may die at any moment and another goes on.
package jobs

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

const (
	// turn is how long a job works before it lets others have theirs.
	turn = 20 * time.Second

	// A job whose process died is taken up again after rescueAfter, so no job
	// may run that long: what outlives timeout is cancelled. It is enough for a
	// mail to wait for its turn and for all that its server may take.
	timeout     = 105 * time.Second
	rescueAfter = 2 * time.Minute

	// pollEvery is how soon a job is seen. SQLite cannot wake anybody, and an
	// idle poll is one statement that writes nothing.
	pollEvery = 2 * time.Second

	// cancelledFor is how long jobs are kept that trying again cannot help, in
	// case they are to be done again after all.
	cancelledFor = 30 * 24 * time.Hour

	// forever is how long other jobs are kept. The queue library has -1 for that,
	// and its driver for SQLite removes at once what is to be kept so (0.31).
	forever = 200 * 365 * 24 * time.Hour
)

// Options are what the workers work with.
type Options struct {
	Service *audience.Service
	Store   audience.Store
	Mailer  Mailer
	Mails   int     // at work at once; 0: 16
	Poster  Poster  // nil: webhooks are left to other processes
	Indexes Indexes // nil: indexes of searches are left to other processes
	Log     *slog.Logger
}

// Mailer composes and sends mails. It returns an *audience.Undelivered when one
// could not be sent, and audience.ErrPaused when it was not tried at all.
type Mailer interface {
	// Notify makes the same Message-ID from the same id.
	Notify(ctx context.Context, id string, n *audience.Notification) error
	Send(ctx context.Context, l *audience.OutgoingMail) (subject string, err error)
}

// Indexes builds and drops the indexes that searches need. An audience.ErrIndexBusy
// says that another process is working on the same index.
type Indexes interface {
	Build(ctx context.Context, e audience.BuildIndex) error
	Drop(ctx context.Context, e audience.DropIndex) error
}

// Config says which jobs a process works, and how. A client of the queue that
// is made with it works once it is started.
func Config(o Options) *river.Config {
	workers := river.NewWorkers()
	queues := make(map[string]river.QueueConfig)
	b := base{o.Service, o.Store}
	add(workers, queues, &removeContacts{base: b}, oneByOne)
	add(workers, queues, &forgetField{base: b}, oneByOne)
	add(workers, queues, &convertField{base: b}, oneByOne)
	if o.Indexes != nil {
		add(workers, queues, &buildIndex{indexes: o.Indexes}, oneByOne)
		add(workers, queues, &dropIndex{indexes: o.Indexes}, oneByOne)
	}
	m := mails{o.Service, o.Mailer, make(chan struct{}, cmp.Or(o.Mails, defaultMails))}
	add(workers, queues, &notify{mailing[audience.Notify]{mails: m}}, inParallel)
	add(workers, queues, &askToConfirm{mailing[audience.RequestConfirmation]{mails: m}}, inParallel)
	add(workers, queues, &autorespond{mailing[audience.Autorespond]{mails: m}}, inParallel)
	if o.Poster != nil {
		add(workers, queues, &callWebhook{base: b, poster: o.Poster}, sideBySide)
	}
	return &river.Config{
		Workers:              workers,
		Queues:               queues,
		Logger:               slog.New(discreet{calm{o.Log.Handler(), new(atomic.Int64)}}),
		FetchPollInterval:    pollEvery,
		JobTimeout:           timeout,
		RescueStuckJobsAfter: rescueAfter,
		// What was given up on is kept, to be looked at and sent again.
		DiscardedJobRetentionPeriod: forever,
		CancelledJobRetentionPeriod: cancelledFor,
		CompletedJobRetentionPeriod: forever, // Sweep removes them
	}
}

var (
	// oneByOne is for what writes to the same database: each gives way to the
	// next after its turn.
	oneByOne = river.QueueConfig{MaxWorkers: 1}

	// inParallel is for mails, which somebody waits for. Every fetch is a
	// transaction of its own, so it takes what many places came free for.
	inParallel = river.QueueConfig{MaxWorkers: 200, FetchCooldown: 20 * time.Millisecond, FetchPollInterval: 500 * time.Millisecond}

	// sideBySide is for webhooks: a slow receiver must not hold up the others.
	sideBySide = river.QueueConfig{MaxWorkers: 16, FetchPollInterval: 500 * time.Millisecond}
)

// add registers a worker with the queue of its kind.
func add[E river.JobArgs](workers *river.Workers, queues map[string]river.QueueConfig, w river.Worker[E], q river.QueueConfig) {
	var kind E
	river.AddWorker(workers, w)
	queues[kind.Kind()] = q
}

// base is what workers have that change the database.
type base struct {
	service *audience.Service
	store   audience.Store
}

// inTurns makes steps until there is nothing left to do. After a turn, what is
// left becomes a job at the end of the queue. A process that stops puts its
// job back, which does not count as a failed attempt.
func (b base) inTurns(ctx context.Context, step func() (rest audience.Effect, err error)) error {
	for end := time.Now().Add(turn); ; {
		rest, err := step()
		switch {
		case ctx.Err() != nil && (err != nil || rest != nil):
			return river.JobSnooze(0)
		case err != nil || rest == nil:
			return err
		case time.Now().After(end):
			return b.store.Update(ctx, func(tx audience.Tx) error { return tx.Enqueue(rest) })
		}
	}
}
