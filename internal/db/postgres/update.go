package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"enlist/internal/db"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// This file runs the functions of Store.Update. Transactions that write run at the same time, in READ
// COMMITTED: each statement sees what other transactions committed before it. If a function reads data
// in order to change it, the function locks the data. For Contacts it uses row locks. It uses advisory
// locks for the Contact limit of an Account, and for rows that may not exist yet: the saved result of
// a call, or a delivery.
//
// Definitions change only while no other transaction writes. Every transaction that writes locks the
// table catalogue in a mode that many transactions can hold. A transaction that changes definitions
// locks the table in a mode that excludes all other writers. Its function asks for that mode with
// Tx.LockDefinitions, and then runs again from its start.

const (
	beginWriting  = "BEGIN"
	lockShared    = "LOCK TABLE catalogue IN ROW EXCLUSIVE MODE"
	lockExclusive = "LOCK TABLE catalogue IN EXCLUSIVE MODE"

	// lockAndReadVersion is lockShared and readVersion in one statement. The UPDATE changes no row, but takes the same
	// lock. PostgreSQL takes the locks of a statement first, and then the snapshot that the statement reads.
	lockAndReadVersion = "WITH locked AS (UPDATE catalogue SET version = version WHERE FALSE) " + readVersion
)

// mode is how one attempt of a function runs.
type mode struct {
	exclusive bool  // no other transaction writes meanwhile
	version   int64 // the version of the catalogue that this process saw last; 0: read it before the function starts
}

// Update implements db.Engine. If ctx ends before fn starts, nothing is stored. After fn has
// started, Update waits for the outcome even if ctx ends. One time limit covers all attempts and the
// waits for a connection.
func (s *Store) Update(ctx context.Context, fn func(*db.Tx) error) error {
	limited, cancel := context.WithTimeout(ctx, s.time)
	defer cancel()
	m := mode{version: s.cache.Newest()}
	return retry(limited, func() (again bool, err error) { return s.attempt(limited, fn, &m) })
}

// attempt tries once to run fn in mode m. If again is true, another attempt may succeed. In this case
// attempt has set m to the mode for that other attempt.
func (s *Store) attempt(ctx context.Context, fn func(*db.Tx) error, m *mode) (again bool, err error) {
	conn, err := s.writers.Acquire(ctx)
	if err != nil {
		err = connectError(err)
		return lost(err), err
	}
	defer conn.Release()
	deadline, _ := ctx.Deadline() // of all attempts
	work, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	defer cancel()
	t := newSession(work, conn, s.partitions, m.version)
	t.exclusive = m.exclusive
	err = s.transaction(t, fn)
	s.note(t)
	if err == nil {
		s.commits.Observe(1)
	}
	*m = mode{exclusive: m.exclusive || t.needsLock} // version 0: the next attempt reads it after it has the lock
	switch {
	case err == nil:
		return false, nil
	case errors.Is(t.failed, errStale):
		s.cache.Forget(t.version)
		return true, err
	case t.needsLock && t.failed == nil:
		m.version = t.version
		return true, err
	case t.outcomeUnknown():
		return false, unknownOutcome(err)
	}
	return lost(t.failed) || collided(t.failed), err
}

// note does what later transactions need: it closes connections to a read-only server, remembers the
// time of a deadlock, and counts what was written.
func (s *Store) note(t *session) {
	if refusesWrites(t.failed) {
		s.writers.Reset() // the pool's other connections lead to the same server
	}
	if deadlocked(t.failed) {
		s.deadlock.Store(time.Now().UnixNano())
	}
	if t.failed == nil {
		s.upkeep.note(t)
	}
}

// serialisedFor is the time after a deadlock in which bulk changes of a List run one after another.
// Two bulk changes that lock the same Contacts in different orders would deadlock at every attempt,
// and PostgreSQL takes a second to detect a deadlock.
const serialisedFor = 10 * time.Second

func (s *Store) serialises() bool { return time.Since(time.Unix(0, s.deadlock.Load())) < serialisedFor }

// transaction runs fn in a transaction and commits it. After an error nothing is stored, unless
// outcomeUnknown returns true.
func (s *Store) transaction(t *session, fn func(*db.Tx) error) error {
	s.begin(t)
	if t.version == 0 {
		if err := t.flush(); err != nil {
			return t.rollback(err)
		}
	}
	shared := db.NewSession(s.cache)
	shared.Sees(t.version)
	shared.Serialise = s.serialises()
	var effects []db.Effect
	err := t.call(fn, shared, func(e db.Effect) error {
		effects = append(effects, e)
		return nil
	})
	switch {
	case t.failed != nil:
		err = t.failed // even if fn ignored this error
	case err == nil:
		err = s.finish(t, shared, effects)
	case !t.verified:
		// fn returned an error. The error is valid only if fn saw the newest definitions.
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

// begin queues the statements that start a transaction that writes.
func (s *Store) begin(t *session) {
	lock := lockShared
	if t.exclusive {
		lock = lockExclusive
	}
	switch {
	case s.distributed:
		t.begin(readVersion, beginWriting, lock, writeTwoPhase)
	case t.exclusive:
		t.begin(readVersion, beginWriting, lock)
	default:
		t.begin(lockAndReadVersion, beginWriting)
	}
}

// finish sends the counters, the jobs and COMMIT.
func (s *Store) finish(t *session, shared *db.Session, effects []db.Effect) error {
	if err := shared.Finish(t); err != nil {
		return err
	}
	t.counted = shared.Mark() > 0
	return s.commit(t, effects)
}

// commit stores effects as jobs and commits.
func (s *Store) commit(t *session, effects []db.Effect) error {
	if len(effects) > 0 {
		if err := s.insertJobs(t, effects); err != nil {
			return fmt.Errorf("store jobs: %w", err)
		}
	}
	if !t.verified {
		// COMMIT must not be in the flush that reads the version. Otherwise the server would run
		// COMMIT before this process could compare the versions.
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.send("COMMIT", nil, func(rows pgx.Rows) error {
		rows.Close()
		if err := rows.Err(); err != nil {
			return err
		}
		return takeStandbyMissing(t.conn.PgConn())
	})
	t.committing = true
	if err := t.flush(); err != nil {
		return err
	}
	s.workers.Stored(effects)
	return nil
}

// outcomeUnknown reports whether this process cannot know if the transaction is stored. There are two
// cases: the server did not answer a COMMIT, or the standby has not confirmed that it has the
// transaction. If this process sent nothing of the flush that ends with COMMIT, the outcome is known.
func (t *session) outcomeUnknown() bool {
	if errors.Is(t.failed, errStandbyMissing) {
		return true
	}
	return t.committing && t.broken() && !t.skipped && !pgconn.SafeToRetry(t.failed)
}

// unknownOutcome returns the error for a transaction for which outcomeUnknown returns true.
func unknownOutcome(err error) error {
	return fmt.Errorf("the connection was lost while committing: whether the change is stored is not known: %w", err)
}
