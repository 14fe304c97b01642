package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/limiter"
)

// This file makes the functions of the subjects the work of jobs.

// work does the work of one job. Its error can be a db.Later, a *db.Retry or a *db.Final.
type work[E db.Effect] func(ctx context.Context, j db.Job, e E) error

// run is the Work of a jobqueue.Queue.
func (w work[E]) run(ctx context.Context, j db.Job, args []byte) error {
	var e E
	if err := json.Unmarshal(args, &e); err != nil {
		return fmt.Errorf("read the arguments of the job: %w", err)
	}
	return w(ctx, j, e)
}

// runTime is the time after which a long change ends its job, so that the next job of its queue can run.
const runTime = 20 * time.Second

// inSteps returns the work of a long change: it removes Contacts, or converts the values of a Field. A List may have
// millions of Contacts, so step changes a part of it. step returns the effect for the rest; done is true if no rest is
// left. After runTime the work stores a job for the rest, at the end of the queue.
func inSteps[E db.Effect](store db.Engine, step func(ctx context.Context, e E) (rest E, done bool, err error)) work[E] {
	return func(ctx context.Context, _ db.Job, e E) error {
		for end := time.Now().Add(runTime); ; {
			rest, done, err := step(ctx, e)
			switch {
			case err == nil && done:
				return nil
			case ctx.Err() != nil:
				return db.Later(0)
			case err != nil:
				return err
			case time.Now().After(end):
				return store.Update(ctx, func(tx *db.Tx) error { return tx.Enqueue(rest) })
			}
			e = rest
		}
	}
}

// heavySlots is the number of Imports that run at the same time, and of Batches that are prepared.
const heavySlots = 4

// slotWait is how long a job waits for a slot. A small Batch is prepared in a few milliseconds, so a hundred of them get
// their slots in turn. A longer wait would keep workers from jobs of other Accounts.
const slotWait = 200 * time.Millisecond

// shared returns work that needs one of heavySlots. One Account has at most half of them, so that its queue does not
// delay the jobs of others. A job that gets no slot goes back to the queue, behind jobs that are due.
func shared[E interface {
	db.Effect
	Owner() enlist.AccountID
}](do work[E]) work[E] {
	slots := limiter.NewShared(heavySlots, limiter.Half(heavySlots), slotWait)
	return func(ctx context.Context, j db.Job, e E) error {
		leave, err := slots.AcquireFor(ctx, int64(e.Owner()), 1)
		if errors.Is(err, limiter.ErrBusy) {
			return db.LaterWithoutSlot(j)
		}
		if err != nil {
			return err
		}
		defer leave()
		return do(ctx, j, e)
	}
}

// repeated returns a step that is repeated with the same effect until it is done.
func repeated[E db.Effect](step func(ctx context.Context, e E) (done bool, err error)) func(
	context.Context, E) (E, bool, error) {
	return func(ctx context.Context, e E) (E, bool, error) {
		done, err := step(ctx, e)
		return e, done, err
	}
}
