package postgres

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/jobqueue"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// This file stores effects as jobs of the queue library (river), in the transaction
// that causes the effects. The workers of package jobqueue fetch the jobs.

// insertJobs is a statement that inserts the same rows as river's client inserts for jobs
// without the option "unique". The client would need another round trip, to read the
// rows that its INSERT returns. The statement insertJobs is sent together
// with COMMIT. jobs_test.go checks that the rows are equal.
const insertJobs = `INSERT INTO river_job (args, kind, max_attempts, priority, queue, scheduled_at, state)
	SELECT args, kind, max_attempts, 1, kind, coalesce(to_timestamp(due), now()),
		(CASE WHEN due IS NULL THEN 'available' ELSE 'scheduled' END)::river_job_state
	FROM jsonb_to_recordset(CAST(? AS JSONB)) AS job (args JSONB, kind TEXT, max_attempts SMALLINT, due BIGINT)`

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
	for _, e := range effects {
		row := jobRow{Args: e, Kind: e.Kind(), MaxAttempts: db.Attempts}
		// A job that is due now is stored without a time, so that a worker fetches the
		// job at once.
		if due := jobqueue.DueTime(e); !due.IsZero() {
			row.Due = new(due.Unix())
		}
		rows = append(rows, row)
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	return t.Do(insertJobs, string(text))
}

// Jobs returns a client that lists and changes jobs, and can run them.
func (s *Store) Jobs(config *jobqueue.Config) (*jobqueue.Client, error) {
	driver := riverpgxv5.New(s.jobs)
	library, err := river.NewClient(driver, &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	return jobqueue.New(library, s, driver.GetExecutor(), s.workers, config), nil
}

// firstJob is a subquery with the seconds until the first job of queue.name in one of two states is due. It finds it in
// the index of the workers, also if the table was empty at the last ANALYZE.
func firstJob(states ...string) string {
	var firsts []string
	for _, state := range states {
		firsts = append(firsts, `(SELECT scheduled_at AS due FROM river_job
			WHERE state = '`+state+`' AND river_job.queue = names.name AND priority = 1 ORDER BY scheduled_at LIMIT 1)`)
	}
	return "(SELECT CAST(extract(epoch FROM min(due) - now()) AS DOUBLE PRECISION) FROM (" +
		strings.Join(firsts, " UNION ALL ") + ") first)"
}

// DueJobs implements jobqueue.Database.
func (s *Store) DueJobs(ctx context.Context, queues []string) ([]jobqueue.Due, error) {
	rows, err := s.jobs.Query(ctx, "SELECT names.name, "+firstJob("available")+", "+firstJob("scheduled", "retryable")+
		" FROM unnest(CAST($1 AS TEXT[])) AS names (name)", queues)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d jobqueue.Due, err error) {
		var available, scheduled *float64
		err = row.Scan(&d.Queue, &available, &scheduled)
		d.Available, d.Scheduled = wait(available), wait(scheduled)
		return d, err
	})
}

// wait rounds seconds up.
func wait(seconds *float64) *time.Duration {
	if seconds == nil {
		return nil
	}
	return new(time.Duration(*seconds*float64(time.Second)) + time.Millisecond)
}

// MakeDueAvailable implements jobqueue.Database.
func (s *Store) MakeDueAvailable(ctx context.Context, queue string) error {
	for _, state := range []string{"scheduled", "retryable"} {
		_, err := s.jobs.Exec(ctx, `UPDATE river_job SET state = 'available' WHERE id IN (SELECT id FROM river_job
			WHERE state = CAST(CAST($1 AS TEXT) AS river_job_state) AND queue = $2 AND priority = 1 AND scheduled_at <= now()
			ORDER BY scheduled_at LIMIT 1000 FOR UPDATE SKIP LOCKED)`, state, queue)
		if err != nil {
			return err
		}
	}
	return nil
}

// Reindexes implements jobqueue.Database.
func (s *Store) Reindexes() bool { return true }

// DeleteDone implements jobqueue.Database.
func (s *Store) DeleteDone(ctx context.Context, done []jobqueue.Run) ([]*rivertype.JobRow, error) {
	var ids, attempts []int64
	for _, r := range done {
		ids, attempts = append(ids, r.ID), append(attempts, int64(r.Attempt))
	}
	rows, err := s.jobs.Query(ctx, `DELETE FROM river_job USING unnest($1::bigint[], $2::bigint[]) AS done (id, attempt)
		WHERE river_job.id = ANY($1) AND river_job.id = done.id AND river_job.attempt = done.attempt
			AND state IN ('running', 'available', 'retryable') RETURNING river_job.id, kind`, ids, attempts)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*rivertype.JobRow, error) {
		job := new(rivertype.JobRow)
		return job, row.Scan(&job.ID, &job.Kind)
	})
}

// lastHolder is the last of the processes that fetched a job.
const lastHolder = "attempted_by[cardinality(attempted_by)]"

// JobHolders implements jobqueue.Running.
func (s *Store) JobHolders(ctx context.Context) ([]string, error) {
	rows, err := s.jobs.Query(ctx, "SELECT DISTINCT "+lastHolder+` FROM river_job
		WHERE state = 'running' AND cardinality(attempted_by) > 0`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// ReturnJobsOf implements jobqueue.Running.
func (s *Store) ReturnJobsOf(ctx context.Context, holder string, after time.Duration) error {
	_, err := s.jobs.Exec(ctx, `UPDATE river_job SET state = 'available', scheduled_at = now() + make_interval(secs => $1)
		WHERE state = 'running' AND attempt < max_attempts AND `+lastHolder+" = $2", after.Seconds(), holder)
	return err
}
