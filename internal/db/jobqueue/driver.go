// Package jobqueue adapts the drivers of the queue library (River) for both stores.
//
// The library updates the row of a completed job, and later reads and deletes this row. No part of the service
// looks at completed jobs. So the adapted driver deletes a job when it is completed. This takes one
// statement for many jobs. All other results of jobs are stored as the library stores them.
//
// The library would poll several times a second for jobs that become due. The adapted driver sets an alarm for each
// of these jobs (alarms.go), so that the library polls seldom. SQLite cannot notify workers of new jobs: listener.go
// does this within a process. Jobs of a process that has died start again within seconds (returned.go).
package jobqueue

import (
	"context"
	"slices"
	"time"

	"enlist/internal/db"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// DeleteRunning deletes those of the jobs that are running. It returns the ID and the kind of each deleted job.
type DeleteRunning func(ctx context.Context, ids []int64) ([]*rivertype.JobRow, error)

// deleteStep is the largest number of jobs that one statement deletes. On SQLite no other transaction can
// write while the statement runs.
const deleteStep = 500

// Adapt returns a driver that deletes completed jobs and otherwise works like d. If the result of a job is stored, but
// the process dies before the job is deleted, the queue runs the job again. The driver sets an alarm for each job that
// it makes available.
func Adapt[TTx any](d riverdriver.Driver[TTx], remove DeleteRunning, alarms *Alarms,
	presence db.Presence) riverdriver.Driver[TTx] {
	return driver[TTx]{d, remove, alarms, presence}
}

type driver[TTx any] struct {
	riverdriver.Driver[TTx]
	remove   DeleteRunning
	alarms   *Alarms
	presence db.Presence
}

// GetExecutor implements riverdriver.Driver.
func (d driver[TTx]) GetExecutor() riverdriver.Executor {
	return executor{d.Driver.GetExecutor(), d.remove, d.alarms, d.presence}
}

type executor struct {
	riverdriver.Executor
	remove   DeleteRunning
	alarms   *Alarms
	presence db.Presence
}

// Begin implements riverdriver.Executor.
func (e executor) Begin(ctx context.Context) (riverdriver.ExecutorTx, error) {
	tx, err := e.Executor.Begin(ctx)
	return transaction{tx, e.alarms}, err
}

// JobRetry implements riverdriver.Executor.
func (e executor) JobRetry(ctx context.Context, p *riverdriver.JobRetryParams) (*rivertype.JobRow, error) {
	job, err := e.Executor.JobRetry(ctx, p)
	if err == nil {
		setAlarm(e.alarms, job)
	}
	return job, err
}

// setAlarm sets an alarm for a job that a worker may fetch when it is due.
func setAlarm(a *Alarms, job *rivertype.JobRow) {
	if job.State == rivertype.JobStateAvailable {
		a.Set(job.Queue, job.ScheduledAt)
	}
}

// transaction sets alarms for the jobs that the library makes available in a transaction. The transaction is
// committed within milliseconds, and an alarm is a little late.
type transaction struct {
	riverdriver.ExecutorTx
	alarms *Alarms
}

// JobSchedule implements riverdriver.Executor. The library calls it every 5 s for the jobs that are due in the
// next 5 s.
func (t transaction) JobSchedule(ctx context.Context, p *riverdriver.JobScheduleParams) (
	[]*riverdriver.JobScheduleResult, error) {
	scheduled, err := t.ExecutorTx.JobSchedule(ctx, p)
	for _, s := range scheduled {
		setAlarm(t.alarms, &s.Job)
	}
	return scheduled, err
}

// JobInsertFastMany implements riverdriver.Executor.
func (t transaction) JobInsertFastMany(ctx context.Context, p *riverdriver.JobInsertFastManyParams) (
	[]*riverdriver.JobInsertFastResult, error) {
	inserted, err := t.ExecutorTx.JobInsertFastMany(ctx, p)
	for _, r := range inserted {
		setAlarm(t.alarms, r.Job)
	}
	return inserted, err
}

// JobSetStateIfRunningMany implements riverdriver.Executor. The library calls it with the results of all jobs
// that ended since the last call. The result has no row for a job that is not running any more.
func (e executor) JobSetStateIfRunningMany(ctx context.Context,
	p *riverdriver.JobSetStateIfRunningManyParams) (rows []*rivertype.JobRow, err error) {
	var completed []int64
	ended := make(map[int64]*time.Time, len(p.ID))
	others := &riverdriver.JobSetStateIfRunningManyParams{Now: p.Now, Schema: p.Schema}
	for i, id := range p.ID {
		if p.State[i] == rivertype.JobStateCompleted {
			completed, ended[id] = append(completed, id), p.FinalizedAt[i]
		} else {
			appendResult(others, p, i)
		}
	}
	for ids := range slices.Chunk(completed, deleteStep) {
		deleted, err := e.remove(ctx, ids)
		if err != nil {
			return nil, err
		}
		for _, job := range deleted {
			job.State, job.FinalizedAt = rivertype.JobStateCompleted, ended[job.ID]
		}
		rows = append(rows, deleted...)
	}
	if len(others.ID) > 0 {
		stored, err := e.Executor.JobSetStateIfRunningMany(ctx, others)
		if err != nil {
			return nil, err
		}
		for _, job := range stored {
			setAlarm(e.alarms, job)
		}
		rows = append(rows, stored...)
	}
	return rows, nil
}

// appendResult appends the result of job number i.
func appendResult(to, from *riverdriver.JobSetStateIfRunningManyParams, i int) {
	to.ID = append(to.ID, from.ID[i])
	to.Attempt = append(to.Attempt, from.Attempt[i])
	to.ErrData = append(to.ErrData, from.ErrData[i])
	to.FinalizedAt = append(to.FinalizedAt, from.FinalizedAt[i])
	to.MetadataDoMerge = append(to.MetadataDoMerge, from.MetadataDoMerge[i])
	to.MetadataUpdates = append(to.MetadataUpdates, from.MetadataUpdates[i])
	to.ScheduledAt = append(to.ScheduledAt, from.ScheduledAt[i])
	to.State = append(to.State, from.State[i])
}
