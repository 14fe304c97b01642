package postgres

import (
	"context"
	"errors"
	"sync"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file runs the functions of many callers in one transaction if each function only adds a
// Contact. For one INSERT of ten rows and one COMMIT, the server needs a fifth of the time of ten
// transactions. If no such transaction runs, a new function starts one at once. Functions that arrive
// while this transaction runs share the next transaction. When minBatch functions wait, the next
// transaction starts even if the first has not ended.

// UpdateInBatch implements db.Engine. One time limit covers the shared transaction and the separate one.
func (s *Store) UpdateInBatch(ctx context.Context, a db.Address, fn func(*db.Tx) error) error {
	limited, cancel := context.WithTimeout(ctx, s.time)
	defer cancel()
	if err := s.batcher.run(limited, a, fn); !errors.Is(err, db.ErrNotBatchable) {
		return err
	}
	return s.Update(limited, fn)
}

// insertBatcher collects callers and runs their functions together.
type insertBatcher struct {
	store  *Store
	mu     sync.Mutex
	queues map[enlist.ListID]*batchQueue // without an entry for a queue that has no callers
	all    sync.WaitGroup
}

// batchQueue has the callers whose functions may share a transaction.
type batchQueue struct {
	waiting []*batchedCall
	running int // number of transactions that run now
}

const (
	minBatch   = 16 // number of waiting callers at which another transaction starts while one runs
	maxBatch   = 64 // largest number of functions in one transaction
	maxRunning = 4  // largest number of transactions of a queue at the same time
)

// batchedCall is one caller's function.
type batchedCall struct {
	ctx     context.Context
	address db.Address // of the Contact that fn adds
	fn      func(*db.Tx) error
	done    chan struct{}
	err     error
}

// queueOf returns the key of the queue for a List. In a distributed database each List has a queue
// of its own, because Lists can be on different servers. Otherwise all Lists share a queue.
func (b *insertBatcher) queueOf(list enlist.ListID) enlist.ListID {
	if b.store.distributed {
		return list
	}
	return 0
}

// run runs fn in a transaction that other callers share. After ErrNotBatchable nothing of fn is stored,
// and the caller runs fn in a transaction of its own.
func (b *insertBatcher) run(ctx context.Context, a db.Address, fn func(*db.Tx) error) error {
	c := &batchedCall{ctx: ctx, address: a, fn: fn, done: make(chan struct{})}
	key := b.queueOf(a.List)
	b.mu.Lock()
	q := b.queues[key]
	if q == nil {
		q = new(batchQueue)
		b.queues[key] = q
	}
	q.waiting = append(q.waiting, c)
	enough := minBatch
	if b.store.distributed {
		enough = maxBatch // a transaction costs more here, so it is better to share one
	}
	if q.running == 0 || q.running < maxRunning && len(q.waiting) >= enough {
		q.running++
		b.all.Go(func() { b.work(key, q) })
	}
	b.mu.Unlock()
	<-c.done
	return c.err
}

// work runs one transaction after another while callers wait in a queue.
func (b *insertBatcher) work(key enlist.ListID, q *batchQueue) {
	for {
		batch := b.next(key, q)
		if batch == nil {
			return
		}
		b.serve(batch)
		for _, c := range batch {
			close(c.done)
		}
	}
}

// next returns up to maxBatch of the waiting calls of a queue, or nil if no call waits.
func (b *insertBatcher) next(key enlist.ListID, q *batchQueue) []*batchedCall {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(len(q.waiting), maxBatch)
	if n == 0 {
		q.running--
		if q.running == 0 {
			delete(b.queues, key)
		}
		return nil
	}
	batch := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	return batch
}

// serve runs a batch in one transaction and sets each call's error.
func (b *insertBatcher) serve(batch []*batchedCall) {
	if b.store.distributed && len(batch) == 1 {
		// COPY of a single row takes longer than an INSERT whose plan is cached.
		b.serveOne(batch[0])
		return
	}
	err := b.transaction(batch)
	for _, c := range batch {
		if c.err == nil {
			c.err = err
		}
	}
}

// serveOne runs a call in a transaction of its own. If another attempt may succeed, the caller makes it.
func (b *insertBatcher) serveOne(c *batchedCall) {
	m := mode{version: b.store.cache.Newest()}
	again, err := b.store.attempt(c.ctx, c.fn, &m)
	if again {
		err = db.ErrNotBatchable
	}
	c.err = err
}

// transaction runs a batch in one transaction. It returns ErrNotBatchable if the transaction fails,
// because each function may still succeed in a transaction of its own. It returns another error only if
// the outcome of the transaction is unknown.
func (b *insertBatcher) transaction(batch []*batchedCall) error {
	deadline, _ := batch[0].ctx.Deadline() // the earliest deadline, because this caller has waited longest
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	conn, err := b.store.writers.Acquire(ctx)
	if err != nil {
		return db.ErrNotBatchable
	}
	defer conn.Release()
	t := newSession(ctx, conn, b.store.partitions, 0)
	err = b.write(t, batch)
	if err == nil {
		b.store.commits.Observe(float64(len(batch)))
		t.counted = true
		b.store.upkeep.note(t)
		return nil
	}
	if t.outcomeUnknown() {
		return unknownOutcome(err)
	}
	t.rollback(err)
	return db.ErrNotBatchable
}

// write runs the functions and commits what they wrote.
func (b *insertBatcher) write(t *session, batch []*batchedCall) error {
	b.store.begin(t)
	addresses := make([]db.Address, len(batch))
	for i, c := range batch {
		addresses[i] = c.address
	}
	inserts, err := b.newBatch(t, addresses) // flushes, which also reads the version
	if err != nil {
		return err
	}
	shared := db.NewSession(b.store.cache)
	shared.Sees(t.version)
	for i, c := range batch {
		c.err = c.ctx.Err()
		if c.err == nil {
			c.err = inserts.Run(t.ctx, i, c.fn, shared)
		}
	}
	effects, err := inserts.Store(t)
	if err != nil {
		return err
	}
	return b.store.commit(t, effects)
}

// newBatch starts an InsertBatch for the addresses of a batch.
func (b *insertBatcher) newBatch(t *session, addresses []db.Address) (*db.InsertBatch, error) {
	if b.store.distributed {
		return db.NewCopyBatch(t.ctx, t, t, addresses)
	}
	return db.NewInsertBatch(t.ctx, t, addresses)
}

// close waits for the transactions that run.
func (b *insertBatcher) close() { b.all.Wait() }
