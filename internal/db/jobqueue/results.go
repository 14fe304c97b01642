package jobqueue

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"enlist/internal/db"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// This file says what becomes of a job, and stores it. A completed job is deleted: no part of the service looks at
// completed jobs. The results of all jobs that end within storePause share a transaction. If the process dies before a
// result is stored, the job runs again.

// Kind says how a run of a job ended.
type Kind string

// The Kinds.
const (
	Completed Kind = "completed"
	Failed    Kind = "failed"    // runs again, or all attempts have failed
	Cancelled Kind = "cancelled" // can never succeed
	Postponed Kind = "postponed" // was not tried
)

// Event is the result of a run. Of a completed job, Job has only the ID and the kind.
type Event struct {
	Kind Kind
	Job  *rivertype.JobRow
}

const (
	storePause  = 250 * time.Millisecond // longest time until a result is stored
	storeAtOnce = 100                    // number of results that do not wait for it
	storeTime   = 2 * time.Second        // longest time of the last attempt, when the process stops

	// deleteStep is the largest number of jobs that one statement deletes. On SQLite no other transaction can write
	// while the statement runs.
	deleteStep = 500

	// availableWithin is the time before it is due within which a job is stored as available. MakeDueAvailable has less
	// to do.
	availableWithin = 5 * time.Second
)

// result is one result, in the form of the library.
type result struct {
	*riverdriver.JobSetStateIfRunningParams
	kind    Kind
	attempt int // that this run was
}

// resultOf returns the result of a run that ended with err. If the process stops, the job goes back to the queue, and
// the run does not count as an attempt.
func (c *Client) resultOf(ctx context.Context, q *queue, job *rivertype.JobRow, began time.Time, err error) result {
	params, kind := c.paramsOf(ctx, q, job, began, err)
	return result{params, kind, job.Attempt}
}

func (c *Client) paramsOf(ctx context.Context, q *queue, job *rivertype.JobRow, began time.Time, err error) (
	*riverdriver.JobSetStateIfRunningParams, Kind) {
	now := time.Now().UTC()
	if err == nil {
		return riverdriver.JobSetStateCompleted(job.ID, now, nil), Completed
	}
	later, isLater := errors.AsType[db.Later](err)
	if errors.Is(ctx.Err(), context.Canceled) {
		later, isLater = 0, true
	}
	if isLater {
		return postpone(job, now.Add(time.Duration(later)), now)
	}
	_, isFinal := errors.AsType[*db.Final](err)
	c.logFailure(ctx, q, job, err, isFinal)
	failure := rivertype.AttemptError{At: began.UTC(), Attempt: job.Attempt, Error: err.Error()}
	if p, ok := errors.AsType[*panicError](err); ok {
		failure.Trace = string(p.stack)
	}
	failure.Error, _ = db.Storable(failure.Error)
	failure.Trace, _ = db.Storable(failure.Trace)
	data, _ := json.Marshal(failure) // texts and numbers
	at := now.Add(retryAfter(job, err))
	switch {
	case isFinal:
		return riverdriver.JobSetStateCancelled(job.ID, now, data, nil), Cancelled
	case job.Attempt >= job.MaxAttempts:
		return riverdriver.JobSetStateDiscarded(job.ID, now, data, nil), Failed
	case at.Sub(now) <= availableWithin:
		return riverdriver.JobSetStateErrorAvailable(job.ID, at, data, nil), Failed
	}
	return riverdriver.JobSetStateErrorRetryable(job.ID, at, data, nil), Failed
}

func postpone(job *rivertype.JobRow, at, now time.Time) (*riverdriver.JobSetStateIfRunningParams, Kind) {
	metadata, _ := json.Marshal(postponements{postponed(job.Metadata) + 1})
	if at.Sub(now) <= availableWithin {
		return riverdriver.JobSetStateSnoozedAvailable(job.ID, at, job.Attempt-1, metadata), Postponed
	}
	return riverdriver.JobSetStateSnoozed(job.ID, at, job.Attempt-1, metadata), Postponed
}

// retryAfter returns how long a failed job waits: as long as its error says, or 1, 16, 81, … seconds, the fourth power
// of the attempt, with a random difference of up to a tenth.
func retryAfter(job *rivertype.JobRow, err error) time.Duration {
	if retry, ok := errors.AsType[*db.Retry](err); ok {
		return max(retry.After, 0)
	}
	seconds := math.Pow(float64(len(job.Errors)+1), 4) * (0.9 + 0.2*rand.Float64())
	return time.Duration(seconds * float64(time.Second))
}

// logFailure logs why a job failed. The error of a mail often repeats the address of a subscriber, so the log has it
// only at the level debug. The operator can read it with `enlist jobs list`.
func (c *Client) logFailure(ctx context.Context, q *queue, job *rivertype.JobRow, err error, final bool) {
	level, message := slog.LevelWarn, "a job failed; it runs again"
	var panicked *panicError
	switch {
	case errors.As(err, &panicked):
		level, message = slog.LevelError, "a job panicked"
	case final:
		level, message = slog.LevelDebug, "a job failed and can never succeed"
	case job.Attempt >= job.MaxAttempts:
		level, message = slog.LevelError, "a job failed in all attempts"
	}
	reason := err.Error()
	if q.Private && !c.log.Enabled(ctx, slog.LevelDebug) {
		reason = "see enlist jobs list"
	}
	attributes := []any{"job_kind", job.Kind, "job_id", job.ID, "attempt", job.Attempt, "error", reason}
	if panicked != nil {
		attributes = append(attributes, "stack", string(panicked.stack))
	}
	c.log.Log(ctx, level, message, attributes...)
}

// results are those that are not stored yet.
type results struct {
	mu    *sync.Mutex
	all   []result
	first chan struct{} // has a value after a first result was added
	many  chan struct{} // has a value after storeAtOnce results
}

func newResults() results {
	return results{mu: new(sync.Mutex), first: make(chan struct{}, 1), many: make(chan struct{}, 1)}
}

func (r *results) add(added ...result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, added...)
	signal(r.first)
	if len(r.all) >= storeAtOnce {
		signal(r.many)
	}
}

func (r *results) take() []result {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

// storeResults stores results until no job runs any more.
func (c *Client) storeResults(last <-chan struct{}) {
	ctx := context.Background() // a result is stored also if the process stops
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-last:
			limited, cancel := context.WithTimeout(ctx, storeTime)
			defer cancel()
			c.store(limited)
			return
		case <-c.results.first:
		}
		pause.Reset(storePause)
		select {
		case <-last: // also the next select returns at once
			continue
		case <-pause.C:
		case <-c.results.many:
		}
		if !c.store(ctx) {
			pause.Reset(retryPause)
			select {
			case <-last:
			case <-pause.C:
			}
		}
	}
}

// store stores all results. After an error it keeps those that are not stored.
func (c *Client) store(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, statementTime)
	defer cancel()
	all := c.results.take()
	for part := range slices.Chunk(all, deleteStep) {
		if err := c.storePart(ctx, part); err != nil {
			c.trouble(ctx, "store the results of jobs", err)
			c.results.add(all...) // one that was stored changes nothing: its job is not running any more
			return false
		}
		c.release(part)
		all = all[len(part):]
	}
	return true
}

func (c *Client) storePart(ctx context.Context, part []result) error {
	kinds := make(map[int64]Kind, len(part))
	var completed []Run
	others := new(riverdriver.JobSetStateIfRunningManyParams)
	for _, r := range part {
		kinds[r.ID] = r.kind
		if r.kind == Completed {
			completed = append(completed, Run{r.ID, r.attempt})
		} else {
			appendResult(others, r)
		}
	}
	var rows []*rivertype.JobRow
	if len(completed) > 0 {
		deleted, err := c.db.DeleteDone(ctx, completed)
		if err != nil {
			return err
		}
		rows = deleted
	}
	if len(others.ID) > 0 {
		stored, err := c.exec.JobSetStateIfRunningMany(ctx, others)
		if err != nil {
			return err
		}
		rows = append(rows, stored...)
	}
	for _, job := range rows {
		if job == nil {
			continue // the job was deleted meanwhile
		}
		if job.State == rivertype.JobStateAvailable || job.State == rivertype.JobStateScheduled ||
			job.State == rivertype.JobStateRetryable {
			c.workers.each(job.Queue, func(q *queue) { q.expect(job.ScheduledAt, job.State) })
		}
		if c.config.Ended != nil {
			c.config.Ended(Event{kinds[job.ID], job})
		}
	}
	return nil
}

func appendResult(to *riverdriver.JobSetStateIfRunningManyParams, r result) {
	to.ID = append(to.ID, r.ID)
	to.Attempt = append(to.Attempt, r.Attempt)
	to.ErrData = append(to.ErrData, r.ErrData)
	to.FinalizedAt = append(to.FinalizedAt, r.FinalizedAt)
	to.MetadataDoMerge = append(to.MetadataDoMerge, r.MetadataDoMerge)
	to.MetadataUpdates = append(to.MetadataUpdates, r.MetadataUpdates)
	to.ScheduledAt = append(to.ScheduledAt, r.ScheduledAt)
	to.State = append(to.State, r.State)
}
