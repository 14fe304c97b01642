package imports

import "enlist/internal/enlist"

// RunImport runs an Import, unless another process runs it.
type RunImport struct {
	Import enlist.ImportID `json:"import_id"`
	Due    int64           `json:"due"` // when the job may start; 0: at once
}

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
