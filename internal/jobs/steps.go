package jobs

import (
	"context"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// This file has the worker for long work on a List: its Contacts are removed, or the values of
// a Field are removed or converted. A List may have millions of Contacts, so the work is done
// in steps.

// runTime is how long a job works before it lets the next job of its queue run.
const runTime = 20 * time.Second

// stepWorker does the work of one kind of effect.
type stepWorker[E audience.Effect] struct {
	river.WorkerDefaults[E]
	store audience.Store
	// step does a part of the work. It returns the effect for the rest, or that none is left.
	step func(ctx context.Context, e E) (rest E, done bool, err error)
}

// Work implements river.Worker. After runTime it enqueues the rest as a job at the end of the
// queue. When the process stops, the job goes back to the queue, which does not count as a
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
			return w.store.Update(ctx, func(tx audience.Tx) error { return tx.Enqueue(rest) })
		}
		e = rest
	}
}
