package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Queue is what a client of the queue library lets people do with jobs.
type Queue interface {
	JobList(ctx context.Context, params *river.JobListParams) (*river.JobListResult, error)
	JobRetry(ctx context.Context, id int64) (*rivertype.JobRow, error)
	JobDelete(ctx context.Context, id int64) (*rivertype.JobRow, error)
}

// Client is a client of the queue library, which has a type of its own for each
// engine, that works jobs.
type Client interface {
	Queue
	Sweeper
	Start(ctx context.Context) error
	Stop(ctx context.Context) error          // lets jobs finish
	StopAndCancel(ctx context.Context) error // and breaks them off
}

// State says where a job has got to, in words for people.
type State string

// The states.
const (
	Waiting   State = "waiting"   // to be taken up now
	Scheduled State = "scheduled" // to be taken up later
	Running   State = "running"
	Retrying  State = "retrying" // failed, to be tried again
	Failed    State = "failed"   // given up on, and kept
)

// queueStates are the queue library's names for a State.
var queueStates = map[State][]rivertype.JobState{
	Waiting:   {rivertype.JobStateAvailable, rivertype.JobStatePending},
	Scheduled: {rivertype.JobStateScheduled},
	Running:   {rivertype.JobStateRunning},
	Retrying:  {rivertype.JobStateRetryable},
	Failed:    {rivertype.JobStateDiscarded, rivertype.JobStateCancelled},
}

// Job is a job as people see it.
type Job struct {
	ID       int64
	Kind     string
	State    State
	Attempt  int // how often it was tried
	Created  time.Time
	Next     time.Time // when it is taken up; zero when it is not
	About    string    // the effect, as JSON
	LastFail string    // why the last try failed, "" when none did
}

// Filter says which jobs are meant; the zero value means all that are not done.
type Filter struct {
	State State
	Kind  string
	Limit int
}

// page is how many jobs are read at once.
const page = 1000

// List returns jobs by ID, at most Filter.Limit where that is not 0.
func List(ctx context.Context, q Queue, f Filter) (found []Job, err error) {
	for after := int64(0); ; {
		rows, err := f.page(ctx, q, after)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if found = append(found, job(row)); len(found) == f.Limit {
				return found, nil
			}
		}
		if len(rows) < page {
			return found, nil
		}
		after = rows[len(rows)-1].ID
	}
}

func (f Filter) page(ctx context.Context, q Queue, after int64) ([]*rivertype.JobRow, error) {
	params := river.NewJobListParams().First(page).OrderBy(river.JobListOrderByID, river.SortOrderAsc).
		Where("id > @after", river.NamedArgs{"after": after})
	states := queueStates[f.State]
	if f.State == "" {
		for _, s := range queueStates {
			states = append(states, s...)
		}
	}
	params = params.States(states...)
	if f.Kind != "" {
		params = params.Kinds(f.Kind)
	}
	result, err := q.JobList(ctx, params)
	if err != nil {
		return nil, err
	}
	return result.Jobs, nil
}

func job(row *rivertype.JobRow) Job {
	j := Job{ID: row.ID, Kind: row.Kind, Attempt: row.Attempt, Created: row.CreatedAt, About: string(row.EncodedArgs)}
	for state, names := range queueStates {
		for _, name := range names {
			if name == row.State {
				j.State = state
			}
		}
	}
	if j.State == Waiting || j.State == Scheduled || j.State == Retrying {
		j.Next = row.ScheduledAt
	}
	if n := len(row.Errors); n > 0 {
		j.LastFail = row.Errors[n-1].Error
	}
	return j
}

// ErrNoJob says that there is no job with an ID, ErrRunning that somebody works
// on it just now, ErrNotDue that an autoresponder has a time to come.
var (
	ErrNoJob   = errors.New("there is no such job: it may be done")
	ErrRunning = errors.New("the job is running")
	ErrNotDue  = errors.New("the autoresponder is not due yet; it goes out at its time")
)

// WebhookRetrier has a target of webhooks called before the time that it waits for.
type WebhookRetrier interface {
	RetryWebhookNow(ctx context.Context, target audience.WebhookTargetID) error
}

// Retry has a job taken up now, also one that was given up on. What is not due
// yet keeps its time.
func Retry(ctx context.Context, q Queue, h WebhookRetrier, id int64) error {
	if err := prepare(ctx, q, h, id); err != nil {
		return err
	}
	row, err := q.JobRetry(ctx, id)
	switch {
	case errors.Is(err, rivertype.ErrNotFound):
		return ErrNoJob
	case err == nil && row.State == rivertype.JobStateRunning:
		return ErrRunning
	}
	return err
}

// prepare sees to the jobs that go by a time of their own, besides the queue's: a
// worker would put them back until then.
func prepare(ctx context.Context, q Queue, h WebhookRetrier, id int64) error {
	result, err := q.JobList(ctx, river.NewJobListParams().First(1).Where("id = @id", river.NamedArgs{"id": id}))
	if err != nil || len(result.Jobs) == 0 {
		return err
	}
	switch row := result.Jobs[0]; row.Kind {
	case audience.Autorespond{}.Kind():
		var a audience.Autorespond
		if err := json.Unmarshal(row.EncodedArgs, &a); err != nil {
			return err
		}
		if a.Due > time.Now().Unix() {
			return ErrNotDue
		}
	case audience.DeliverWebhook{}.Kind():
		var c audience.DeliverWebhook
		if err := json.Unmarshal(row.EncodedArgs, &c); err != nil {
			return err
		}
		return h.RetryWebhookNow(ctx, c.Target)
	}
	return nil
}

// Discard removes a job: what it was to do is not done.
func Discard(ctx context.Context, q Queue, id int64) error {
	_, err := q.JobDelete(ctx, id)
	switch {
	case errors.Is(err, rivertype.ErrNotFound):
		return ErrNoJob
	case errors.Is(err, rivertype.ErrJobRunning):
		return ErrRunning
	}
	return err
}
