package jobs

import (
	"context"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// This file deletes completed jobs in small transactions, so that SQLite can accept other
// writes between them.

// Sweeper is the method of a queue client with which Sweep deletes jobs.
type Sweeper interface {
	JobDeleteMany(ctx context.Context, params *river.JobDeleteManyParams) (*river.JobDeleteManyResult, error)
}

// sweepStep is how many jobs one transaction deletes, in some 5 ms of SQLite's one writer.
const sweepStep = 500

// Sweep deletes the jobs that are completed. Call it often. The cleaner of the queue library
// takes up to 250 ms for 10,000 jobs, and SQLite accepts no other write in that time.
func Sweep(ctx context.Context, q Sweeper) error {
	for {
		params := river.NewJobDeleteManyParams().States(rivertype.JobStateCompleted).First(sweepStep)
		swept, err := q.JobDeleteMany(ctx, params)
		if err != nil || len(swept.Jobs) < sweepStep {
			return err
		}
	}
}
