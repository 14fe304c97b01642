package advisor

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// This file makes the table search_index follow the rules, and the indexes in the database follow the table.

// AddWanted stores which missing indexes searches need. Tend builds them.
func (a *Advisor) AddWanted(ctx context.Context) error {
	wanted := a.takeWanted()
	if len(wanted) == 0 {
		return nil
	}
	return a.store.Update(ctx, func(tx *db.Tx) error {
		for _, of := range wanted {
			if err := a.add(tx, of); err != nil {
				return err
			}
		}
		return nil
	})
}

// Tend deletes the rows of indexes that no search needs, and builds and drops indexes
// in the database until they are those of the table. A crash, or an operator who drops an index with SQL, needs no
// other care: the next call does what is left. Each process calls it some seconds after a commit. Of several that want to
// change the same index, one does it, and the others go on with the next; then the error is db.ErrAgain.
func (a *Advisor) Tend(ctx context.Context) error {
	// This is read before the rows. A row is stored before its index is built, so an index without a row is not needed.
	built, err := a.store.BuiltIndexes(ctx)
	if err != nil {
		return err
	}
	var rows, old []enlist.SearchIndex
	read := func(tx *db.Tx) (err error) {
		rows, old, err = a.read(tx)
		return err
	}
	err = a.store.View(ctx, read)
	if err == nil && len(old) > 0 {
		err = a.store.Update(ctx, func(tx *db.Tx) error {
			if err := read(tx); err != nil { // a search may have used one meanwhile
				return err
			}
			for _, x := range old {
				if err := search.RemoveIndex(tx, x.ID); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(x enlist.SearchIndex) bool { return x.State == enlist.IndexFailed })
	var failed []error
	for _, b := range built {
		if !slices.ContainsFunc(rows, func(x enlist.SearchIndex) bool { return x.ID == b.ID }) {
			failed = append(failed, a.store.DropIndex(ctx, b.ID))
		}
	}
	ready := int64(0)
	for i := range rows {
		if rows[i].State == enlist.IndexReady && isBuilt(&rows[i], built) {
			ready++
		} else {
			failed = append(failed, a.build(ctx, rows[i].ID))
		}
	}
	a.ready.Store(ready)
	isBusy := func(err error) bool { return errors.Is(err, enlist.ErrIndexBusy) }
	again := error(nil)
	if slices.ContainsFunc(failed, isBusy) {
		again = db.ErrAgain
	}
	return cmp.Or(errors.Join(slices.DeleteFunc(failed, isBusy)...), again)
}

// isBuilt reports whether the database has the complete index.
func isBuilt(x *enlist.SearchIndex, built []enlist.BuiltIndex) bool {
	return slices.ContainsFunc(built, func(b enlist.BuiltIndex) bool { return b.ID == x.ID && b.Good })
}

// add stores the row of an index that slow searches lacked, if the rules allow it.
func (a *Advisor) add(tx *db.Tx, of target) error {
	if allowed, err := a.allowed(tx, of); err != nil || !allowed {
		return err
	}
	rows, err := search.Indexes(tx)
	if err != nil {
		return err
	}
	now := a.now()
	i := slices.IndexFunc(rows, func(x enlist.SearchIndex) bool { return x.ListID == of.list && x.Key == of.key })
	if i >= 0 && (rows[i].State != enlist.IndexFailed || now.Sub(time.Unix(rows[i].Changed, 0)) < day) {
		return nil
	}
	if room, err := a.makeRoom(tx, rows, of.list, now); err != nil || !room {
		return err
	}
	if i >= 0 {
		rows[i].State = enlist.IndexWaiting
		return search.UpdateIndex(tx, &rows[i])
	}
	_, err = search.AddIndex(tx, &enlist.SearchIndex{ListID: of.list, Key: of.key, State: enlist.IndexWaiting,
		Created: now.Unix(), Changed: now.Unix()})
	return err
}

// allowed reports whether there are automatic builds, and a List is large enough for one and still has the key.
func (a *Advisor) allowed(tx *db.Tx, of target) (bool, error) {
	key, err := keyOf(tx, of.list, of.key)
	if err != nil || key == nil || a.rules.PerPlace() == 0 {
		return false, err
	}
	n, err := tx.ContactCount(of.list)
	return n > a.rules.Contacts, err
}

// makeRoom reports whether a List may get one more index. If the List or its Place is full, makeRoom removes the index
// there that searches have not used for the longest time. It removes no index that was used or built within a day.
// Otherwise indexes that searches use in turn would replace each other again and again.
func (a *Advisor) makeRoom(tx *db.Tx, rows []enlist.SearchIndex, list enlist.ListID, now time.Time) (bool, error) {
	place, err := search.IndexPlace(tx, list)
	if err != nil {
		return false, err
	}
	full, most := slices.DeleteFunc(slices.Clone(rows), func(x enlist.SearchIndex) bool {
		return x.Place != place || x.State == enlist.IndexFailed
	}), a.rules.PerPlace()
	ofList := slices.DeleteFunc(slices.Clone(full), func(x enlist.SearchIndex) bool { return x.ListID != list })
	if len(ofList) >= a.rules.PerList {
		full, most = ofList, a.rules.PerList
	}
	if len(full) < most {
		return true, nil
	}
	oldest := leastRecentlyUsed(full)
	if len(full) > most || oldest == nil || now.Sub(lastUse(oldest)) < day {
		return false, nil
	}
	return true, search.RemoveIndex(tx, oldest.ID)
}

// leastRecentlyUsed returns the index that searches have not used for the longest time. It returns nil if no index is
// ready, or only manual ones.
func leastRecentlyUsed(rows []enlist.SearchIndex) (least *enlist.SearchIndex) {
	for i := range rows {
		x := &rows[i]
		if x.State == enlist.IndexReady && !x.Manual && (least == nil || lastUse(x).Before(lastUse(least))) {
			least = x
		}
	}
	return least
}

// lastUse returns when a search last used an index that is ready, or the end of its build if no search used it.
func lastUse(x *enlist.SearchIndex) time.Time { return time.Unix(max(x.Built, x.LastUsed), 0) }

// read returns the rows of indexes. old are those whose key is gone, or that no search used for a long time.
func (a *Advisor) read(tx *db.Tx) (needed, old []enlist.SearchIndex, err error) {
	rows, err := search.Indexes(tx)
	for _, x := range rows {
		key, err := keyOf(tx, x.ListID, x.Key)
		if err != nil {
			return nil, nil, err
		}
		if key == nil || !x.Manual && x.State == enlist.IndexReady && a.now().Sub(lastUse(&x)) > unused {
			old = append(old, x)
		} else {
			needed = append(needed, x)
		}
	}
	return needed, old, err
}

// build builds the index of a row and stores the result. It can be repeated. A failed build is not an error: it is
// stored, and may be repeated after a day. The error is ErrIndexBusy if another process is working on this index.
func (a *Advisor) build(ctx context.Context, id enlist.SearchIndexID) error {
	var x *enlist.SearchIndex
	var key *enlist.SearchKey
	err := a.store.View(ctx, func(tx *db.Tx) (err error) {
		if x, err = search.Index(tx, id); err == nil {
			key, err = keyOf(tx, x.ListID, x.Key)
		}
		return err
	})
	if err != nil || key == nil {
		return enlist.IgnoreKind(enlist.NotFound, err)
	}
	began := a.now()
	bytes, err := a.store.BuildIndex(ctx, x.ID, x.ListID, key)
	ended := a.now()
	switch {
	case errors.Is(err, enlist.ErrIndexBusy), err != nil && ctx.Err() != nil: // the process stops
		return err
	case err != nil:
		a.failed.Add(1)
		x.State, x.Error = enlist.IndexFailed, err.Error()
	default:
		a.built.Add(1)
		x.State, x.Error, x.Bytes, x.Built = enlist.IndexReady, "", bytes, ended.Unix()
		x.BuildMS = ended.Sub(began).Milliseconds()
	}
	x.Changed = ended.Unix()
	return a.store.Update(ctx, func(tx *db.Tx) error {
		current, err := search.Index(tx, id)
		if err != nil {
			return enlist.IgnoreKind(enlist.NotFound, err) // removed meanwhile: the next Tend drops the index
		}
		x.Manual = current.Manual
		return search.UpdateIndex(tx, x)
	})
}

// keyOf returns the key of a List with the given IndexKey. It returns nil if the List or the key is gone, or if the key
// may not have an index.
func keyOf(tx *db.Tx, list enlist.ListID, name string) (*enlist.SearchKey, error) {
	schema, err := lists.Schema(tx, list)
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.NoList, err)
	}
	return keyNamed(schema, name), nil
}
