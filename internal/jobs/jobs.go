// Package jobs carries out what changes set in motion. A change stores an
// audience.Effect in its own transaction, in the queue that is named like its
// kind; a worker here takes it up later, at least once.
//
// Config says what this process works. Kinds without a worker stay in their
// queue until a process has one. No job runs long: what needs more than a turn
// stores where it has got to as a job of its own, so that a process may die at
// any moment and another goes on.
package jobs

import (
	"context"
	"log/slog"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

const (
	// turn is how long a job works before it lets others have theirs.
	turn = 20 * time.Second

	// A job whose process died is taken up again after rescueAfter, so no job
	// may run that long: what outlives timeout is cancelled.
	timeout     = time.Minute
	rescueAfter = 2 * time.Minute

	// pollEvery is how soon a job is seen. SQLite cannot wake anybody, and an
	// idle poll is one statement that writes nothing.
	pollEvery = 2 * time.Second
)

// Config says which jobs a process works, and how. A client of the queue that
// is made with it works once it is started.
func Config(service *audience.Service, store audience.Store, log *slog.Logger) *river.Config {
	workers := river.NewWorkers()
	queues := make(map[string]river.QueueConfig)
	b := base{service, store}
	add(workers, queues, &removeContacts{base: b})
	add(workers, queues, &forgetField{base: b})
	add(workers, queues, &convertField{base: b})
	return &river.Config{
		Workers:              workers,
		Queues:               queues,
		Logger:               log,
		FetchPollInterval:    pollEvery,
		JobTimeout:           timeout,
		RescueStuckJobsAfter: rescueAfter,
		// What was given up on is kept, to be looked at and sent again.
		DiscardedJobRetentionPeriod: -1,
	}
}

// add registers a worker with the queue of its kind. One job at a time: they
// write to the same database, and each gives way to the next after its turn.
func add[E river.JobArgs](workers *river.Workers, queues map[string]river.QueueConfig, w river.Worker[E]) {
	var kind E
	river.AddWorker(workers, w)
	queues[kind.Kind()] = river.QueueConfig{MaxWorkers: 1}
}

// base is what every worker has.
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
