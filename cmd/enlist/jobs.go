package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/jobs"
)

// enlist jobs: lists, retries and discards the jobs of the queue, also while a server runs.

type jobsCommand struct {
	List    jobsList    `cmd:"" help:"List the queued jobs and the failed jobs, with their last error."`
	Retry   jobsRetry   `cmd:"" help:"Run jobs now, also failed jobs."`
	Discard jobsDiscard `cmd:"" help:"Remove jobs without running them."`
}

type jobsList struct {
	reporting
	State string `enum:"${states}," default:"" placeholder:"STATE" help:"Only jobs in this state: ${states}."`
	Kind  string `placeholder:"KIND" help:"Only jobs of this kind, such as notify or autorespond."`
	Limit int    `default:"1000" placeholder:"N" help:"Largest number of jobs to list; 0: all."`
}

func (c *jobsList) Run(ctx context.Context, out *console, _ *app.App, q jobs.Queue) error {
	if c.Limit < 0 {
		return usage("--limit must be 0 or more")
	}
	found, err := jobs.List(ctx, q, jobs.Filter{State: jobs.State(c.State), Kind: c.Kind, Limit: c.Limit})
	if err != nil {
		return err
	}
	if c.JSON {
		return c.list(out.stdout, records(found, jobRecord))
	}
	return c.list(out.stdout, records(found, jobLine), "id", "kind", "state", "tries", "next", "about", "why")
}

// jobRecord returns a job for --json. Programs read the JSON: times are Unix times, and keys must not change.
func jobRecord(j *jobs.Job) record {
	return record{{"id", j.ID}, {"kind", j.Kind}, {"state", j.State}, {"attempt", j.Attempt},
		{"creation_time", j.Created.Unix()}, {"next_time", nextTime(j)}, {"about", j.About}, {"error", j.LastFail}}
}

// jobLine returns a job for a table: times are dates.
func jobLine(j *jobs.Job) record {
	return record{{"id", j.ID}, {"kind", j.Kind}, {"state", j.State}, {"tries", j.Attempt},
		{"next", formatTime(time.DateTime, nextTime(j), "–")}, {"about", j.About}, {"why", j.LastFail}}
}

// nextTime returns the Unix time at which a job runs next, or 0 if it will not run again.
func nextTime(j *jobs.Job) int64 {
	if j.Next.IsZero() {
		return 0
	}
	return j.Next.Unix()
}

// chosen are the flags and arguments that choose jobs.
type chosen struct {
	config.Database
	IDs  []int64 `arg:"" optional:"" name:"id" help:"IDs of jobs, as enlist jobs list shows them."`
	All  bool    `help:"All failed jobs."`
	Kind string  `placeholder:"KIND" help:"With --all, only jobs of this kind."`
}

type jobsRetry struct{ chosen }

// Run retries the jobs.
func (c *jobsRetry) Run(ctx context.Context, out *console, s *app.App, q jobs.Queue) error {
	return c.each(ctx, out, s, q, "scheduled to run now", func(id int64) error {
		return jobs.Retry(ctx, q, s.Webhooks, id)
	})
}

type jobsDiscard struct{ chosen }

func (c *jobsDiscard) Run(ctx context.Context, out *console, s *app.App, q jobs.Queue) error {
	return c.each(ctx, out, s, q, "removed", func(id int64) error { return jobs.Discard(ctx, q, id) })
}

// pauseBetween is the pause between two jobs. Without the pause, thousands of small
// transactions would delay the writes of a running server.
const pauseBetween = 2 * time.Millisecond

// each calls do for each chosen job and prints the number of jobs for which do succeeded.
func (c *chosen) each(ctx context.Context, out *console, s *app.App, q jobs.Queue, done string,
	do func(id int64) error) error {
	switch {
	case c.All == (len(c.IDs) > 0):
		return usage("choose jobs: give their IDs, or --all for all failed jobs")
	case c.Kind != "" && !c.All:
		return usage("--kind needs --all")
	}
	if c.All {
		failed, err := jobs.List(ctx, q, jobs.Filter{State: jobs.Failed, Kind: c.Kind})
		if err != nil {
			return err
		}
		for _, j := range failed {
			c.IDs = append(c.IDs, j.ID)
		}
	}
	count := 0
	var problems []error
	for i, id := range c.IDs {
		if i > 0 {
			time.Sleep(pauseBetween)
		}
		if err := do(id); err != nil {
			problems = append(problems, fmt.Errorf("job %d: %w", id, err))
			continue
		}
		count++
	}
	fmt.Fprintf(out.stdout, "%d %s\n", count, done)
	if count > 0 {
		values := map[string]any{"count": count, "ids": c.IDs[:min(len(c.IDs), 100)], "kind": c.Kind}
		problems = append(problems, s.Accounts.RecordAct(ctx, "Job", values))
	}
	return errors.Join(problems...)
}
