package jobs

import (
	"context"
	"errors"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// This file has the workers that build and drop search indexes. Package advisor decides
// which indexes to build or drop.

// Indexes builds and drops the indexes that searches need. Its methods return
// enlist.ErrIndexBusy while another process builds or drops the same index.
type Indexes interface {
	// Build builds an index. Searches can use the index after that.
	Build(ctx context.Context, e search.BuildIndex) error
	// Drop drops an index that searches no longer use.
	Drop(ctx context.Context, e search.DropIndex) error
}

const (
	// indexTimeout is the time limit of a job that builds or drops an index. On PostgreSQL such a job
	// waits for all transactions that began before it. If the process of the job dies, the queue
	// retries the job only after indexTimeout. So advisor.Advisor.Reconcile enqueues another
	// job much earlier. If two jobs run for the same index, the second one returns at once.
	indexTimeout = 24 * time.Hour

	// busyWait is the time after which a job tries again to drop an index, if another process
	// was building or dropping the same index.
	busyWait = 10 * time.Second
)

func (q *registry) addIndexes(i Indexes) {
	addWorker(q, serialQueue(), &worker[search.BuildIndex]{timeout: indexTimeout, work: indexWork(i.Build, nil)})
	addWorker(q, serialQueue(), &worker[search.DropIndex]{timeout: indexTimeout,
		work: indexWork(i.Drop, db.Later(busyWait))})
}

// indexWork returns the work of a job. busy is its result if another process builds or drops the index; with nil the
// job is completed.
func indexWork[E db.Effect](do func(context.Context, E) error, busy error) work[E] {
	return func(ctx context.Context, _ db.Job, e E) error {
		err := do(ctx, e)
		switch {
		case errors.Is(err, enlist.ErrIndexBusy):
			return busy
		case err != nil && ctx.Err() != nil:
			return db.Later(0)
		}
		return err
	}
}
