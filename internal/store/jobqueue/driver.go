// Package jobqueue adapts the drivers of the queue library (River) for both stores.
//
// The library updates the row of a completed job, and later reads and deletes this row. No part of the service
// looks at completed jobs. So the adapted driver deletes a job when it is completed. This takes one
// statement for many jobs. All other results of jobs are stored as the library stores them.
package jobqueue

import (
	"context"
	"slices"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// DeleteRunning deletes those of the jobs that are running. It returns the ID and the kind of each deleted job.
type DeleteRunning func(ctx context.Context, ids []int64) ([]*rivertype.JobRow, error)

// deleteStep is the largest number of jobs that one statement deletes. On SQLite no other transaction can
// write while the statement runs.
const deleteStep = 500

// DeleteCompleted returns a driver that deletes completed jobs and otherwise works like d. If the result of a
// job is stored, but the process dies before the job is deleted, the queue runs the job again.
func DeleteCompleted[TTx any](d riverdriver.Driver[TTx], remove DeleteRunning) riverdriver.Driver[TTx] {
	return driver[TTx]{d, remove}
}

type driver[TTx any] struct {
	riverdriver.Driver[TTx]
	remove DeleteRunning
}

// GetExecutor implements riverdriver.Driver.
func (d driver[TTx]) GetExecutor() riverdriver.Executor {
	return executor{d.Driver.GetExecutor(), d.remove}
}

type executor struct {
	riverdriver.Executor
	remove DeleteRunning
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
