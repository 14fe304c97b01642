package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/jobqueue"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// This file stores effects as jobs of the queue library (River). The workers in package jobs fetch and run
// the jobs.

// insertJobs stores effects as jobs. tx is the transaction whose changes cause the effects. Each
// kind of effect has a queue of the same name.
func insertJobs(ctx context.Context, client *river.Client[*sql.Tx], tx *sql.Tx, effects []db.Effect) error {
	params := make([]river.InsertManyParams, 0, len(effects))
	for _, e := range effects {
		opts := &river.InsertOpts{Queue: e.Kind(), MaxAttempts: db.Attempts}
		opts.ScheduledAt = jobqueue.DueTime(e)
		params = append(params, river.InsertManyParams{Args: e, InsertOpts: opts})
	}
	_, err := client.InsertManyFastTx(ctx, tx, params)
	return err
}

// Jobs returns a client that lists and changes jobs, and can run them. It shares the connection of the writer. Open has
// already created the tables of the queue.
func (s *Store) Jobs(config *jobqueue.Config) (*jobqueue.Client, error) {
	driver := riversqlite.New(s.db)
	library, err := river.NewClient(driver, &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	return jobqueue.New(library, s, driver.GetExecutor(), s.workers, config), nil
}

// riverNow is the present time in the form of River's columns, whose texts it compares.
const riverNow = "datetime('now', 'subsec')"

// firstJob is a subquery with the milliseconds until the first job of queue.value in one of two states is due. It
// finds it in the index of the workers. The drivers write times in UTC with up to nine digits of a second, and then the
// zone in forms of their own, which SQLite cannot read.
func firstJob(states ...string) string {
	var firsts []string
	for _, state := range states {
		firsts = append(firsts, `SELECT * FROM (SELECT scheduled_at AS due FROM river_job
			WHERE state = '`+state+`' AND queue = queue.value AND priority = 1 ORDER BY scheduled_at LIMIT 1)`)
	}
	return `(SELECT CAST(1000 * (unixepoch(substr(min(due), 1, 19)) + CAST('0' || substr(min(due), 20, 4) AS REAL)
			- unixepoch('now', 'subsec')) + 1 AS INTEGER)
		FROM (` + strings.Join(firsts, " UNION ALL ") + "))"
}

// DueJobs implements jobqueue.Database.
func (s *Store) DueJobs(ctx context.Context, queues []string) (all []jobqueue.Due, err error) {
	names, err := json.Marshal(queues)
	if err != nil {
		return nil, err
	}
	query := "SELECT queue.value, " + firstJob("available") + ", " + firstJob("scheduled", "retryable") +
		" FROM json_each(?) queue"
	err = s.View(ctx, func(tx *db.Tx) error {
		all = nil
		return tx.Each(func(row *db.Cursor) error {
			all = append(all, jobqueue.Due{Queue: row.Text(), Available: wait(row), Scheduled: wait(row)})
			return nil
		}, query, string(names))
	})
	return all, err
}

// wait reads a number of milliseconds, or NULL.
func wait(row *db.Cursor) *time.Duration {
	ms, ok := row.Value().(int64)
	if !ok {
		return nil
	}
	d := time.Duration(ms) * time.Millisecond
	return &d
}

// MakeDueAvailable implements jobqueue.Database.
func (s *Store) MakeDueAvailable(ctx context.Context, queue string) error {
	for _, state := range []string{"scheduled", "retryable"} {
		_, err := s.db.ExecContext(ctx, `UPDATE river_job SET state = 'available' WHERE id IN (SELECT id FROM river_job
			WHERE state = ? AND queue = ? AND priority = 1 AND scheduled_at <= `+riverNow+`
			ORDER BY scheduled_at LIMIT 1000)`, state, queue)
		if err != nil {
			return err
		}
	}
	return nil
}

// Reindexes implements jobqueue.Database. SQLite uses empty pages again.
func (s *Store) Reindexes() bool { return false }

// DeleteDone implements jobqueue.Database.
func (s *Store) DeleteDone(ctx context.Context, done []jobqueue.Run) (deleted []*rivertype.JobRow, err error) {
	list, err := json.Marshal(done)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, `DELETE FROM river_job WHERE (id, attempt) IN (
			SELECT value ->> 'ID', value ->> 'Attempt' FROM json_each(?))
		AND state IN ('running', 'available', 'retryable') RETURNING id, kind`, string(list))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		job := new(rivertype.JobRow)
		if err := rows.Scan(&job.ID, &job.Kind); err != nil {
			return nil, err
		}
		deleted = append(deleted, job)
	}
	return deleted, rows.Err()
}

// lastHolder is the last of the processes that fetched a job.
const lastHolder = "attempted_by ->> '$[#-1]'"

// JobHolders implements jobqueue.Running.
func (s *Store) JobHolders(ctx context.Context) (all []string, err error) {
	err = s.View(ctx, func(tx *db.Tx) (err error) {
		all = nil
		return tx.Each(func(row *db.Cursor) error {
			all = append(all, row.Text())
			return nil
		}, "SELECT DISTINCT "+lastHolder+` FROM river_job
			WHERE state = 'running' AND json_array_length(attempted_by) > 0`)
	})
	return all, err
}

// ReturnJobsOf implements jobqueue.Running.
func (s *Store) ReturnJobsOf(ctx context.Context, holder string, after time.Duration) error {
	_, err := s.db.ExecContext(ctx, `UPDATE river_job
		SET state = 'available', scheduled_at = datetime('now', 'subsec', concat(?, ' seconds'))
		WHERE state = 'running' AND attempt < max_attempts AND `+lastHolder+" = ?", after.Seconds(), holder)
	return err
}

// migrateJobs applies River's migrations.
func migrateJobs(ctx context.Context, db *sql.DB, log *slog.Logger) error {
	migrator, err := rivermigrate.New(riversqlite.New(db), &rivermigrate.Config{Logger: log})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}
