package postgres

import (
	"context"
	"sync/atomic"
	"time"

	"enlist/internal/store/sqlstore"
)

// folder adds to the counters of Lists and Accounts, now and then, what
// transactions have written beside them. Counts are right whether or not it does.
type folder struct {
	store   *Store
	written atomic.Int64 // rows since it was last at it
	wake    chan struct{}
	stop    context.CancelFunc
	stopped chan struct{}
}

const (
	// foldAfter rows to add up cost a reader of a count about as much as finding
	// a Contact.
	foldAfter = 500
	foldEvery = time.Minute
)

func newFolder(s *Store) *folder {
	ctx, stop := context.WithCancel(context.Background())
	f := &folder{store: s, wake: make(chan struct{}, 1), stop: stop, stopped: make(chan struct{})}
	go f.run(ctx)
	return f
}

// note counts a transaction that has written a row.
func (f *folder) note() {
	if f.written.Add(1)%foldAfter == 0 {
		select {
		case f.wake <- struct{}{}:
		default:
		}
	}
}

func (f *folder) run(ctx context.Context) {
	defer close(f.stopped)
	tick := time.NewTicker(foldEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-tick.C:
			if f.written.Load() == 0 {
				continue
			}
		}
		f.written.Store(0)
		f.store.fold(ctx) // what could not be done now is done the next time
	}
}

func (f *folder) close() {
	f.stop()
	<-f.stopped
}

// fold does so once, unless another process is at it.
func (s *Store) fold(ctx context.Context) error {
	conn, err := s.writers.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.time)
	defer cancel()
	pg := conn.Conn().PgConn()
	t := &session{pipeline: pg.StartPipeline(work), statements: statementsOf(pg)}
	defer t.pipeline.Close()
	t.begin(beginWriting, withOthers)
	if err := t.Lock(sqlstore.Exclusive, "fold counts"); err != nil {
		return err
	}
	if err := sqlstore.CompactCounters(t); err != nil {
		return err
	}
	t.send("COMMIT", nil, nil)
	if err := t.flush(); err != nil {
		return t.rollback(err)
	}
	return nil
}
