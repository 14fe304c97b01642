package postgres

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/jobqueue"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// This file stores effects as jobs of the queue library (river), in the transaction
// that causes the effects. River's workers fetch the jobs (package jobs).

// insertJobs is a statement that inserts the same rows as river's client inserts for jobs
// without the option "unique". The client would need two more round trips: one to read the
// rows that its INSERT returns, and one for NOTIFY. The statement insertJobs is sent together
// with COMMIT. jobs_test.go checks that the rows are equal.
const insertJobs = `INSERT INTO river_job (args, kind, max_attempts, priority, queue, scheduled_at, state)
	SELECT args, kind, max_attempts, 1, kind, coalesce(to_timestamp(due), now()),
		(CASE WHEN due IS NULL THEN 'available' ELSE 'scheduled' END)::river_job_state
	FROM jsonb_to_recordset(CAST(? AS JSONB)) AS job (args JSONB, kind TEXT, max_attempts SMALLINT, due BIGINT)`

// wakeQueue is a statement that notifies the workers of a queue that the queue has jobs.
// River's client does the same.
const wakeQueue = `SELECT pg_notify(concat(current_schema(), '.river_insert'),
	json_build_object('queue', CAST(? AS TEXT))::text)`

// jobRow is a job in the JSON argument of insertJobs.
type jobRow struct {
	Args        db.Effect `json:"args"`
	Kind        string    `json:"kind"`
	MaxAttempts int       `json:"max_attempts"`
	Due         *int64    `json:"due"`
}

// insertJobs adds a statement to the queue of statements of the session. This statement
// stores the effects as jobs. Each kind of job has a job queue with the same name.
func (s *Store) insertJobs(t *session, effects []db.Effect) error {
	rows := make([]jobRow, 0, len(effects))
	wake := make(map[string]bool)
	now := time.Now().Unix()
	for _, e := range effects {
		row := jobRow{Args: e, Kind: e.Kind(), MaxAttempts: db.Attempts}
		// A job that is due now is stored without a time, so that a worker fetches the
		// job at once.
		if timed, ok := e.(db.Timed); ok && timed.DueTime() > now {
			due := timed.DueTime()
			row.Due = &due
		} else {
			wake[row.Kind] = true
		}
		rows = append(rows, row)
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	if err := t.Do(insertJobs, string(text)); err != nil {
		return err
	}
	for queue := range wake {
		if !s.notices.allow(queue) {
			t.notNotified = append(t.notNotified, queue)
			continue
		}
		if err := t.Do(wakeQueue, queue); err != nil {
			return err
		}
	}
	return nil
}

// notices limits how often this process notifies the workers of a queue, because PostgreSQL
// commits transactions with NOTIFY one after another. Between two notifications of a queue
// there is at least the time noticeGap. If a transaction stores jobs during this time, one
// notification follows for all such transactions (later). Workers poll the queue seldom.
type notices struct {
	send func(queue string) // notifies the workers of a queue
	wait sync.WaitGroup     // for the calls of send

	mu   sync.Mutex
	last map[string]time.Time // the time of the last notification, by queue
	late map[string]bool      // queues that later will notify
}

const noticeGap = 20 * time.Millisecond

func newNotices(send func(queue string)) *notices {
	return &notices{send: send, last: make(map[string]time.Time), late: make(map[string]bool)}
}

// later notifies the workers of queues after noticeGap. Call it after the commit of their jobs.
func (n *notices) later(queues []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, queue := range queues {
		if n.late[queue] {
			continue
		}
		n.late[queue] = true
		n.wait.Add(1)
		time.AfterFunc(noticeGap, func() {
			defer n.wait.Done()
			n.mu.Lock()
			n.late[queue], n.last[queue] = false, time.Now()
			n.mu.Unlock()
			n.send(queue)
		})
	}
}

// close waits until the last notification is sent.
func (n *notices) close() { n.wait.Wait() }

// notify notifies the workers of a queue outside of a transaction. After an error, the workers find
// the jobs when they poll the queue.
func (s *Store) notify(queue string) {
	s.jobs.Exec(context.Background(), rewrite(wakeQueue), queue) // jobPool limits the time
}

// allow reports whether a queue may be notified now.
func (n *notices) allow(queue string) bool {
	now := time.Now()
	n.mu.Lock()
	defer n.mu.Unlock()
	if now.Sub(n.last[queue]) < noticeGap {
		return false
	}
	n.last[queue] = now
	return true
}

// Jobs returns a client of the job queue. The client runs the jobs of the queues in config.
func (s *Store) Jobs(config *river.Config) (*river.Client[pgx.Tx], error) {
	return river.NewClient(jobqueue.Adapt[pgx.Tx](riverpgxv5.New(s.jobs), s.deleteRunningJobs, s.alarms, s), config)
}

// deleteRunningJobs implements jobqueue.DeleteRunning.
func (s *Store) deleteRunningJobs(ctx context.Context, ids []int64) ([]*rivertype.JobRow, error) {
	rows, err := s.jobs.Query(ctx,
		"DELETE FROM river_job WHERE id = ANY($1) AND state = 'running' RETURNING id, kind", ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*rivertype.JobRow, error) {
		job := new(rivertype.JobRow)
		return job, row.Scan(&job.ID, &job.Kind)
	})
}

// ReturnJobs implements db.Engine.
func (s *Store) ReturnJobs(ctx context.Context) error { return jobqueue.ReturnJobs(ctx, s, s.alarms) }

// lastHolder is the last of the processes that fetched a job.
const lastHolder = "attempted_by[cardinality(attempted_by)]"

// JobHolders implements jobqueue.Running.
func (s *Store) JobHolders(ctx context.Context) ([]string, error) {
	return s.texts(ctx, "SELECT DISTINCT "+lastHolder+` FROM river_job
		WHERE state = 'running' AND cardinality(attempted_by) > 0`)
}

// ReturnJobsOf implements jobqueue.Running.
func (s *Store) ReturnJobsOf(ctx context.Context, holder string, after time.Duration) ([]string, error) {
	return s.texts(ctx, `UPDATE river_job SET state = 'available', scheduled_at = now() + make_interval(secs => $1)
		WHERE state = 'running' AND attempt < max_attempts AND `+lastHolder+" = $2 RETURNING queue",
		after.Seconds(), holder)
}

// texts returns the texts in the rows of a statement.
func (s *Store) texts(ctx context.Context, statement string, args ...any) ([]string, error) {
	rows, err := s.jobs.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
