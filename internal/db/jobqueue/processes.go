package jobqueue

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"enlist/internal/db"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// This file returns the jobs of processes that have died to their queues.

// holderOf returns the name of a process in the jobs that it fetches: its token, in the form of db.HolderIsGone.
func holderOf(token string) string { return token + "/jobs" }

// Running reads and changes the jobs that run.
type Running interface {
	// JobHolders returns the names of the processes that run jobs.
	JobHolders(ctx context.Context) ([]string, error)
	// ReturnJobsOf makes the jobs of a process available after a time. It leaves out jobs that have no attempt left.
	ReturnJobsOf(ctx context.Context, holder string, after time.Duration) error
}

const (
	// rescueInterval is the time between two looks for jobs whose process does not tell whether it lives.
	rescueInterval = 30 * time.Second
	// rescueStep is the largest number of jobs that are rescued by one statement.
	rescueStep = 1000
)

// hold notes the name under which this process fetches, and jobs that it has fetched.
func (c *Client) hold(name string, jobs []*rivertype.JobRow) {
	c.heldBy.Lock()
	defer c.heldBy.Unlock()
	c.names[name] = true
	for _, job := range jobs {
		c.held[job.ID] = true
	}
}

// release notes that the results of jobs are stored.
func (c *Client) release(results []result) {
	c.heldBy.Lock()
	defer c.heldBy.Unlock()
	for _, r := range results {
		delete(c.held, r.ID)
	}
}

// isOwn reports whether this process has fetched jobs under a name.
func (c *Client) isOwn(name string) bool {
	c.heldBy.Lock()
	defer c.heldBy.Unlock()
	return c.names[name]
}

func (c *Client) holds(job int64) bool {
	c.heldBy.Lock()
	defer c.heldBy.Unlock()
	return c.held[job]
}

// returnJobs returns the jobs of processes that have died to their queues. They start after db.StopTime, because a
// process on PostgreSQL can live and have lost only its connection. A job of such a process that takes longer runs
// twice. This process returns none of its own, also of the time before it lost its connection: it runs them, or stores
// their results when the database answers again. While other processes run jobs, it is called each second.
func (c *Client) returnJobs(ctx context.Context) error {
	holders, err := c.db.JobHolders(ctx)
	if err != nil {
		return err
	}
	others := false
	var failed []error // the jobs of one process must not keep those of others
	for _, holder := range holders {
		if c.isOwn(holder) {
			continue
		}
		others = true
		gone, err := db.HolderIsGone(ctx, c.db, holder)
		if gone && err == nil {
			err = c.db.ReturnJobsOf(ctx, holder, db.StopTime)
		}
		failed = append(failed, err)
	}
	c.others.Store(others)
	if len(holders) > 0 && time.Since(c.rescued) >= rescueInterval {
		c.rescued = time.Now()
		failed = append(failed, c.rescue(ctx))
	}
	return errors.Join(failed...)
}

// rescue ends the attempts of jobs that have run for longer than a job may: of processes that had no token, and last
// attempts of processes that died. It leaves out those of this process, which end by their time limit: a clock that is
// set forward, or a long outage, makes them look old.
func (c *Client) rescue(ctx context.Context) error {
	now := time.Now().UTC()
	stuck, err := c.exec.JobGetStuck(ctx, &riverdriver.JobGetStuckParams{Max: rescueStep,
		StuckHorizon: now.Add(-c.config.RescueAfter)})
	if err != nil || len(stuck) == 0 {
		return err
	}
	p := new(riverdriver.JobRescueManyParams)
	for _, job := range stuck {
		if c.holds(job.ID) {
			continue
		}
		failure, err := json.Marshal(rivertype.AttemptError{At: now, Attempt: job.Attempt,
			Error: "the process that ran the job did not store its result"})
		if err != nil {
			return err
		}
		state, at, finalized := rivertype.JobStateRetryable, now.Add(retryAfter(job, nil)), (*time.Time)(nil)
		if job.Attempt >= job.MaxAttempts {
			state, at, finalized = rivertype.JobStateDiscarded, job.ScheduledAt, &now
		}
		p.ID, p.Error, p.State = append(p.ID, job.ID), append(p.Error, failure), append(p.State, string(state))
		p.FinalizedAt, p.ScheduledAt = append(p.FinalizedAt, finalized), append(p.ScheduledAt, at)
	}
	if len(p.ID) == 0 {
		return nil
	}
	_, err = c.exec.JobRescueMany(ctx, p)
	return err
}
