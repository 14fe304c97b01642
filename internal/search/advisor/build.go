package advisor

import (
	"context"
	"errors"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// This file runs the build and drop jobs. The database builds and drops indexes outside of
// transactions, so a job stores the state of the index in transactions before and after that.

// Build runs a build job. It can be repeated. It returns an error only if another process is
// working on this index, if ctx ends, or if the database could not store the state or drop
// the index. A failed build is not an error: it is stored, and may be repeated after a day.
func (a *Advisor) Build(ctx context.Context, e search.BuildIndex) error {
	x, key, err := a.startBuild(ctx, e.Index)
	if err != nil || key == nil {
		return err
	}
	began := a.now()
	bytes, err := a.store.BuildIndex(ctx, x.ID, x.ListID, key)
	switch {
	case errors.Is(err, enlist.ErrIndexBusy):
		return err
	case ctx.Err() != nil: // the process stops; the queue repeats the job later
		return errors.Join(ctx.Err(), err)
	case err != nil:
		return a.failBuild(ctx, x, err)
	}
	x.State, x.Error, x.Bytes, x.Built = enlist.IndexReady, "", bytes, a.now().Unix()
	x.BuildMS = a.now().Sub(began).Milliseconds()
	wanted, err := a.finishBuild(ctx, x)
	a.built.Add(1)
	if err == nil && !wanted {
		err = a.store.DropIndex(ctx, x.ID)
	}
	return err
}

// startBuild sets the state of an index to building. key is nil if there is nothing to build.
func (a *Advisor) startBuild(ctx context.Context, id enlist.SearchIndexID) (x *enlist.SearchIndex,
	key *enlist.SearchKey, err error) {
	err = a.store.Update(ctx, func(tx *db.Tx) (err error) {
		key = nil // the function may run again
		x, err = search.Index(tx, id)
		if err != nil || x.State != enlist.IndexWaiting && x.State != enlist.IndexBuilding {
			return enlist.IgnoreKind(enlist.NotFound, err)
		}
		schema, err := lists.Schema(tx, x.ListID)
		if err != nil && enlist.KindOf(err) != enlist.NoList {
			return err
		}
		if err == nil {
			key = keyOf(schema, x.Key)
		}
		if key == nil {
			return drop(tx, x, a.now().Unix(), false)
		}
		x.State, x.Changed = enlist.IndexBuilding, a.now().Unix()
		return search.UpdateIndex(tx, x)
	})
	return x, key, err
}

// finishBuild stores the result of a build. wanted is false if the row was deleted meanwhile.
// Then no job will drop the index in the database, so the caller must drop it.
func (a *Advisor) finishBuild(ctx context.Context, x *enlist.SearchIndex) (wanted bool, err error) {
	err = a.store.Update(ctx, func(tx *db.Tx) error {
		current, err := search.Index(tx, x.ID)
		wanted = err == nil
		if err != nil {
			return enlist.IgnoreKind(enlist.NotFound, err)
		}
		// The state is waiting if Reconcile decided that this job is stuck and stored another job.
		if current.State != enlist.IndexBuilding && current.State != enlist.IndexWaiting {
			return nil // the transaction that changed the state has stored a job
		}
		x.Changed, x.Manual = a.now().Unix(), current.Manual
		return search.UpdateIndex(tx, x)
	})
	return wanted, err
}

// failBuild stores why an index could not be built, and drops the incomplete index.
func (a *Advisor) failBuild(ctx context.Context, x *enlist.SearchIndex, cause error) error {
	a.failed.Add(1)
	x.State, x.Error = enlist.IndexFailed, cause.Error()
	if _, err := a.finishBuild(ctx, x); err != nil {
		return errors.Join(cause, err)
	}
	if err := a.store.DropIndex(ctx, x.ID); err != nil && !errors.Is(err, enlist.ErrIndexBusy) {
		return errors.Join(cause, err)
	}
	return nil
}

// Drop runs a drop job: it drops the index in the database and then deletes its row. If e.Again
// is set, it also stores a build job for a new index of the same key. It can be repeated.
func (a *Advisor) Drop(ctx context.Context, e search.DropIndex) error {
	dropping := true
	err := a.store.View(ctx, func(tx *db.Tx) error {
		x, err := search.Index(tx, e.Index)
		dropping = err != nil || x.State == enlist.IndexDropping
		return enlist.IgnoreKind(enlist.NotFound, err)
	})
	if err != nil || !dropping {
		return err
	}
	if err := a.store.DropIndex(ctx, e.Index); err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *db.Tx) error {
		x, err := search.Index(tx, e.Index)
		if err != nil {
			return enlist.IgnoreKind(enlist.NotFound, err)
		}
		if err := search.RemoveIndex(tx, x.ID); err != nil || !e.Again {
			return err
		}
		// The build checks that the key still exists.
		return build(tx, &enlist.SearchIndex{ListID: x.ListID, Key: x.Key, Manual: x.Manual}, a.now().Unix())
	})
}
