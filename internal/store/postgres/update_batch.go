package postgres

import (
	"context"
	"sync"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"
)

// This file runs the functions of many callers in one transaction if each function only adds a
// Contact. For one INSERT of ten rows and one COMMIT, the server needs a fifth of the time of ten
// transactions. If no such transaction runs, a new function starts one at once. Functions that arrive
// while this transaction runs share the next transaction. When minBatch functions wait, the next
// transaction starts even if the first has not ended.

// insertBatcher collects callers and runs their functions together.
type insertBatcher struct {
	store   *Store
	mu      sync.Mutex
	waiting []*batchedCall
	running int // number of transactions that run now
	all     sync.WaitGroup
}

const (
	minBatch   = 16 // number of waiting callers at which another transaction starts while one runs
	maxBatch   = 64 // largest number of functions in one transaction
	maxRunning = 4  // largest number of transactions at the same time
)

// batchedCall is one caller's function.
type batchedCall struct {
	ctx     context.Context
	address sqlstore.Address // of the Contact that fn adds
	fn      func(audience.Tx) error
	done    chan struct{}
	part    *sqlstore.Part // what fn wrote; nil until fn has run
	err     error
}

// run runs fn in a transaction that other callers share. After ErrNotBatchable nothing of fn is stored,
// and the caller runs fn in a transaction of its own.
func (b *insertBatcher) run(ctx context.Context, a sqlstore.Address, fn func(audience.Tx) error) error {
	c := &batchedCall{ctx: ctx, address: a, fn: fn, done: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, c)
	if b.running == 0 || b.running < maxRunning && len(b.waiting) >= minBatch {
		b.running++
		b.all.Go(b.work)
	}
	b.mu.Unlock()
	<-c.done
	return c.err
}

// work runs one transaction after another while callers wait.
func (b *insertBatcher) work() {
	for {
		batch := b.next()
		if batch == nil {
			return
		}
		b.serve(batch)
		for _, c := range batch {
			close(c.done)
		}
	}
}

// next returns up to maxBatch of the waiting calls, or nil if no call waits.
func (b *insertBatcher) next() []*batchedCall {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(len(b.waiting), maxBatch)
	if n == 0 {
		b.running--
		return nil
	}
	batch := b.waiting[:n:n]
	b.waiting = b.waiting[n:]
	return batch
}

// serve runs a batch in one transaction and sets each call's error.
func (b *insertBatcher) serve(batch []*batchedCall) {
	err := b.transaction(batch)
	for _, c := range batch {
		switch {
		case c.err != nil:
		case err != nil:
			c.err = err
		case c.part != nil && !c.part.Inserted():
			c.err = sqlstore.ErrNotBatchable
		}
	}
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
		return sqlstore.ErrNotBatchable
	}
	defer conn.Release()
	t := newSession(ctx, conn, 0)
	err = b.write(t, batch)
	if err == nil {
		b.store.compactor.note()
		return nil
	}
	if t.outcomeUnknown() {
		return unknownOutcome(err)
	}
	t.rollback(err)
	return sqlstore.ErrNotBatchable
}

// write runs the functions and commits what they wrote.
func (b *insertBatcher) write(t *session, batch []*batchedCall) error {
	t.begin(beginWriting, lockShared)
	addresses := make([]sqlstore.Address, len(batch))
	for i, c := range batch {
		addresses[i] = c.address
	}
	inserts, err := sqlstore.NewInsertBatch(t.ctx, t, addresses) // NewInsertBatch flushes, which also reads the version
	if err != nil {
		return err
	}
	shared := sqlstore.NewSession(b.store.cache)
	shared.Sees(t.version)
	for i, c := range batch {
		c.err = c.ctx.Err()
		if c.err == nil {
			c.part, c.err = inserts.Run(t.ctx, i, c.fn, shared)
		}
	}
	if err := inserts.Insert(t.ctx, t); err != nil {
		return err
	}
	effects, err := inserts.Finish(t)
	if err != nil {
		return err
	}
	return b.store.commit(t, effects)
}

// close waits for the transactions that run.
func (b *insertBatcher) close() { b.all.Wait() }
