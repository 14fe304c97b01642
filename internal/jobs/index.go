package jobs

import (
	"context"
	"errors"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/search"

	"github.com/riverqueue/river"
)

// This file has the worker that builds and drops search indexes. Package advisor decides
// which indexes to build or drop.

// Indexes builds and drops the indexes that searches need. Its methods return
// enlist.ErrIndexBusy while another process builds or drops the same index.
type Indexes interface {
	// Build builds an index. Searches can use the index after that.
	Build(ctx context.Context, e search.BuildIndex) error
	// Drop drops an index that searches no longer use.
	Drop(ctx context.Context, e search.DropIndex) error
}

// indexTimeout is the time limit of a job that builds or drops an index. On PostgreSQL such a job
// waits for all transactions that began before it. If the process of the job dies, the queue
// retries the job only after indexTimeout. So advisor.Advisor.Reconcile enqueues another
// job much earlier. If two jobs run for the same index, the second one returns at once.
const indexTimeout = 24 * time.Hour

// indexWorker builds or drops indexes.
type indexWorker[E river.JobArgs] struct {
	river.WorkerDefaults[E]
	work func(context.Context, E) error
	busy error // result if another process builds or drops the index; with nil, the job is completed
}

// busySnooze is the time after which a job tries again to drop an index, if another process
// was building or dropping the same index.
const busySnooze = 10 * time.Second

// Timeout implements river.Worker.
func (*indexWorker[E]) Timeout(*river.Job[E]) time.Duration { return indexTimeout }

// Work implements river.Worker. When the process stops, Work puts the job back into the queue.
func (w *indexWorker[E]) Work(ctx context.Context, job *river.Job[E]) error {
	err := w.work(ctx, job.Args)
	switch {
	case errors.Is(err, enlist.ErrIndexBusy):
		return w.busy
	case err != nil && ctx.Err() != nil:
		return river.JobSnooze(0)
	}
	return err
}
