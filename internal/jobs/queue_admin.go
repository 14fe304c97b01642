package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/db/jobqueue"
	"enlist/internal/events"
	"enlist/internal/messages"
	"enlist/internal/webhooks"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// This file has the functions of the command `enlist jobs`: they list, retry and discard jobs. `enlist doctor` sums up the
// failed ones.

// Queue is a client of the queue that need not run jobs.
type Queue = jobqueue.Library

// State is the state of a job, in words for the operator.
type State string

// The states of jobs.
const (
	Waiting   State = "waiting"   // runs as soon as a worker is free
	Scheduled State = "scheduled" // runs when it is due
	Running   State = "running"
	Retrying  State = "retrying" // failed, and runs again after a delay
	Failed    State = "failed"   // all attempts failed; the job is kept
)

// queueStates has the states of the queue library for each State.
var queueStates = map[State][]rivertype.JobState{
	Waiting:   {rivertype.JobStateAvailable, rivertype.JobStatePending},
	Scheduled: {rivertype.JobStateScheduled},
	Running:   {rivertype.JobStateRunning},
	Retrying:  {rivertype.JobStateRetryable},
	Failed:    {rivertype.JobStateDiscarded, rivertype.JobStateCancelled},
}

// Job is a job in the form that the operator sees.
type Job struct {
	ID       int64
	Kind     string
	State    State
	Attempt  int // number of attempts so far
	Created  time.Time
	Next     time.Time // time of the next run; zero if the job runs now or has failed
	About    string    // arguments of the job (an db.Effect) as JSON
	LastFail string    // error of the last failed attempt, "" if no attempt failed
}

// Filter selects jobs. The zero value selects all jobs that are not completed.
type Filter struct {
	State State
	Kind  string
	Limit int // largest number of jobs; 0: no limit
}

// pageSize is the largest number of jobs that one query reads.
const pageSize = 1000

// List returns the selected jobs in the order of their IDs.
func List(ctx context.Context, q Queue, f Filter) (found []Job, err error) {
	for after := int64(0); ; {
		rows, err := f.page(ctx, q, after)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			found = append(found, job(row))
			if len(found) == f.Limit {
				return found, nil
			}
		}
		if len(rows) < pageSize {
			return found, nil
		}
		after = rows[len(rows)-1].ID
	}
}

// page returns the first pageSize of the selected jobs whose ID is greater than after.
func (f Filter) page(ctx context.Context, q Queue, after int64) ([]*rivertype.JobRow, error) {
	params := river.NewJobListParams().First(pageSize).OrderBy(river.JobListOrderByID, river.SortOrderAsc).
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

// job converts a row of the queue library into a Job.
func job(row *rivertype.JobRow) Job {
	j := Job{ID: row.ID, Kind: row.Kind, Attempt: row.Attempt, Created: row.CreatedAt, About: string(row.EncodedArgs)}
	for state, names := range queueStates {
		if slices.Contains(names, row.State) {
			j.State = state
		}
	}
	if j.State == Waiting || j.State == Scheduled || j.State == Retrying {
		j.Next = row.ScheduledAt
	}
	if n := len(row.Errors); n > 0 {
		j.LastFail = strings.TrimPrefix(row.Errors[n-1].Error, "JobCancelError: ") // version 1.0 added it
	}
	return j
}

// ErrNoJob means that no job has this ID. ErrRunning means that a worker is running the job.
// ErrNotDue means that the job sends an autoresponder that is not due yet.
var (
	ErrNoJob   = errors.New("there is no such job: it may already be completed")
	ErrRunning = errors.New("the job is running")
	ErrNotDue  = errors.New("the autoresponder is not due yet; it is sent when it is due")
)

// Retry lets a job run as soon as a worker is free. The job can also be in the state Failed. Retry
// returns ErrNoJob, ErrRunning or ErrNotDue if the job cannot run now.
func Retry(ctx context.Context, q Queue, h *webhooks.Service, id int64) error {
	if err := prepareRetry(ctx, q, h, id); err != nil {
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

// prepareRetry handles the two kinds of jobs whose worker checks a time. Before that time, the
// worker puts the job back into the queue. For an autoresponder that is not due, prepareRetry
// returns ErrNotDue. For a webhook it ends the delay after a failed POST.
func prepareRetry(ctx context.Context, q Queue, h *webhooks.Service, id int64) error {
	result, err := q.JobList(ctx, river.NewJobListParams().First(1).Where("id = @id", river.NamedArgs{"id": id}))
	if err != nil || len(result.Jobs) == 0 {
		return err
	}
	switch row := result.Jobs[0]; row.Kind {
	case events.Autorespond{}.Kind():
		var a events.Autorespond
		if err := json.Unmarshal(row.EncodedArgs, &a); err != nil {
			return err
		}
		if a.Due > time.Now().Unix() {
			return ErrNotDue
		}
	case events.DeliverWebhook{}.Kind():
		var c events.DeliverWebhook
		if err := json.Unmarshal(row.EncodedArgs, &c); err != nil {
			return err
		}
		return h.RetryWebhookNow(ctx, c.Target)
	}
	return nil
}

// Discard deletes a job, so that no worker runs it again. It returns ErrNoJob if there is no such
// job, and ErrRunning if a worker is running it.
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

// Failure has the failed jobs of one kind.
type Failure struct {
	Kind    string
	Refused bool // the mail server refused the addresses of these mails, which is no fault of this server
	Count   int
	Last    string // error of the newest one
}

// Failures returns the failed jobs by kind, in the order of their first job. It leaves out calls of webhooks: a failing
// webhook is one problem, however many jobs it has.
func Failures(ctx context.Context, q Queue) (all []Failure, err error) {
	failed, err := List(ctx, q, Filter{State: Failed})
	if err != nil {
		return nil, err
	}
	for _, j := range failed {
		if j.Kind == (events.DeliverWebhook{}).Kind() {
			continue
		}
		refused := j.refused()
		i := slices.IndexFunc(all, func(f Failure) bool { return f.Kind == j.Kind && f.Refused == refused })
		if i < 0 {
			i = len(all)
			all = append(all, Failure{Kind: j.Kind, Refused: refused})
		}
		all[i].Count++
		all[i].Last = j.LastFail
	}
	return all, nil
}

// ofMail are the kinds of jobs that send a mail.
var ofMail = []string{events.Notify{}.Kind(), events.Autorespond{}.Kind(), contacts.RequestConfirmation{}.Kind(),
	messages.SendTest{}.Kind(), contacts.SendLink{}.Kind()}

// aboutSender matches a reply about the sender, the mail system or policy, which other mails would get too. RFC 3463
var aboutSender = regexp.MustCompile(`answered \d{3} (5\.[3567]\.|5\.1\.[789] )`)

// refused reports whether the mail server refused the recipient of a mail for ever.
func (j *Job) refused() bool {
	return slices.Contains(ofMail, j.Kind) && strings.Contains(j.LastFail, "the mail server answered 5") &&
		!aboutSender.MatchString(j.LastFail)
}
