package postgres

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"enlist/internal/db"

	"github.com/jackc/pgx/v5"
)

// This file does what becomes necessary after many committed transactions.
//
// It keeps the tables contact_delta and list_day_part small. A transaction that adds or removes
// Contacts inserts a row into each of these tables. If all transactions updated the same counter instead,
// they would wait for each other. Readers add these rows to the counters of Lists and Accounts, and to the
// days of Lists, so counts are exact before and after the rows are compacted.
//
// It also runs ANALYZE on tables that have grown. PostgreSQL does this too, but up to a minute later. Until then it
// plans with the statistics of a table that was empty.

// upkeep is the goroutine that does this work.
type upkeep struct {
	store   *Store
	changes atomic.Int64 // transactions that changed contact_delta or list_day_part, since the last compaction
	rows    atomic.Int64 // rows that this process has inserted
	compact chan struct{}
	analyze chan struct{}
	stop    context.CancelFunc
	stopped chan struct{}
}

const (
	// Adding up compactAfter rows takes a reader about as long as finding a Contact.
	compactAfter = 500
	compactEvery = time.Minute
	// 10,000 new Contacts with their ledger rows. The look at the sizes of all tables takes 1 ms.
	analyzeAfter = 20_000
)

func newUpkeep(s *Store) *upkeep {
	ctx, stop := context.WithCancel(context.Background())
	u := &upkeep{store: s, compact: make(chan struct{}, 1), analyze: make(chan struct{}, 1), stop: stop,
		stopped: make(chan struct{})}
	go u.run(ctx)
	return u
}

// note counts a committed transaction.
func (u *upkeep) note(t *session) {
	if t.counted && u.changes.Add(1)%compactAfter == 0 {
		wake(u.compact)
	}
	if rows := u.rows.Add(t.inserted); rows/analyzeAfter != (rows-t.inserted)/analyzeAfter {
		wake(u.analyze)
	}
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (u *upkeep) run(ctx context.Context) {
	defer close(u.stopped)
	tick := time.NewTicker(compactEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-u.analyze:
			u.store.analyzeGrown(ctx) // after an error, PostgreSQL's own ANALYZE comes later
			continue
		case <-u.compact:
		case <-tick.C:
			if u.changes.Load() == 0 {
				continue
			}
		}
		u.changes.Store(0)
		u.store.compactCounters(ctx) // after an error, the next run merges the rows
	}
}

func (u *upkeep) close() {
	u.stop()
	<-u.stopped
}

// compactCounters merges all rows into the counters in one transaction. While it holds an
// advisory lock, no other process can merge rows.
func (s *Store) compactCounters(ctx context.Context) error {
	conn, err := s.writers.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.time)
	defer cancel()
	return pgx.BeginFunc(work, conn, func(tx pgx.Tx) error {
		// Never change the name of the lock: a process of the previous version may compact at
		// the same time.
		const lock = "SELECT pg_advisory_xact_lock(hashtextextended('fold counts', 0))"
		for _, statement := range []string{lockShared, lock, db.CompactCounters, db.CompactDays} {
			if _, err := tx.Exec(work, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// grown selects the tables that have twice as many pages as at their last VACUUM or ANALYZE, and at least 100. A smaller
// table is scanned in less than a millisecond. On Citus, the sizes are those of the workers' tables, which are not seen.
const grown = `SELECT CAST(CAST(oid AS regclass) AS TEXT) FROM pg_class WHERE relkind = 'r'
	AND relnamespace = CAST(current_schema() AS regnamespace) AND pg_relation_size(oid) >= 8192 * greatest(100, 2 * relpages)`

// analyzeGrown runs ANALYZE on the tables that have grown, but not on those that another process analyzes.
func (s *Store) analyzeGrown(ctx context.Context) error {
	conn, err := s.writers.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	rows, err := conn.Query(ctx, grown)
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) == 0 {
		return err
	}
	_, err = conn.Exec(ctx, "ANALYZE (SKIP_LOCKED) "+strings.Join(tables, ", "))
	return err
}
