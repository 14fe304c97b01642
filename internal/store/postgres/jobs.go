package postgres

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"enlist/internal/audience"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// insertJobs is what the queue library's own inserting comes to for jobs that are
// not unique. Said here, it goes out with the rest of the transaction; the
// library's takes round trips of its own. jobs_test.go compares the two.
const insertJobs = `INSERT INTO river_job (args, kind, max_attempts, priority, queue, scheduled_at, state)
	SELECT args, kind, max_attempts, 1, kind, coalesce(to_timestamp(due), now()),
		(CASE WHEN due IS NULL THEN 'available' ELSE 'scheduled' END)::river_job_state
	FROM jsonb_to_recordset(CAST(? AS JSONB)) AS job (args JSONB, kind TEXT, max_attempts SMALLINT, due BIGINT)`

// wakeQueue tells whoever works a queue that there is something in it, in the
// words of the queue library.
const wakeQueue = `SELECT pg_notify(concat(current_schema(), '.river_insert'), json_build_object('queue', CAST(? AS TEXT))::text)`

// jobRow is a job as insertJobs reads it.
type jobRow struct {
	Args        audience.Effect `json:"args"`
	Kind        string          `json:"kind"`
	MaxAttempts int             `json:"max_attempts"`
	Due         *int64          `json:"due"`
}

// insertJobs queues storing effects as jobs, each kind in the queue of its name.
func (s *Store) insertJobs(t *session, effects []audience.Effect) error {
	rows := make([]jobRow, 0, len(effects))
	wake := make(map[string]bool)
	now := time.Now().Unix()
	for _, e := range effects {
		row := jobRow{Args: e, Kind: e.Kind(), MaxAttempts: audience.Attempts}
		// Only what is due later has a time: else it is to be taken up at once.
		if timed, ok := e.(audience.Timed); ok && timed.DueTime() > now {
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
		if s.notices.allow(queue) {
			if err := t.Do(wakeQueue, queue); err != nil {
				return err
			}
		}
	}
	return nil
}

// notices bounds how often a queue is woken: the server commits transactions that
// tell something one after another. Who is woken takes all that there is, and
// what comes soon after is found when the queue is next looked into.
type notices struct {
	mu   sync.Mutex
	last map[string]time.Time
}

const noticeGap = 20 * time.Millisecond

func newNotices() *notices { return &notices{last: make(map[string]time.Time)} }

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

// Jobs opens a client of the job queue that works what config says. The queue's
// tables are there already.
func (s *Store) Jobs(config *river.Config) (*river.Client[pgx.Tx], error) {
	return river.NewClient(riverpgxv5.New(s.jobs), config)
}

// countJobs counts the jobs of a kind that wait.
func (s *Store) countJobs(ctx context.Context, kind string) (n int, err error) {
	err = s.jobs.QueryRow(ctx, "SELECT count(*) FROM river_job WHERE kind = $1 AND state = 'available'", kind).Scan(&n)
	return n, err
}
