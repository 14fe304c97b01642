package jobs

import (
	"context"
	"errors"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// indexTime is how long an index may be in the making: on PostgreSQL it waits for
// all transactions that began before it. The queue takes up a job again whose
// process died only after that, so indexadvisor's Reconcile stores another one much
// earlier; of two that are at the same index, one returns at once.
const indexTime = 24 * time.Hour

// buildIndex makes indexes that searches need.
type buildIndex struct {
	river.WorkerDefaults[audience.BuildIndex]
	indexes Indexes
}

// Timeout implements river.Worker.
func (*buildIndex) Timeout(*river.Job[audience.BuildIndex]) time.Duration { return indexTime }

// Work implements river.Worker.
func (w *buildIndex) Work(ctx context.Context, job *river.Job[audience.BuildIndex]) error {
	return tended(ctx, w.indexes.Build(ctx, job.Args))
}

// dropIndex drops indexes on which nobody relies any more.
type dropIndex struct {
	river.WorkerDefaults[audience.DropIndex]
	indexes Indexes
}

// Timeout implements river.Worker.
func (*dropIndex) Timeout(*river.Job[audience.DropIndex]) time.Duration { return indexTime }

// busyPause is how long dropping waits for whoever is at the index.
const busyPause = 10 * time.Second

// Work implements river.Worker.
func (w *dropIndex) Work(ctx context.Context, job *river.Job[audience.DropIndex]) error {
	err := w.indexes.Drop(ctx, job.Args)
	if errors.Is(err, audience.ErrIndexBusy) {
		return river.JobSnooze(busyPause)
	}
	return tended(ctx, err)
}

// tended is the outcome of work on an index: a process that stops puts its job back.
func tended(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, audience.ErrIndexBusy):
		return nil
	case err != nil && ctx.Err() != nil:
		return river.JobSnooze(0)
	}
	return err
}
