package audience

import (
	"context"
	"errors"
	"slices"
)

// ReconcileIndexes puts right what does not agree: indexes that are said to be ready
// and that the database has not, or not whole; those whose job has ended with its
// process; those that nobody has used for long, or whose key is gone; and those of
// which nobody knows. Call it when starting and once in some minutes.
func (s *Service) ReconcileIndexes(ctx context.Context) error {
	built, err := s.store.BuiltIndexes(ctx)
	if err != nil {
		return err
	}
	var all []SearchIndex
	err = s.store.View(ctx, func(tx Tx) error {
		all, err = tx.SearchIndexes(s.now().Unix())
		return err
	})
	if err != nil {
		return err
	}
	ready := 0
	for _, x := range all {
		if x.State == IndexReady {
			ready++
		}
	}
	s.needs.ready.Store(int64(ready))
	t := tending{rules: s.needs.rules, now: s.now().Unix(), built: built}
	if len(all) > 0 {
		err = s.store.Update(ctx, func(tx Tx) error { return t.all(tx) })
	}
	for _, b := range built { // rows come before indexes, so those without have lost theirs
		if !slices.ContainsFunc(all, func(x SearchIndex) bool { return x.ID == b.ID && x.State != IndexFailed }) {
			if failed := s.store.DropIndex(ctx, b.ID); !errors.Is(failed, ErrIndexBusy) {
				err = errors.Join(err, failed)
			}
		}
	}
	return err
}

// madeJust is how long after it was made an index may not have been seen, in seconds.
const madeJust = 30

// tending is one look at all indexes.
type tending struct {
	rules IndexRules
	now   int64
	built []BuiltIndex
}

func (t *tending) all(tx Tx) error {
	all, err := tx.SearchIndexes(t.now)
	if err != nil {
		return err
	}
	for i := range all {
		if err := t.one(tx, &all[i]); err != nil {
			return err
		}
	}
	return tx.DeleteIndexUse(t.now - (useDays+1)*secondsADay)
}

func (t *tending) one(tx Tx, x *SearchIndex) error {
	left := t.now-x.Changed >= int64(t.rules.StuckAfter.Seconds())
	switch {
	case x.State == IndexDropping && left:
		return dropIndex(tx, x, t.now, false)
	case x.State == IndexDropping:
		return nil
	}
	switch gone, err := keyIsGone(tx, x); {
	case err != nil:
		return err
	case gone:
		return t.drop(tx, x)
	}
	switch x.State {
	case IndexReady:
		// What is there was looked up before: it lacks what has just been made.
		if !t.has(x) && t.now-x.Changed >= madeJust {
			return t.build(tx, x)
		}
		if unused := t.now - max(x.Built, x.LastUsed); !x.Manual && unused > int64(t.rules.Unused.Seconds()) {
			return t.drop(tx, x)
		}
	case IndexWaiting, IndexBuilding:
		if left {
			return t.build(tx, x)
		}
	}
	return nil
}

func (t *tending) drop(tx Tx, x *SearchIndex) error { return dropIndex(tx, x, t.now, false) }

// build has an index made, once more.
func (t *tending) build(tx Tx, x *SearchIndex) error {
	if x.Changed = t.now; x.State == IndexReady {
		x.State = IndexWaiting
	}
	if err := tx.UpdateSearchIndex(x); err != nil {
		return err
	}
	return tx.Enqueue(BuildIndex{Index: x.ID})
}

func (t *tending) has(x *SearchIndex) bool {
	return slices.ContainsFunc(t.built, func(b BuiltIndex) bool { return b.ID == x.ID && b.Good })
}

// keyIsGone reports whether there is no List any more, or no key, to have an index.
func keyIsGone(tx Tx, x *SearchIndex) (bool, error) {
	schema, err := tx.Schema(x.ListID)
	if KindOf(err) == NoList {
		return true, nil
	}
	return err == nil && schema.indexKey(x.Key) == nil, err
}
