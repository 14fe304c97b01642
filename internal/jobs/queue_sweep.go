package jobs

import (
	"context"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// This file deletes completed jobs in small transactions. So other transactions can write to SQLite
// between them.

// Sweeper is a queue client with the method that Sweep calls.
type Sweeper interface {
	JobDeleteMany(ctx context.Context, params *river.JobDeleteManyParams) (*river.JobDeleteManyResult, error)
}

// sweepStep is the number of jobs that one transaction deletes. On SQLite such a transaction takes
// about 5 ms, and no other transaction can write in this time.
const sweepStep = 500

// Sweep deletes the completed jobs. The caller should call it often. The cleaner of the queue
// library would take up to 250 ms for 10,000 jobs, and SQLite accepts no other write in this time.
func Sweep(ctx context.Context, q Sweeper) error {
	for {
		params := river.NewJobDeleteManyParams().States(rivertype.JobStateCompleted).First(sweepStep)
		swept, err := q.JobDeleteMany(ctx, params)
		if err != nil || len(swept.Jobs) < sweepStep {
			return err
		}
	}
}
