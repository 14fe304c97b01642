package imports

import (
	"context"
	"errors"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// RunImport runs an Import, unless another process runs it.
type RunImport struct {
	Import  enlist.ImportID  `json:"import_id"`
	Account enlist.AccountID `json:"account_id"`
	Due     int64            `json:"due"` // when the job may start; 0: at once
}

// Owner returns the Account whose places the job takes.
func (r RunImport) Owner() enlist.AccountID { return r.Account }

// Kind implements Effect.
func (RunImport) Kind() string { return "run_import" }

// DueTime returns when the job may start.
func (r RunImport) DueTime() int64 { return r.Due }

// RemoveImportResults removes the results of an Import's rows, in steps.
type RemoveImportResults struct {
	Import enlist.ImportID `json:"import_id"`
	Due    int64           `json:"due"` // when the job may start
}

// Kind implements Effect.
func (RemoveImportResults) Kind() string { return "remove_import_results" }

// DueTime returns when the job may start.
func (r RemoveImportResults) DueTime() int64 { return r.Due }

const (
	// jobTime is the time after which a job ends, and runs again at once. It is shorter than the time limit of jobs, so
	// the queue finds out soon that the process of a job has died.
	jobTime = 90 * time.Second
	// busyWait is the time after which a job looks again at an Import that another process runs.
	busyWait = 15 * time.Second
)

// RunJob does the work of a job. An interrupted job is no failed attempt: it continues after the last step.
func (s *Service) RunJob(ctx context.Context, _ db.Job, e RunImport) error {
	ctx, cancel := context.WithTimeout(ctx, jobTime)
	defer cancel()
	err := s.RunImport(ctx, e.Import)
	switch {
	case errors.Is(err, ErrImportRuns), errors.Is(err, ErrNoMemory):
		return db.Later(busyWait)
	case err != nil && ctx.Err() != nil:
		return db.Later(0)
	}
	return err
}
