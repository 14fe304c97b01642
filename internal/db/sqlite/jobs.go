package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
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
		// Only a job that is due in the future gets a scheduled time. River looks for scheduled
		// jobs every five seconds. So with a scheduled time in the past, a job could start up to
		// five seconds late.
		if timed, ok := e.(db.Timed); ok && time.Until(time.Unix(timed.DueTime(), 0)) > 0 {
			opts.ScheduledAt = time.Unix(timed.DueTime(), 0)
		}
		params = append(params, river.InsertManyParams{Args: e, InsertOpts: opts})
	}
	_, err := client.InsertManyFastTx(ctx, tx, params)
	return err
}

// Jobs returns a River client that runs the jobs of the queues in config. The client shares the
// connection of the writer. Open has already created the tables of the queue.
func (s *Store) Jobs(config *river.Config) (*river.Client[*sql.Tx], error) {
	d := jobqueue.Adapt[*sql.Tx](riversqlite.New(s.db), s.deleteRunningJobs, s.alarms, s)
	if len(config.Queues) > 0 {
		d = jobqueue.Listen(d, s.listeners.add(slices.Collect(maps.Keys(config.Queues)), s.dataVersion))
	}
	return river.NewClient(d, config)
}

// dataVersion returns a number that changes when another process changes the database. Changes by the
// writer's own connection do not change it.
func (s *Store) dataVersion(ctx context.Context) (version int64, err error) {
	err = s.db.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	return version, err
}

// listeners are the Listeners of the clients of this process.
type listeners struct {
	mu  sync.Mutex
	all []*jobqueue.Listener
}

func (l *listeners) add(queues []string, version func(context.Context) (int64, error)) *jobqueue.Listener {
	added := jobqueue.NewListener(queues, version)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, added)
	return added
}

// wake notifies the workers of some queues.
func (l *listeners) wake(queues ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, of := range l.all {
		of.Wake(queues...)
	}
}

// wakeFor notifies the workers of effects whose jobs are stored.
func (l *listeners) wakeFor(effects []db.Effect) {
	for _, e := range effects {
		l.wake(e.Kind())
	}
}

// deleteRunningJobs implements jobqueue.DeleteRunning.
func (s *Store) deleteRunningJobs(ctx context.Context, ids []int64) (deleted []*rivertype.JobRow, err error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, `DELETE FROM river_job
		WHERE id IN (SELECT value FROM json_each(?)) AND state = 'running' RETURNING id, kind`, string(list))
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

// ReturnJobs implements db.Engine.
func (s *Store) ReturnJobs(ctx context.Context) error { return jobqueue.ReturnJobs(ctx, s, s.alarms) }

// lastHolder is the last of the processes that fetched a job.
const lastHolder = "attempted_by ->> '$[#-1]'"

// JobHolders implements jobqueue.Running.
func (s *Store) JobHolders(ctx context.Context) ([]string, error) {
	return s.texts(ctx, "SELECT DISTINCT "+lastHolder+` FROM river_job
		WHERE state = 'running' AND json_array_length(attempted_by) > 0`)
}

// ReturnJobsOf implements jobqueue.Running.
func (s *Store) ReturnJobsOf(ctx context.Context, holder string, after time.Duration) ([]string, error) {
	return s.texts(ctx, `UPDATE river_job
		SET state = 'available', scheduled_at = datetime('now', 'subsec', concat(?, ' seconds'))
		WHERE state = 'running' AND attempt < max_attempts AND `+lastHolder+" = ? RETURNING queue",
		after.Seconds(), holder)
}

// texts returns the texts in the rows of a statement.
func (s *Store) texts(ctx context.Context, statement string, args ...any) (all []string, err error) {
	rows, err := s.db.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
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
