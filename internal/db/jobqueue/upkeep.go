package jobqueue

import (
	"context"
	"time"

	"github.com/riverqueue/river/riverdriver"
)

// This file does what the table of jobs needs from time to time.

const (
	// forever is the time after which jobs other than cancelled ones are deleted: so long that it never happens.
	forever = 200 * 365 * 24 * time.Hour
	// cleanStep is the largest number of jobs that one statement deletes.
	cleanStep = 1000
	// upkeepTime is how long one process is the one that rebuilds the indexes. Within it, the others find that it does.
	upkeepTime = 10 * time.Minute
)

// indexes of the table that grow when rows are inserted and deleted again and again.
var indexes = []string{"river_job_args_index", "river_job_kind", "river_job_metadata_index", "river_job_pkey",
	"river_job_prioritized_fetching_index", "river_job_state_and_finalized_at_index", "river_job_unique_idx"}

// keepUp deletes old jobs at once and each hour, and rebuilds the indexes at midnight UTC, until ctx ends.
func (c *Client) keepUp(ctx context.Context) {
	for {
		if err := c.clean(ctx); err != nil {
			c.trouble(ctx, "delete old jobs", err)
		}
		next := time.Now().UTC().Truncate(time.Hour).Add(time.Hour)
		hour := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			hour.Stop()
			return
		case <-hour.C:
		}
		if next.Hour() == 0 && c.db.Reindexes() {
			c.reindex(ctx)
		}
	}
}

// clean deletes the jobs that were cancelled long ago.
func (c *Client) clean(ctx context.Context) error {
	now := time.Now().UTC()
	never := now.Add(-forever)
	for {
		deleted, err := c.exec.JobDeleteBefore(ctx, &riverdriver.JobDeleteBeforeParams{Max: cleanStep,
			CancelledDoDelete: true, CancelledFinalizedAtHorizon: now.Add(-c.config.KeepCancelled),
			CompletedFinalizedAtHorizon: never, DiscardedFinalizedAtHorizon: never})
		if err != nil || deleted < cleanStep {
			return err
		}
	}
}

// reindex rebuilds the indexes, in the process that asks first. An index of which an unfinished copy exists was not
// rebuilt in time the last time, and is left out.
func (c *Client) reindex(ctx context.Context) {
	now := time.Now().UTC()
	_, err := c.exec.LeaderDeleteExpired(ctx, &riverdriver.LeaderDeleteExpiredParams{Now: &now})
	first := false
	if err == nil {
		first, err = c.exec.LeaderAttemptElect(ctx, &riverdriver.LeaderElectParams{LeaderID: c.name, Now: &now,
			TTL: upkeepTime})
	}
	for i := 0; first && err == nil && i < len(indexes); i++ {
		err = c.rebuild(ctx, indexes[i])
	}
	if err != nil {
		c.trouble(ctx, "rebuild indexes of jobs", err)
	}
}

func (c *Client) rebuild(ctx context.Context, index string) error {
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, copied := range []string{index + "_ccnew", index + "_ccold"} {
		exists, err := c.exec.IndexExists(limited, &riverdriver.IndexExistsParams{Index: copied})
		if err != nil || exists {
			return err
		}
	}
	return c.exec.IndexReindex(limited, &riverdriver.IndexReindexParams{Index: index})
}
