package jobs

import (
	"context"
	"errors"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// This file has the worker that builds and drops search indexes. Package indexadvisor decides
// which ones.

// Indexes builds and drops the indexes that searches need. The error audience.ErrIndexBusy means
// that another process builds or drops the same index.
type Indexes interface {
	// Build builds an index and makes it known to searches.
	Build(ctx context.Context, e audience.BuildIndex) error
	// Drop drops an index that searches have stopped using.
	Drop(ctx context.Context, e audience.DropIndex) error
}

// indexTimeout is the time limit for building or dropping an index. On PostgreSQL either waits
// for all transactions that began before it. The queue retries a job whose process died only
// after this time. So indexadvisor.Advisor.Reconcile enqueues another job much earlier; of
// two jobs for one index, the second returns at once.
const indexTimeout = 24 * time.Hour

// indexWorker builds or drops indexes.
type indexWorker[E river.JobArgs] struct {
	river.WorkerDefaults[E]
	work func(context.Context, E) error
	busy error // the result when another process builds or drops the index; nil: the job is done
}

// busySnooze is how long a drop waits while another process builds or drops the index.
const busySnooze = 10 * time.Second

// Timeout implements river.Worker.
func (*indexWorker[E]) Timeout(*river.Job[E]) time.Duration { return indexTimeout }

// Work implements river.Worker. A process that stops puts the job back into the queue.
func (w *indexWorker[E]) Work(ctx context.Context, job *river.Job[E]) error {
	err := w.work(ctx, job.Args)
	switch {
	case errors.Is(err, audience.ErrIndexBusy):
		return w.busy
	case err != nil && ctx.Err() != nil:
		return river.JobSnooze(0)
	}
	return err
}
