package jobs

import (
	"context"
	"errors"
	"time"

	"enlist/internal/app"
	"enlist/internal/imports"

	"github.com/riverqueue/river"
)

// This file has the worker that runs Imports.

const (
	// importTime is the time after which a job ends and the queue starts it again. It is shorter than timeout, so the
	// queue finds out soon that the process of a job has died.
	importTime = timeout - 15*time.Second
	// importSnooze is the time after which a job looks again at an Import that another process runs.
	importSnooze = 15 * time.Second
)

// importQueue returns the configuration of the queue of Imports. Several Imports run at the same time, so that a large
// file does not delay a small one.
func importQueue() river.QueueConfig { return river.QueueConfig{MaxWorkers: 4} }

// importWorker runs Imports.
type importWorker struct {
	river.WorkerDefaults[imports.RunImport]
	service *app.App
}

// Work implements river.Worker. An interrupted job is no failed attempt: it continues after the last step.
func (w *importWorker) Work(ctx context.Context, job *river.Job[imports.RunImport]) error {
	ctx, cancel := context.WithTimeout(ctx, importTime)
	defer cancel()
	err := w.service.Imports.RunImport(ctx, job.Args.Import)
	switch {
	case errors.Is(err, imports.ErrImportRuns):
		return river.JobSnooze(importSnooze)
	case err != nil && ctx.Err() != nil:
		return river.JobSnooze(0)
	}
	return err
}
