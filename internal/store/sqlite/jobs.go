package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

// inserter is the queue's client that only stores jobs.
type inserter struct{ client *river.Client[*sql.Tx] }

func newInserter(db *sql.DB, log *slog.Logger) (*inserter, error) {
	client, err := river.NewClient(riversqlite.New(db), &river.Config{Logger: log})
	if err != nil {
		return nil, fmt.Errorf("open job queue: %w", err)
	}
	return &inserter{client}, nil
}

// insert stores effects as jobs, each kind in the queue of its name, in a transaction.
func (i *inserter) insert(ctx context.Context, tx *sql.Tx, effects []audience.Effect) error {
	params := make([]river.InsertManyParams, 0, len(effects))
	for _, e := range effects {
		opts := &river.InsertOpts{Queue: e.Kind(), MaxAttempts: audience.Attempts}
		// Only what is due later: with a time, even one that has come, a job waits
		// for the queue's next look at those, five seconds at most.
		if timed, ok := e.(audience.Timed); ok && time.Until(time.Unix(timed.DueTime(), 0)) > 0 {
			opts.ScheduledAt = time.Unix(timed.DueTime(), 0)
		}
		params = append(params, river.InsertManyParams{Args: e, InsertOpts: opts})
	}
	_, err := i.client.InsertManyFastTx(ctx, tx, params)
	return err
}

// Jobs opens a client of the job queue that works what config says. It shares
// the writer's connection. The queue's tables are there already.
func (s *Store) Jobs(config *river.Config) (*river.Client[*sql.Tx], error) {
	return river.NewClient(riversqlite.New(s.db), config)
}

func migrateJobs(ctx context.Context, db *sql.DB, log *slog.Logger) error {
	migrator, err := rivermigrate.New(riversqlite.New(db), &rivermigrate.Config{Logger: log})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}
