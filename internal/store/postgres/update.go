package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"

	"github.com/jackc/pgx/v5/pgconn"
)

// Transactions that write run side by side, each seeing what others have
// committed before each of its statements (READ COMMITTED). What a function reads
// to change it is locked: Contacts, as rows; what may not be there yet (a retry,
// a delivery, the room that an Account has left) by its name.
//
// Definitions do not change beside anything: every transaction that writes holds
// the table catalogue in a mode that many can hold, and one that changes
// definitions in a mode that nobody else can. It is found out when the function
// asks for it (Alone), and the function then runs again from the start.

const (
	beginWriting = "BEGIN"
	withOthers   = "LOCK TABLE catalogue IN ROW EXCLUSIVE MODE"
	alone        = "LOCK TABLE catalogue IN EXCLUSIVE MODE"
)

// mode is how a function runs.
type mode struct {
	alone   bool
	version int64 // of the catalogue, taken for granted; 0: ask first
}

// Update implements audience.Store. A caller that goes before its function starts
// leaves nothing behind; after that it waits. Waiting for a connection, and all
// tries, are within one time limit.
func (s *Store) Update(ctx context.Context, fn func(audience.Tx) error) error {
	limited, cancel := context.WithTimeout(ctx, s.time)
	defer cancel()
	m := mode{version: s.cache.Newest()}
	return tries(limited, func() (again bool, err error) {
		again, m, err = s.update(limited, fn, m)
		return again, err
	})
}

// update runs fn once. again says that it should run again, and how.
func (s *Store) update(ctx context.Context, fn func(audience.Tx) error, m mode) (again bool, next mode, err error) {
	conn, err := s.writers.Acquire(ctx)
	if err != nil {
		err = connectError(err)
		return lost(err), m, err
	}
	defer conn.Release()
	end, _ := ctx.Deadline() // of all tries
	work, cancel := context.WithDeadline(context.WithoutCancel(ctx), end)
	defer cancel()
	pg := conn.Conn().PgConn()
	t := &session{pipeline: pg.StartPipeline(work), statements: statementsOf(pg), version: m.version, alone: m.alone}
	defer t.pipeline.Close()
	err = s.transaction(work, t, fn)
	next = mode{alone: m.alone || t.wantsAlone, version: t.version}
	if refusesWrites(t.failed) {
		s.writers.Reset() // the others lead to the same server
	}
	if deadlocked(t.failed) {
		s.deadlock.Store(time.Now().UnixNano())
	}
	switch {
	case err == nil:
		if t.deltas {
			s.folder.note()
		}
		return false, next, nil
	case errors.Is(t.failed, errStale):
		// Whoever waited for one change of definitions may find another: the next
		// try asks once it holds the lock.
		s.cache.Forget(t.version)
		return true, mode{alone: next.alone}, err
	case t.wantsAlone && t.failed == nil:
		return true, next, err
	case t.outcomeUnknown():
		return false, next, unknownOutcome(err)
	}
	return t.failed != nil && (lost(t.failed) || collided(t.failed)), mode{alone: m.alone}, err
}

// turns is for how long after a deadlock changes of many Contacts run in turn. Two
// that go through the same Contacts in different orders would else meet at every
// try, and lose the second each time that the server takes to notice.
const turns = 10 * time.Second

func (s *Store) takesTurns() bool { return time.Since(time.Unix(0, s.deadlock.Load())) < turns }

// transaction runs fn in a transaction and commits it. After an error nothing of
// it is stored, unless COMMIT was sent and the connection is broken.
func (s *Store) transaction(ctx context.Context, t *session, fn func(audience.Tx) error) error {
	lock := withOthers
	if t.alone {
		lock = alone
	}
	t.begin(beginWriting, lock)
	if t.version == 0 {
		if err := t.flush(); err != nil {
			return t.rollback(err)
		}
	}
	shared := sqlstore.NewSession(s.cache)
	shared.Sees(t.version)
	shared.Serialise = s.takesTurns()
	var effects []audience.Effect
	err := t.call(ctx, fn, shared, func(e audience.Effect) error {
		effects = append(effects, e)
		return nil
	})
	if t.failed != nil {
		err = t.failed // not for a function to pass over
	}
	if err == nil {
		err = s.finish(t, shared, effects)
	} else if t.failed == nil && !t.verified {
		// What refuses must have seen the definitions as they are.
		if failed := t.flush(); failed != nil {
			err = failed
		}
	}
	if err != nil {
		return t.rollback(err)
	}
	shared.Committed(t.version)
	return nil
}

// finish sends what is left to write, and COMMIT with it.
func (s *Store) finish(t *session, shared *sqlstore.Session, effects []audience.Effect) error {
	if err := shared.Finish(t); err != nil {
		return err
	}
	t.deltas = shared.Mark() > 0
	return s.commit(t, effects)
}

// commit stores what the transaction sets in motion, and commits.
func (s *Store) commit(t *session, effects []audience.Effect) error {
	if len(effects) > 0 {
		if err := s.insertJobs(t, effects); err != nil {
			return fmt.Errorf("store jobs: %w", err)
		}
	}
	if !t.verified {
		// By definitions that are not true any more nothing is stored: the server
		// would carry out COMMIT before anybody here has seen the version.
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.send("COMMIT", nil, func(r *pgconn.ResultReader) error {
		if _, err := r.Close(); err != nil {
			return err
		}
		return t.statements.stored()
	})
	t.committing = true
	return t.flush()
}

// outcomeUnknown reports whether nobody knows if the transaction is stored.
// It is known when nothing of what COMMIT is the end of could be sent, as on a
// connection whose server was started again meanwhile.
func (t *session) outcomeUnknown() bool {
	return t.committing && t.broken && !t.skipped && !pgconn.SafeToRetry(t.failed)
}

// rollback ends the transaction after an error, which it returns.
func (t *session) rollback(err error) error {
	if t.broken || t.committing && t.failed == nil {
		return err
	}
	failed := t.failed
	t.failed = nil // the server listens again
	t.send("ROLLBACK", nil, nil)
	t.flush() // a connection that fails here is not used again
	t.failed = failed
	return err
}

const maxTries = 20

// tries runs do until it does not want to be run again, with a pause that grows
// between the tries, by chance, so that those who met do not meet again. A database
// that is away is waited for until the context ends.
func tries(ctx context.Context, do func() (again bool, err error)) error {
	counted := 0
	for try := 1; ; try++ {
		again, err := do()
		if _, limited := ctx.Deadline(); !limited || !lost(err) {
			counted++
		}
		if !again || counted >= maxTries {
			return err
		}
		if errors.Is(err, errAlone) || errors.Is(err, errStale) {
			continue
		}
		pause := min(time.Second, time.Millisecond<<min(try, 10))
		select {
		case <-ctx.Done():
			return err
		case <-time.After(rand.N(pause)):
		}
	}
}
