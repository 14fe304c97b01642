package jobs

import (
	"context"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Sweeper is what a client of the queue library removes jobs with.
type Sweeper interface {
	JobDeleteMany(ctx context.Context, params *river.JobDeleteManyParams) (*river.JobDeleteManyResult, error)
}

// sweepStep is how many jobs are removed at once: some 5 ms of the writer's time.
const sweepStep = 500

// Sweep removes the jobs that are done, which are of no use to anybody. Call it
// often: the queue library would do it, too, but takes up to 250 ms for 10,000 of
// them, in which SQLite lets nobody write.
func Sweep(ctx context.Context, q Sweeper) error {
	for {
		swept, err := q.JobDeleteMany(ctx, river.NewJobDeleteManyParams().States(rivertype.JobStateCompleted).First(sweepStep))
		if err != nil || len(swept.Jobs) < sweepStep {
			return err
		}
	}
}
