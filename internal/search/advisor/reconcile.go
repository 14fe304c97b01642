package advisor

import (
	"context"
	"errors"
	"slices"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// This file repairs indexes. A process may crash between two states of an index, and an operator
// may drop an index in the database with SQL. Reconcile finds and repairs the index in both cases.

// Reconcile compares the catalogue of indexes with the indexes in the database, and stores the
// jobs that are needed. It builds an index again if its state is ready, but the index in the
// database is missing or incomplete. It repeats jobs that are stuck. It drops indexes that no
// search used for a long time or whose key is gone, and indexes in the database that have no
// row. Call it at the start and every minute.
func (a *Advisor) Reconcile(ctx context.Context) error {
	built, err := a.store.BuiltIndexes(ctx)
	if err != nil {
		return err
	}
	var all []enlist.SearchIndex
	err = a.store.View(ctx, func(tx *db.Tx) error {
		all, err = search.Indexes(tx)
		return err
	})
	if err != nil {
		return err
	}
	a.ready.Store(countReady(all))
	r := reconciliation{now: a.now(), built: built}
	if len(all) > 0 {
		err = a.store.Update(ctx, r.reconcile)
	}
	return errors.Join(err, a.dropUnknown(ctx, all, built))
}

func countReady(all []enlist.SearchIndex) (n int64) {
	for _, x := range all {
		if x.State == enlist.IndexReady {
			n++
		}
	}
	return n
}

// dropUnknown drops the indexes in the database that have no row, or whose build failed. A row
// is stored before its index is built, and deleted after its index is dropped. So an index
// without a row is not needed.
func (a *Advisor) dropUnknown(ctx context.Context, all []enlist.SearchIndex,
	built []enlist.BuiltIndex) (err error) {
	for _, b := range built {
		known := func(x enlist.SearchIndex) bool { return x.ID == b.ID && x.State != enlist.IndexFailed }
		if slices.ContainsFunc(all, known) {
			continue
		}
		if failed := a.store.DropIndex(ctx, b.ID); !errors.Is(failed, enlist.ErrIndexBusy) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

const (
	// justBuilt is how long after its last change an index may be missing in reconciliation.built, because that list
	// was read before the transaction.
	justBuilt = 30 * time.Second

	// stuckAfter is the time after which a build or drop gets another job if it has not ended.
	stuckAfter = 5 * time.Minute
)

// reconciliation is one comparison of all rows with the built indexes.
type reconciliation struct {
	now   time.Time
	built []enlist.BuiltIndex
}

func (r *reconciliation) reconcile(tx *db.Tx) error {
	all, err := search.Indexes(tx)
	if err != nil {
		return err
	}
	for i := range all {
		if err := r.one(tx, &all[i]); err != nil {
			return err
		}
	}
	return nil
}

// one stores the job that one index needs, if it needs a job.
func (r *reconciliation) one(tx *db.Tx, x *enlist.SearchIndex) error {
	gone, err := keyIsGone(tx, x)
	if err != nil {
		return err
	}
	since := r.now.Sub(time.Unix(x.Changed, 0))
	stuck := since >= stuckAfter
	ready := x.State == enlist.IndexReady
	building := x.State == enlist.IndexWaiting || x.State == enlist.IndexBuilding
	switch {
	case x.State == enlist.IndexDropping && !stuck:
		return nil
	case x.State == enlist.IndexDropping, gone, ready && !x.Manual && r.now.Sub(lastUse(x)) > unused:
		return drop(tx, x, r.now.Unix(), false)
	case ready && !r.isBuilt(x) && since >= justBuilt, building && stuck:
		return rebuild(tx, x, r.now.Unix())
	}
	return nil
}

// isBuilt reports whether the database has the complete index.
func (r *reconciliation) isBuilt(x *enlist.SearchIndex) bool {
	return slices.ContainsFunc(r.built, func(b enlist.BuiltIndex) bool { return b.ID == x.ID && b.Good })
}

// keyIsGone reports whether the List or the key of an index no longer exists.
func keyIsGone(tx *db.Tx, x *enlist.SearchIndex) (bool, error) {
	schema, err := lists.Schema(tx, x.ListID)
	if enlist.KindOf(err) == enlist.NoList {
		return true, nil
	}
	return err == nil && keyOf(schema, x.Key) == nil, err
}
