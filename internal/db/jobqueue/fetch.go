package jobqueue

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"enlist/internal/db"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// This file takes jobs and runs them.

// retryPause is how long a queue waits after an error of the database.
const retryPause = time.Second

// statementTime is the longest time to fetch jobs or to store results.
const statementTime = 10 * time.Second

// maxAttemptedBy is the largest number of names of processes that a job keeps.
const maxAttemptedBy = 100

// serve fetches the jobs of a queue and starts them, until ctx ends. work is the context of the jobs.
func (c *Client) serve(ctx, work context.Context, q *queue) {
	defer q.close()
	q.call()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
		}
		if ctx.Err() == nil {
			c.fetch(ctx, work, q)
		}
		pause.Reset(q.Pause)
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}

// fetch starts as many jobs as there are free workers. The end of ctx does not interrupt it: a job could be taken and
// never run.
func (c *Client) fetch(ctx, work context.Context, q *queue) {
	free, due, scheduled := q.begin(time.Now())
	if free == 0 {
		return
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), statementTime)
	defer cancel()
	jobs, err := c.take(limited, q, free, scheduled)
	q.started(len(jobs), len(jobs) < free)
	for _, job := range jobs {
		c.jobs.Go(func() { c.run(work, q, job) })
	}
	switch {
	case err != nil:
		c.trouble(ctx, "fetch jobs", err)
		q.expect(time.Now().Add(retryPause), rivertype.JobStateScheduled)
	case due && len(jobs) < free:
		c.readDue(ctx, []string{q.name}) // only the first one was known
	}
}

func (c *Client) take(ctx context.Context, q *queue, most int, scheduled bool) ([]*rivertype.JobRow, error) {
	if scheduled {
		if err := c.db.MakeDueAvailable(ctx, q.name); err != nil {
			return nil, err
		}
	}
	holder := c.name
	if token := c.db.Presence(ctx); token != "" {
		holder = holderOf(token)
	}
	c.hold(holder, nil)
	jobs, err := c.exec.JobGetAvailable(ctx, &riverdriver.JobGetAvailableParams{ClientID: holder, Queue: q.name,
		MaxToLock: most, MaxAttemptedBy: maxAttemptedBy})
	c.hold(holder, jobs)
	return jobs, err
}

// run runs a job.
func (c *Client) run(ctx context.Context, q *queue, row *rivertype.JobRow) {
	defer q.done()
	if c.config.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, c.config.Timeout)
		defer cancel()
		ctx = limited
	}
	began := time.Now()
	c.results.add(c.resultOf(ctx, q, row, began, work(ctx, q, row)))
}

// panicError is the error of a job that panicked.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

func work(ctx context.Context, q *queue, row *rivertype.JobRow) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p, debug.Stack()}
		}
	}()
	job := db.Job{ID: row.ID, Created: row.CreatedAt, Attempt: row.Attempt, MaxAttempts: row.MaxAttempts,
		Postponed: postponed(row.Metadata)}
	return q.Work(ctx, job, row.EncodedArgs)
}

// postponements is what the metadata of a job has about them. The name is the library's.
type postponements struct {
	Snoozes int `json:"snoozes"`
}

// postponed returns how often a job was put back.
func postponed(metadata []byte) int {
	var before postponements
	if err := json.Unmarshal(metadata, &before); err != nil {
		return 0
	}
	return before.Snoozes
}
