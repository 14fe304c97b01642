package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"
)

// gatherer runs functions that each add a Contact, those of many callers in one
// transaction: a server that inserts ten rows with one statement and commits once
// does so in a fifth of the time that it takes for ten transactions.
//
// A caller who is alone is served at once. Whoever comes meanwhile waits for the
// next transaction, and when a crowd waits, that one runs beside the first.
type gatherer struct {
	store   *Store
	mu      sync.Mutex
	waiting []*gathered
	running int // transactions
	all     sync.WaitGroup
}

const (
	crowd       = 16 // so many who wait do not wait for the transaction that runs
	maxGathered = 64 // functions in one transaction
	maxRunning  = 4  // transactions at once
)

// gathered is a caller with a function.
type gathered struct {
	ctx     context.Context
	address sqlstore.Address // of the Contact that it adds
	fn      func(audience.Tx) error
	done    chan struct{}
	part    *sqlstore.Part // when it has run
	err     error
}

// UpdateTogether implements audience.Store.
func (s *Store) UpdateTogether(ctx context.Context, list audience.ListID, key string, fn func(audience.Tx) error) error {
	if s.spread { // what names several Lists has to go to several servers
		return s.Update(ctx, fn)
	}
	limited, cancel := context.WithTimeout(ctx, s.time)
	defer cancel()
	if err := s.gatherer.run(limited, sqlstore.Address{List: list, Key: key}, fn); !errors.Is(err, sqlstore.ErrNotBatchable) {
		return err
	}
	return s.Update(limited, fn)
}

// run has a function run with others. Its error is ErrApart when nothing of it is
// stored and it is to run by itself.
func (g *gatherer) run(ctx context.Context, a sqlstore.Address, fn func(audience.Tx) error) error {
	c := &gathered{ctx: ctx, address: a, fn: fn, done: make(chan struct{})}
	g.mu.Lock()
	g.waiting = append(g.waiting, c)
	if g.running == 0 || g.running < maxRunning && len(g.waiting) >= crowd {
		g.running++
		g.all.Go(g.work)
	}
	g.mu.Unlock()
	<-c.done
	return c.err
}

// work runs one transaction after the other while somebody waits.
func (g *gatherer) work() {
	for {
		group := g.next()
		if group == nil {
			return
		}
		g.serve(group)
		for _, c := range group {
			close(c.done)
		}
	}
}

// next takes those who wait, nil when there is nobody.
func (g *gatherer) next() []*gathered {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), maxGathered)
	if n == 0 {
		g.running--
		return nil
	}
	group := g.waiting[:n:n]
	g.waiting = g.waiting[n:]
	return group
}

// serve runs a group's functions, and says of each what has become of it.
func (g *gatherer) serve(group []*gathered) {
	err := g.transaction(group)
	for _, c := range group {
		switch {
		case c.err != nil:
		case err != nil:
			c.err = err
		case c.part != nil && !c.part.Inserted():
			c.err = sqlstore.ErrNotBatchable
		}
	}
}

// transaction runs a group's functions in one transaction. When that fails its
// error is ErrApart: each may fare better by itself. It is another only when it
// is not known whether the transaction is stored.
func (g *gatherer) transaction(group []*gathered) error {
	deadline, _ := group[0].ctx.Deadline() // the first has waited for longest
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	conn, err := g.store.writers.Acquire(ctx)
	if err != nil {
		return sqlstore.ErrNotBatchable
	}
	defer conn.Release()
	pg := conn.Conn().PgConn()
	t := &session{pipeline: pg.StartPipeline(ctx), statements: statementsOf(pg)}
	defer t.pipeline.Close()
	if err = g.write(ctx, t, group); err == nil {
		g.store.folder.note()
		return nil
	}
	if t.outcomeUnknown() {
		return unknownOutcome(err)
	}
	t.rollback(err)
	return sqlstore.ErrNotBatchable
}

// write runs the functions and commits what they write.
func (g *gatherer) write(ctx context.Context, t *session, group []*gathered) error {
	t.begin(beginWriting, withOthers)
	addresses := make([]sqlstore.Address, len(group))
	for i, c := range group {
		addresses[i] = c.address
	}
	all, err := sqlstore.NewInsertBatch(ctx, t, addresses) // brings the version too
	if err != nil {
		return err
	}
	shared := sqlstore.NewSession(g.store.cache)
	shared.Sees(t.version)
	for i, c := range group {
		if c.err = c.ctx.Err(); c.err == nil {
			c.part, c.err = all.Run(ctx, i, c.fn, shared)
		}
	}
	if err := all.Insert(ctx, t); err != nil {
		return err
	}
	effects, err := all.Finish(t)
	if err != nil {
		return err
	}
	return g.store.commit(t, effects)
}

// unknownOutcome is the error of a change whose COMMIT was sent and not answered.
func unknownOutcome(err error) error {
	return fmt.Errorf("the connection was lost while committing: whether the change is stored is not known: %w", err)
}

// close waits for the transactions that run.
func (g *gatherer) close() { g.all.Wait() }
