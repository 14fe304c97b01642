package audience

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
)

// An index comes about in steps, each of which can be done again: a row that
// says it is wanted, stored together with a job (OrderIndexes); the job has the
// database make it and says that it is ready (BuildIndex). It goes the other way
// round: from the row on nobody relies on it, and a job has it dropped. What was
// left in the middle is found by TendIndexes.

// ErrIndexBusy says that somebody else is at an index just now.
var ErrIndexBusy = errors.New("somebody is at work on this index")

// useDays is how many days of uses count when there is no more room.
const useDays = 7

const secondsADay = 24 * 60 * 60

// BuiltIndex is a SearchIndex as the database has it.
type BuiltIndex struct {
	ID    SearchIndexID
	Good  bool  // false: the making of it was broken off, or goes on
	Bytes int64 // 0: not known
}

// ScheduleIndexBuilds has the indexes made that searches have lacked. Call it every
// second or so: it does nothing while there are none.
func (s *Service) ScheduleIndexBuilds(ctx context.Context) error {
	now := s.now()
	wanted := s.needs.wanted(now)
	if len(wanted) == 0 {
		return nil
	}
	return s.store.Update(ctx, func(tx Tx) error {
		o := ordering{tx: tx, rules: s.needs.rules, now: now.Unix()}
		for _, of := range slices.SortedFunc(maps.Keys(wanted), func(a, b indexed) int {
			return cmp.Or(cmp.Compare(wanted[b].today, wanted[a].today), cmp.Compare(a.list, b.list), cmp.Compare(a.key, b.key))
		}) {
			if err := o.order(of, wanted[of]); err != nil {
				return err
			}
		}
		return nil
	})
}

// ordering is one transaction in which indexes are ordered.
type ordering struct {
	tx    Tx
	rules IndexRules
	now   int64
	all   []SearchIndex
	read  bool
}

// indexes are all that there are, with what has been changed since.
func (o *ordering) indexes() (_ []SearchIndex, err error) {
	if !o.read {
		o.all, err = o.tx.SearchIndexes(o.now - useDays*secondsADay)
		o.all, o.read = slices.Clone(o.all), err == nil
	}
	return o.all, err
}

// order orders an index, if the rules allow it.
func (o *ordering) order(of indexed, l lack) error {
	schema, err := o.tx.Schema(of.list)
	if err != nil {
		return ignoreKind(NoList, err)
	}
	if schema.indexKey(of.key) == nil {
		return nil
	}
	if n, err := o.tx.ContactCount(of.list); err != nil || n <= o.rules.Contacts {
		return err
	}
	all, err := o.indexes()
	if err != nil {
		return err
	}
	place, err := o.tx.IndexPlace(of.list)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(x SearchIndex) bool { return x.ListID == of.list && x.Key == of.key })
	if i >= 0 && (all[i].State != IndexFailed || o.now-all[i].Changed < int64(o.rules.Again.Seconds())) {
		return nil
	}
	if room, err := o.makeRoom(place, l); err != nil || !room {
		return err
	}
	if i >= 0 {
		x := &all[i]
		x.State, x.Changed, x.ScanMS = IndexWaiting, o.now, l.last.Milliseconds()
		if err := o.tx.UpdateSearchIndex(x); err != nil {
			return err
		}
		return o.tx.Enqueue(BuildIndex{Index: x.ID})
	}
	x := SearchIndex{ListID: of.list, Key: of.key, State: IndexWaiting, Created: o.now, Changed: o.now, ScanMS: l.last.Milliseconds(), Place: place}
	added, err := o.tx.AddSearchIndex(&x)
	if err != nil || !added {
		return err
	}
	o.all = append(o.all, x)
	return o.tx.Enqueue(BuildIndex{Index: x.ID})
}

// makeRoom reports whether there is room for one more index in a place, after it
// has the one dropped that saved least, where that pays: one that has been there
// for a day and saves on an average day less than half of what searches took today
// without the new one. So two that are needed alike do not take turns.
func (o *ordering) makeRoom(place int64, l lack) (room bool, err error) {
	count := 0
	var least *SearchIndex
	for i := range o.all {
		x := &o.all[i]
		if x.Place != place || x.State == IndexFailed || x.State == IndexDropping {
			continue
		}
		count++
		settled := x.State == IndexReady && !x.Manual && o.now-x.Built >= int64(o.rules.Settled.Seconds())
		if settled && (least == nil || o.savedADay(x) < o.savedADay(least)) {
			least = x
		}
	}
	switch {
	case count < o.rules.Most:
		return true, nil
	case count > o.rules.Most || o.rules.Most == 0 || least == nil || 2*o.savedADay(least) >= l.today.Milliseconds():
		return false, nil
	}
	return true, dropIndex(o.tx, least, o.now, false)
}

// savedADay is what an index saved on an average day, in milliseconds.
func (o *ordering) savedADay(x *SearchIndex) int64 {
	days := (o.now - x.Built + secondsADay - 1) / secondsADay
	return x.SavedMS / min(max(days, 1), useDays)
}

// dropIndex has an index dropped on which nobody relies from now on. With again
// another one is made then.
func dropIndex(tx Tx, x *SearchIndex, now int64, again bool) error {
	x.State, x.Changed = IndexDropping, now
	if err := tx.UpdateSearchIndex(x); err != nil {
		return err
	}
	return tx.Enqueue(DropIndex{Index: x.ID, Again: again})
}

// dropIndexes drops the indexes of a List, or of one of its keys. With again those
// come back that somebody made by hand or searches used this week.
func dropIndexes(tx Tx, now int64, list ListID, key string, again bool) error {
	all, err := tx.SearchIndexes(now)
	if err != nil {
		return err
	}
	for i := range all {
		x := &all[i]
		if x.ListID != list || key != "" && x.Key != key || x.State == IndexDropping {
			continue
		}
		if err := dropIndex(tx, x, now, again && (x.Manual || x.LastUsed > now-useDays*secondsADay)); err != nil {
			return err
		}
	}
	return nil
}

// ordersOtherwise reports whether an index of a Field is of no use any more after
// the Field was changed.
func (f *Field) ordersOtherwise(old *Field) bool {
	is, was := f.searchKey(), old.searchKey()
	return is.indexable() != was.indexable() || is.Type != was.Type
}

// WriteIndexUse stores which indexes searches used. Call it once a minute and when stopping.
func (s *Service) WriteIndexUse(ctx context.Context) error {
	used := s.needs.take()
	if len(used) == 0 {
		return nil
	}
	return s.store.Update(ctx, func(tx Tx) error { return tx.RecordIndexUse(used, s.now().Unix()) })
}

// BuildIndex has an index made that is wanted. Doing it again does no harm. An
// error is only returned when somebody else is at it, or when it could not be
// noted that it failed: a failed one is not tried again for a day.
func (s *Service) BuildIndex(ctx context.Context, e BuildIndex) error {
	x, key, err := s.beginIndex(ctx, e.Index)
	if err != nil || key == nil {
		return err
	}
	began := s.now()
	bytes, err := s.store.BuildIndex(ctx, x.ID, x.ListID, key)
	switch {
	case errors.Is(err, ErrIndexBusy):
		return err
	case ctx.Err() != nil: // the process stops: it is taken up again
		return errors.Join(ctx.Err(), err)
	case err != nil:
		return s.failIndex(ctx, x, err)
	}
	x.State, x.Error, x.Bytes, x.Built = IndexReady, "", bytes, s.now().Unix()
	x.BuildMS = s.now().Sub(began).Milliseconds()
	wanted, err := s.settleIndex(ctx, x)
	s.needs.built.Add(1)
	if err == nil && !wanted {
		err = s.store.DropIndex(ctx, x.ID)
	}
	return err
}

// beginIndex says that an index is being made. key is nil when it is not to be.
func (s *Service) beginIndex(ctx context.Context, id SearchIndexID) (x *SearchIndex, key *SearchKey, err error) {
	err = s.store.Update(ctx, func(tx Tx) (err error) {
		key = nil
		x, err = tx.SearchIndex(id)
		if err != nil || x.State != IndexWaiting && x.State != IndexBuilding {
			return ignoreKind(NotFound, err)
		}
		schema, err := tx.Schema(x.ListID)
		if err != nil && KindOf(err) != NoList {
			return err
		}
		if err == nil {
			key = schema.indexKey(x.Key)
		}
		if key == nil {
			return dropIndex(tx, x, s.now().Unix(), false)
		}
		x.State, x.Changed = IndexBuilding, s.now().Unix()
		return tx.UpdateSearchIndex(x)
	})
	return x, key, err
}

// settleIndex says what has become of an index that was being made, and reports
// whether anybody wants it still.
func (s *Service) settleIndex(ctx context.Context, x *SearchIndex) (wanted bool, err error) {
	err = s.store.Update(ctx, func(tx Tx) error {
		is, err := tx.SearchIndex(x.ID)
		if wanted = err == nil; !wanted { // if it is there and unwanted, a job will drop it
			return ignoreKind(NotFound, err)
		}
		if is.State != IndexBuilding && is.State != IndexWaiting { // Waiting: its job was taken for lost
			return nil
		}
		x.Changed, x.Manual = s.now().Unix(), is.Manual
		return tx.UpdateSearchIndex(x)
	})
	return wanted, err
}

// failIndex notes that an index could not be made, and leaves nothing behind of it.
func (s *Service) failIndex(ctx context.Context, x *SearchIndex, cause error) error {
	s.needs.failed.Add(1)
	x.State, x.Error = IndexFailed, cause.Error()
	if _, err := s.settleIndex(ctx, x); err != nil {
		return errors.Join(cause, err)
	}
	if err := s.store.DropIndex(ctx, x.ID); err != nil && !errors.Is(err, ErrIndexBusy) {
		return errors.Join(cause, err)
	}
	return nil
}

// DropIndex has an index dropped on which nobody relies any more. Doing it again
// does no harm.
func (s *Service) DropIndex(ctx context.Context, e DropIndex) error {
	dropping := true
	err := s.store.View(ctx, func(tx Tx) error {
		x, err := tx.SearchIndex(e.Index)
		dropping = err != nil || x.State == IndexDropping
		return ignoreKind(NotFound, err)
	})
	if err != nil || !dropping {
		return err
	}
	if err := s.store.DropIndex(ctx, e.Index); err != nil {
		return err
	}
	return s.store.Update(ctx, func(tx Tx) error {
		x, err := tx.SearchIndex(e.Index)
		if err != nil {
			return ignoreKind(NotFound, err)
		}
		if err := tx.RemoveSearchIndex(x.ID); err != nil || !e.Again {
			return err
		}
		again := SearchIndex{ListID: x.ListID, Key: x.Key, State: IndexWaiting, Manual: x.Manual, ScanMS: x.ScanMS}
		again.Created, again.Changed = s.now().Unix(), s.now().Unix()
		added, err := tx.AddSearchIndex(&again)
		if err != nil || !added {
			return err
		}
		return tx.Enqueue(BuildIndex{Index: again.ID}) // which looks whether the key is still there
	})
}
