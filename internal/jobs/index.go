package jobs

import (
	"context"
	"errors"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// This file has the workers that build and drop search indexes. Package indexadvisor decides which.

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

// buildIndex builds indexes that searches need.
type buildIndex struct {
	river.WorkerDefaults[audience.BuildIndex]
	indexes Indexes
}

// Timeout implements river.Worker.
func (*buildIndex) Timeout(*river.Job[audience.BuildIndex]) time.Duration { return indexTimeout }

// Work implements river.Worker.
func (w *buildIndex) Work(ctx context.Context, job *river.Job[audience.BuildIndex]) error {
	return indexResult(ctx, w.indexes.Build(ctx, job.Args))
}

// dropIndex drops indexes after searches have stopped using them.
type dropIndex struct {
	river.WorkerDefaults[audience.DropIndex]
	indexes Indexes
}

// Timeout implements river.Worker.
func (*dropIndex) Timeout(*river.Job[audience.DropIndex]) time.Duration { return indexTimeout }

// busySnooze is how long a drop waits while another process builds or drops the index.
const busySnooze = 10 * time.Second

// Work implements river.Worker.
func (w *dropIndex) Work(ctx context.Context, job *river.Job[audience.DropIndex]) error {
	err := w.indexes.Drop(ctx, job.Args)
	if errors.Is(err, audience.ErrIndexBusy) {
		return river.JobSnooze(busySnooze)
	}
	return indexResult(ctx, err)
}

// indexResult turns an error into the result of the job. A process that stops puts the job
// back into the queue. If another process builds or drops the index, the job is done.
func indexResult(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, audience.ErrIndexBusy):
		return nil
	case err != nil && ctx.Err() != nil:
		return river.JobSnooze(0)
	}
	return err
}
