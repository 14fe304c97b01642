package jobs_test

import (
	"context"
	"testing"
	"time"

	"enlist/internal/db"
	"enlist/internal/imports"
	"enlist/internal/jobs"
)

// One Account has ten Imports that run for long. Half of the slots stay free for the Imports of other Accounts, and the
// jobs without a slot go back to the queue.
//
// covers: decision 52
func TestAnAccountHasHalfOfTheSlots(t *testing.T) {
	started, end := make(chan struct{}), make(chan struct{})
	do := jobs.SharedImport(func(context.Context, db.Job, imports.RunImport) error {
		started <- struct{}{}
		<-end
		return nil
	})
	results := make(chan error)
	run := func(r imports.RunImport) {
		go func() { results <- do(t.Context(), db.Job{}, r) }()
	}
	for range 10 {
		run(imports.RunImport{Account: 1})
	}
	waiting := 0
	for range 10 {
		select {
		case <-started:
		case err := <-results:
			if err != db.Later(time.Second) {
				t.Errorf("the job ended with %v, want another try after a second", err)
			}
			waiting++
		}
	}
	if waiting != 8 {
		t.Errorf("%d Imports of the Account wait, want 8: 2 run", waiting)
	}
	run(imports.RunImport{Account: 2})
	select {
	case <-started:
	case err := <-results:
		t.Errorf("the Import of another Account does not run: %v", err)
	}
	close(end)
	for range 3 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}
