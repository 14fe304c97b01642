package jobqueue

import (
	"context"
	"time"

	"enlist/internal/db"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// This file returns the jobs of processes that have died to their queues. The library would wait for minutes.

// holderOf returns the name of a process in the jobs that it fetches: its token, in the form of db.HolderIsGone.
func holderOf(token string) string { return token + "/jobs" }

// JobGetAvailable implements riverdriver.Executor. A job has the name of the process that fetched it last.
func (e executor) JobGetAvailable(ctx context.Context, p *riverdriver.JobGetAvailableParams) (
	[]*rivertype.JobRow, error) {
	if token := e.presence.Presence(ctx); token != "" {
		named := *p
		named.ClientID = holderOf(token)
		p = &named
	}
	return e.Executor.JobGetAvailable(ctx, p)
}

// Running reads and changes the jobs that run.
type Running interface {
	db.Presence
	// JobHolders returns the names of the processes that run jobs.
	JobHolders(ctx context.Context) ([]string, error)
	// ReturnJobsOf makes the jobs of a process available after a time, and returns their queues. It leaves out jobs
	// that have no attempt left.
	ReturnJobsOf(ctx context.Context, holder string, after time.Duration) (queues []string, err error)
}

// ReturnJobs returns the jobs of processes that have died to their queues. They start after db.StopTime, because a
// process on PostgreSQL can live and have lost only its connection. A job of such a process that takes longer runs
// twice.
func ReturnJobs(ctx context.Context, r Running, alarms *Alarms) error {
	holders, err := r.JobHolders(ctx)
	if err != nil {
		return err
	}
	for _, holder := range holders {
		gone, err := db.HolderIsGone(ctx, r, holder)
		if err != nil {
			return err
		}
		if !gone {
			continue
		}
		due := time.Now().Add(db.StopTime)
		queues, err := r.ReturnJobsOf(ctx, holder, db.StopTime)
		if err != nil {
			return err
		}
		for _, queue := range queues {
			alarms.Set(queue, due)
		}
	}
	return nil
}
