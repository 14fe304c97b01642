package advisor

import (
	"context"
	"slices"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// This file decides which indexes are built and dropped. To build an index, an Update stores its row and a build job.
// To drop an index, an Update sets its state to dropping and stores a drop job.

// ScheduleBuilds stores build jobs for the indexes that slow searches lacked. Call it about once a second. If searches
// lacked no index, it does nothing.
func (a *Advisor) ScheduleBuilds(ctx context.Context) error {
	wanted := a.takeWanted()
	if len(wanted) == 0 || a.perPlace.Load() == 0 {
		return nil
	}
	return a.store.Update(ctx, func(tx *db.Tx) error {
		for _, of := range wanted {
			if err := a.schedule(tx, of); err != nil {
				return err
			}
		}
		return nil
	})
}

// WriteUse stores when searches last used each index. Call it once a minute and when the process stops.
func (a *Advisor) WriteUse(ctx context.Context) error {
	used := a.takeUses()
	if len(used) == 0 {
		return nil
	}
	return a.store.Update(ctx, func(tx *db.Tx) error { return search.RecordIndexUse(tx, used) })
}

// schedule stores the build of an index if the rules allow it.
func (a *Advisor) schedule(tx *db.Tx, of target) error {
	if allowed, err := a.allowed(tx, of); err != nil || !allowed {
		return err
	}
	all, err := search.Indexes(tx)
	if err != nil {
		return err
	}
	now := a.now()
	i := slices.IndexFunc(all, func(x enlist.SearchIndex) bool { return x.ListID == of.list && x.Key == of.key })
	if i >= 0 && (all[i].State != enlist.IndexFailed || now.Sub(time.Unix(all[i].Changed, 0)) < day) {
		return nil
	}
	if room, err := a.makeRoom(tx, all, of.list, now); err != nil || !room {
		return err
	}
	if i >= 0 {
		return rebuild(tx, &all[i], now.Unix())
	}
	return build(tx, &enlist.SearchIndex{ListID: of.list, Key: of.key}, now.Unix())
}

// allowed reports whether a List is large enough for an index and still has the key.
func (a *Advisor) allowed(tx *db.Tx, of target) (bool, error) {
	schema, err := lists.Schema(tx, of.list)
	if err != nil {
		return false, enlist.IgnoreKind(enlist.NoList, err)
	}
	if keyOf(schema, of.key) == nil {
		return false, nil
	}
	n, err := tx.ContactCount(of.list)
	return n > a.rules.Contacts, err
}

// makeRoom reports whether a List may get one more index. If the List or its Place is full, makeRoom drops the index
// there that searches have not used for the longest time. It drops no index that was used or built within a day.
// Otherwise indexes that searches use in turn would replace each other again and again.
func (a *Advisor) makeRoom(tx *db.Tx, all []enlist.SearchIndex, list enlist.ListID, now time.Time) (bool, error) {
	place, err := search.IndexPlace(tx, list)
	if err != nil {
		return false, err
	}
	ofPlace := slices.DeleteFunc(slices.Clone(all), func(x enlist.SearchIndex) bool {
		return x.Place != place || x.State == enlist.IndexFailed || x.State == enlist.IndexDropping
	})
	ofList := slices.DeleteFunc(slices.Clone(ofPlace), func(x enlist.SearchIndex) bool { return x.ListID != list })
	full, most := ofPlace, int(a.perPlace.Load())
	if len(ofList) >= a.rules.PerList {
		full, most = ofList, a.rules.PerList
	}
	if len(full) < most {
		return true, nil
	}
	x := leastRecentlyUsed(full)
	if len(full) > most || x == nil || now.Sub(lastUse(x)) < day {
		return false, nil
	}
	return true, drop(tx, x, now.Unix(), false)
}

// leastRecentlyUsed returns the index that searches have not used for the longest time. It returns nil if no index is
// ready, or only manual ones.
func leastRecentlyUsed(all []enlist.SearchIndex) (least *enlist.SearchIndex) {
	for i := range all {
		x := &all[i]
		if x.State == enlist.IndexReady && !x.Manual && (least == nil || lastUse(x).Before(lastUse(least))) {
			least = x
		}
	}
	return least
}

// lastUse returns when a search last used an index that is ready, or the end of its build if no search used it.
func lastUse(x *enlist.SearchIndex) time.Time { return time.Unix(max(x.Built, x.LastUsed), 0) }

// build stores a new index and its build job, unless the List has an index of the key already.
func build(tx *db.Tx, x *enlist.SearchIndex, now int64) error {
	x.State, x.Created, x.Changed = enlist.IndexWaiting, now, now
	added, err := search.AddIndex(tx, x)
	if err != nil || !added {
		return err
	}
	return tx.Enqueue(search.BuildIndex{Index: x.ID})
}

// rebuild stores another build job for an index. No search uses the index until it is built.
func rebuild(tx *db.Tx, x *enlist.SearchIndex, now int64) error {
	x.State, x.Changed = enlist.IndexWaiting, now
	if err := search.UpdateIndex(tx, x); err != nil {
		return err
	}
	return tx.Enqueue(search.BuildIndex{Index: x.ID})
}

// drop sets the state of an index to dropping and stores the job that drops it. After tx is committed, no search uses
// the index. If again is true, the job then stores a build job for a new index of the same key.
func drop(tx *db.Tx, x *enlist.SearchIndex, now int64, again bool) error {
	x.State, x.Changed = enlist.IndexDropping, now
	if err := search.UpdateIndex(tx, x); err != nil {
		return err
	}
	return tx.Enqueue(search.DropIndex{Index: x.ID, Again: again})
}

// ListDeleted implements search.Observer: it drops the List's indexes.
func (a *Advisor) ListDeleted(tx *db.Tx, list enlist.ListID, now int64) error {
	return dropAll(tx, now, func(x *enlist.SearchIndex) bool { return x.ListID == list }, false)
}

// FieldChanged implements search.Observer: it drops the index of a Field that is deleted, or whose values are
// compared in another way with the new type. In the second case a manual index is built again.
func (a *Advisor) FieldChanged(tx *db.Tx, old, changed *enlist.Field, now int64) error {
	oldKey := old.SearchKey()
	whole, parts := oldKey.IndexKey(), oldKey.ForParts().IndexKey()
	of := func(x *enlist.SearchIndex) bool {
		return x.ListID == old.ListID && (x.Key == whole || x.Key == parts)
	}
	if changed == nil {
		return dropAll(tx, now, of, false)
	}
	if newKey := changed.SearchKey(); indexable(newKey) == indexable(oldKey) && newKey.Type == oldKey.Type {
		return nil
	}
	return dropAll(tx, now, of, true)
}

// dropAll drops the indexes that match and are not being dropped already. If again is true, manual indexes are built
// again.
func dropAll(tx *db.Tx, now int64, match func(*enlist.SearchIndex) bool, again bool) error {
	all, err := search.Indexes(tx)
	if err != nil {
		return err
	}
	for i := range all {
		x := &all[i]
		if !match(x) || x.State == enlist.IndexDropping {
			continue
		}
		if err := drop(tx, x, now, again && x.Manual); err != nil {
			return err
		}
	}
	return nil
}
