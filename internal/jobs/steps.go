package jobs

import (
	"context"
	"time"

	"enlist/internal/db"

	"github.com/riverqueue/river"
)

// This file has the worker for long changes of a List. It removes Contacts, or removes or converts
// the values of a Field. A List may have millions of Contacts, so the worker changes it in steps.

// runTime is the time after which a job ends, so that the next job of its queue can run.
const runTime = 20 * time.Second

// stepWorker runs the jobs of one kind of effect.
type stepWorker[E db.Effect] struct {
	river.WorkerDefaults[E]
	store db.Engine
	// step changes a part of the List. It returns the effect for the rest of the List. done is
	// true if no rest is left.
	step func(ctx context.Context, e E) (rest E, done bool, err error)
}

// Work implements river.Worker. After runTime it enqueues a job for the rest at the end of the
// queue. When the process stops, Work puts the job back into the queue. This does not count as a
// failed attempt.
func (w *stepWorker[E]) Work(ctx context.Context, job *river.Job[E]) error {
	e := job.Args
	for end := time.Now().Add(runTime); ; {
		rest, done, err := w.step(ctx, e)
		switch {
		case err == nil && done:
			return nil
		case ctx.Err() != nil:
			return river.JobSnooze(0)
		case err != nil:
			return err
		case time.Now().After(end):
			return w.store.Update(ctx, func(tx *db.Tx) error { return tx.Enqueue(rest) })
		}
		e = rest
	}
}
