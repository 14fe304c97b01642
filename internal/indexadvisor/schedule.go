package indexadvisor

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"enlist/internal/audience"
)

// This file decides which indexes are built and evicted. To build an index, an Update stores its
// row and a build job. To evict an index, an Update sets its state to dropping and stores a drop
// job.

// useDays is how many days of recorded use are compared to decide which index is evicted.
const useDays = 7

const secondsADay = 24 * 60 * 60

// ScheduleBuilds stores build jobs for the indexes that searches lacked. Call it about once a
// second. If searches lacked no index, it does nothing.
func (a *Advisor) ScheduleBuilds(ctx context.Context) error {
	now := a.now()
	demanded := a.demanded(now)
	if len(demanded) == 0 {
		return nil
	}
	return a.store.Update(ctx, func(tx audience.Tx) error {
		s := scheduling{tx: tx, rules: a.rules, now: now.Unix()}
		for _, of := range slices.SortedFunc(maps.Keys(demanded), func(a, b target) int {
			return cmp.Or(cmp.Compare(demanded[b].today, demanded[a].today), cmp.Compare(a.list, b.list),
				cmp.Compare(a.key, b.key))
		}) {
			if err := s.schedule(of, demanded[of]); err != nil {
				return err
			}
		}
		return nil
	})
}

// WriteUse stores which indexes searches used. Call it once a minute and when the
// process stops.
func (a *Advisor) WriteUse(ctx context.Context) error {
	used := a.takeUses()
	if len(used) == 0 {
		return nil
	}
	return a.store.Update(ctx, func(tx audience.Tx) error { return tx.RecordIndexUse(used, a.now().Unix()) })
}

// scheduling is one transaction that schedules builds.
type scheduling struct {
	tx    audience.Tx
	rules Rules
	now   int64
	all   []audience.SearchIndex
	read  bool
}

// indexes returns all indexes, including those that this transaction has added or changed.
func (s *scheduling) indexes() (_ []audience.SearchIndex, err error) {
	if !s.read {
		s.all, err = s.tx.SearchIndexes(s.now - useDays*secondsADay)
		s.all, s.read = slices.Clone(s.all), err == nil
	}
	return s.all, err
}

// schedule stores the build of an index if the rules allow it.
func (s *scheduling) schedule(of target, m missing) error {
	if wanted, err := s.allowed(of); err != nil || !wanted {
		return err
	}
	all, err := s.indexes()
	if err != nil {
		return err
	}
	place, err := s.tx.IndexPlace(of.list)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(x audience.SearchIndex) bool { return x.ListID == of.list && x.Key == of.key })
	if i >= 0 && (all[i].State != audience.IndexFailed || s.now-all[i].Changed < int64(s.rules.Again.Seconds())) {
		return nil
	}
	if room, err := s.makeRoom(place, m); err != nil || !room {
		return err
	}
	if i >= 0 {
		return s.rebuild(&all[i], m)
	}
	return s.add(audience.SearchIndex{ListID: of.list, Key: of.key, State: audience.IndexWaiting,
		Created: s.now, Changed: s.now, ScanMS: m.mean(), Place: place})
}

// allowed reports whether a List is large enough for an index and still has the key.
func (s *scheduling) allowed(of target) (bool, error) {
	schema, err := s.tx.Schema(of.list)
	if err != nil {
		return false, ignoreKind(audience.NoList, err)
	}
	if keyOf(schema, of.key) == nil {
		return false, nil
	}
	n, err := s.tx.ContactCount(of.list)
	return n > s.rules.Contacts, err
}

// add stores a new index and its build job.
func (s *scheduling) add(x audience.SearchIndex) error {
	added, err := s.tx.AddSearchIndex(&x)
	if err != nil || !added {
		return err
	}
	s.all = append(s.all, x)
	return s.tx.Enqueue(audience.BuildIndex{Index: x.ID})
}

// rebuild stores another build job for an index that could not be built.
func (s *scheduling) rebuild(x *audience.SearchIndex, m missing) error {
	x.State, x.Changed, x.ScanMS = audience.IndexWaiting, s.now, m.mean()
	if err := s.tx.UpdateSearchIndex(x); err != nil {
		return err
	}
	return s.tx.Enqueue(audience.BuildIndex{Index: x.ID})
}

// makeRoom reports whether a Place has room for one more index. If the Place is full, makeRoom
// looks at the index that saved the least time. It evicts this index if the time saved on an
// average day is less than half of the time that searches took today without the new index. Because
// of the factor of two, two equally useful indexes do not evict each other again and again.
func (s *scheduling) makeRoom(place int64, m missing) (room bool, err error) {
	count := 0
	var least *audience.SearchIndex
	for i := range s.all {
		x := &s.all[i]
		if x.Place != place || x.State == audience.IndexFailed || x.State == audience.IndexDropping {
			continue
		}
		count++
		if s.evictable(x) && (least == nil || s.savedADay(x) < s.savedADay(least)) {
			least = x
		}
	}
	switch {
	case count < s.rules.Most:
		return true, nil
	case count > s.rules.Most || s.rules.Most == 0 || least == nil || 2*s.savedADay(least) >= m.today.Milliseconds():
		return false, nil
	}
	return true, evict(s.tx, least, s.now, false)
}

// evictable reports whether an index may be dropped for another index. It must be ready, not
// manual, and at least Rules.Settled old, so that the time that it saves is known.
func (s *scheduling) evictable(x *audience.SearchIndex) bool {
	return x.State == audience.IndexReady && !x.Manual && s.now-x.Built >= int64(s.rules.Settled.Seconds())
}

// savedADay returns the time that an index saved on an average day, in milliseconds.
func (s *scheduling) savedADay(x *audience.SearchIndex) int64 {
	days := (s.now - x.Built + secondsADay - 1) / secondsADay
	return x.SavedMS / min(max(days, 1), useDays)
}

// evict sets the state of an index to dropping and stores the job that drops it. After tx is
// committed, no search uses the index. If again is true, the job then stores a build job for a
// new index of the same key.
func evict(tx audience.Tx, x *audience.SearchIndex, now int64, again bool) error {
	x.State, x.Changed = audience.IndexDropping, now
	if err := tx.UpdateSearchIndex(x); err != nil {
		return err
	}
	return tx.Enqueue(audience.DropIndex{Index: x.ID, Again: again})
}

// ListDeleted implements audience.SearchObserver: it evicts the List's indexes.
func (a *Advisor) ListDeleted(tx audience.Tx, list audience.ListID, now int64) error {
	return evictAll(tx, now, func(x *audience.SearchIndex) bool { return x.ListID == list }, false)
}

// FieldChanged implements audience.SearchObserver: it evicts the index of a Field that is
// deleted, or whose values are compared in another way with the new type. In the second case
// the index is built again if it is manual or if a search used it in the last useDays.
func (a *Advisor) FieldChanged(tx audience.Tx, old, changed *audience.Field, now int64) error {
	oldKey := old.SearchKey()
	whole, parts := oldKey.IndexKey(), oldKey.ForParts().IndexKey()
	of := func(x *audience.SearchIndex) bool {
		return x.ListID == old.ListID && (x.Key == whole || x.Key == parts)
	}
	if changed == nil {
		return evictAll(tx, now, of, false)
	}
	if newKey := changed.SearchKey(); indexable(newKey) == indexable(oldKey) && newKey.Type == oldKey.Type {
		return nil
	}
	return evictAll(tx, now, of, true)
}

// evictAll evicts the indexes that match and are not being dropped already. If again is true,
// an index that is manual or was used in the last useDays is built again.
func evictAll(tx audience.Tx, now int64, match func(*audience.SearchIndex) bool, again bool) error {
	all, err := tx.SearchIndexes(now)
	if err != nil {
		return err
	}
	for i := range all {
		x := &all[i]
		if !match(x) || x.State == audience.IndexDropping {
			continue
		}
		if err := evict(tx, x, now, again && (x.Manual || x.LastUsed > now-useDays*secondsADay)); err != nil {
			return err
		}
	}
	return nil
}

// ignoreKind returns nil if err is of the given kind, else err. The kinds here mean that the
// List or the index no longer exists, so there is nothing to do.
func ignoreKind(kind audience.Kind, err error) error {
	if audience.KindOf(err) == kind {
		return nil
	}
	return err
}
