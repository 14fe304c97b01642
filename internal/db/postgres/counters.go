package postgres

import (
	"context"
	"sync/atomic"
	"time"

	"enlist/internal/db"

	"github.com/jackc/pgx/v5"
)

// This file keeps the tables contact_delta and list_day_part small. A transaction that adds or removes
// Contacts inserts a row into each of these tables. If all transactions updated the same counter instead,
// they would wait for each other. Readers add these rows to the counters of Lists and Accounts, and to the
// days of Lists, so counts are exact before and after the rows are compacted.

// counterCompactor periodically merges contact_delta rows into the counters, and list_day_part rows into list_day.
type counterCompactor struct {
	store   *Store
	written atomic.Int64 // transactions since the last run
	wake    chan struct{}
	stop    context.CancelFunc
	stopped chan struct{}
}

const (
	// Adding up compactAfter rows takes a reader about as long as finding a Contact.
	compactAfter = 500
	compactEvery = time.Minute
)

func newCounterCompactor(s *Store) *counterCompactor {
	ctx, stop := context.WithCancel(context.Background())
	c := &counterCompactor{store: s, wake: make(chan struct{}, 1), stop: stop, stopped: make(chan struct{})}
	go c.run(ctx)
	return c
}

// note counts a transaction that has inserted a row. After every compactAfter transactions it
// starts a run.
func (c *counterCompactor) note() {
	if c.written.Add(1)%compactAfter == 0 {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
}

func (c *counterCompactor) run(ctx context.Context) {
	defer close(c.stopped)
	tick := time.NewTicker(compactEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		case <-tick.C:
			if c.written.Load() == 0 {
				continue
			}
		}
		c.written.Store(0)
		c.store.compactCounters(ctx) // after an error, the next run merges the rows
	}
}

func (c *counterCompactor) close() {
	c.stop()
	<-c.stopped
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
