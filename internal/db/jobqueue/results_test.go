package jobqueue

import (
	"context"
	"errors"
	"testing"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// failing is a Database that fails to delete jobs once.
type failing struct {
	Database
	failed  bool
	deleted int
}

func (f *failing) DeleteDone(_ context.Context, done []Run) ([]*rivertype.JobRow, error) {
	if !f.failed {
		f.failed = true
		return nil, errors.New("the database is away")
	}
	f.deleted += len(done)
	return nil, nil
}

// After an error of the database, all results are kept, also those of the statements that would have followed.
func TestResultsAreKeptWhileTheDatabaseIsAway(t *testing.T) {
	d := new(failing)
	c := New(nil, d, nil, new(Workers), new(Config))
	const n = 2*deleteStep + 1
	for id := range int64(n) {
		c.results.add(result{&riverdriver.JobSetStateIfRunningParams{ID: id}, Completed, 1})
	}
	if c.store(t.Context()) || !c.store(t.Context()) || d.deleted != n {
		t.Errorf("%d of %d results are stored", d.deleted, n)
	}
}
