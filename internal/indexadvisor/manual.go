package indexadvisor

import (
	"context"
	"slices"

	"enlist/internal/audience"
)

// This file has the operator's commands: enlist index list, create and drop. They run in a process
// of their own, beside the service, and do their work before they return.

// Report is a SearchIndex with what the database and its List say of it today.
type Report struct {
	audience.SearchIndex        // with the uses of the last 7 days; Bytes as the database says, if it does
	KeyName              string // the key as its List names it; "" when the List or the Field is gone
	Missing              bool   // it is ready in the catalogue, and the database lacks it or has a part of it
	Contacts             int64  // of the List
}

// Reports returns all indexes, by ID.
func (a *Advisor) Reports(ctx context.Context) (reports []Report, err error) {
	built, err := a.store.BuiltIndexes(ctx)
	if err != nil {
		return nil, err
	}
	err = a.store.View(ctx, func(tx audience.Tx) error {
		all, err := tx.SearchIndexes(a.now().Unix() - useDays*secondsADay)
		reports = make([]Report, len(all))
		for i := range all {
			if err != nil {
				break
			}
			reports[i], err = report(tx, &all[i], built)
		}
		return err
	})
	return reports, err
}

// microsAByte is what a byte of an index entry adds to storing a Contact, in µs.
// Measured on SQLite with 64 callers, where an entry of 20 bytes took 13 µs of
// processor time.
const microsAByte = 0.6

// leastContacts is how many Contacts a List needs for the size of its index to say
// how large an entry is: fewer entries do not fill the index's pages.
const leastContacts = 1000

// WriteMicros estimates what the index adds to storing one of the List's Contacts, in
// µs, by the size of its entries. It returns 0 when that is not known.
func (r *Report) WriteMicros() float64 {
	if r.Contacts < leastContacts {
		return 0
	}
	return float64(r.Bytes) / float64(r.Contacts) * microsAByte
}

func report(tx audience.Tx, x *audience.SearchIndex, built []audience.BuiltIndex) (r Report, err error) {
	r.SearchIndex = *x
	i := slices.IndexFunc(built, func(b audience.BuiltIndex) bool { return b.ID == x.ID })
	r.Missing = x.State == audience.IndexReady && (i < 0 || !built[i].Good)
	if i >= 0 && built[i].Bytes > 0 {
		r.Bytes = built[i].Bytes
	}
	schema, err := tx.Schema(x.ListID)
	if err != nil {
		return r, ignoreKind(audience.NoList, err)
	}
	if k := keyOf(schema, x.Key); k != nil {
		r.KeyName = k.Name
		if k.Field != nil {
			r.KeyName = k.Field.Name
		}
	}
	r.Contacts, err = tx.ContactCount(x.ListID)
	return r, err
}

// Create builds an index before it returns it. The index is manual: it stays until an
// operator drops it, and it counts toward Rules.Most. key is a Field's name, or the
// name that IndexKey gives. Errors: NoList; InvalidParameters when the key cannot have
// an index or its index is being dropped.
func (a *Advisor) Create(ctx context.Context, list audience.ListID, key string) (*Report, error) {
	var x *audience.SearchIndex
	err := a.store.Update(ctx, func(tx audience.Tx) error {
		var err error
		x, err = addManual(tx, list, key, a.now().Unix())
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := a.Build(ctx, audience.BuildIndex{Index: x.ID}); err != nil {
		return nil, err
	}
	return a.report(ctx, x.ID)
}

// scansAMillisecond is how many Contacts a search without an index reads in that
// time. It estimates what a manual index saves.
const scansAMillisecond = 5000

// addManual stores a manual index, or makes the one manual that the key has.
func addManual(tx audience.Tx, list audience.ListID, key string, now int64) (*audience.SearchIndex, error) {
	schema, err := tx.Schema(list)
	if err != nil {
		return nil, err
	}
	k := keyOf(schema, key)
	if f := schema.FieldNamed(key); k == nil && f != nil {
		k = keyOf(schema, f.SearchKey().IndexKey())
	}
	if k == nil {
		return nil, invalidKey("expected a Field that is not a comment, or a system key other than id, creation_time " +
			"and last_modified_time")
	}
	n, err := tx.ContactCount(list)
	if err != nil {
		return nil, err
	}
	x := &audience.SearchIndex{ListID: list, Key: k.IndexKey(), State: audience.IndexWaiting, Manual: true,
		Created: now, Changed: now, ScanMS: n / scansAMillisecond}
	added, err := tx.AddSearchIndex(x)
	if added || err != nil {
		return x, err
	}
	return makeManual(tx, x, now)
}

// makeManual makes the existing index of a key manual. One that could not be built is
// built again.
func makeManual(tx audience.Tx, of *audience.SearchIndex, now int64) (*audience.SearchIndex, error) {
	all, err := tx.SearchIndexes(now)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(x audience.SearchIndex) bool { return x.ListID == of.ListID && x.Key == of.Key })
	switch {
	case i < 0:
		return nil, invalidKey("its index has just been dropped: try again")
	case all[i].State == audience.IndexDropping:
		return nil, invalidKey("its index is being dropped: try again in a moment")
	}
	x := &all[i]
	x.Manual = true
	if x.State == audience.IndexFailed {
		x.State = audience.IndexWaiting
	}
	return x, tx.UpdateSearchIndex(x)
}

func invalidKey(detail string) error {
	return &audience.Error{Kind: audience.InvalidParameters, Field: "key", Detail: detail}
}

func (a *Advisor) report(ctx context.Context, id audience.SearchIndexID) (*Report, error) {
	all, err := a.Reports(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(r Report) bool { return r.ID == id })
	if i < 0 {
		return nil, errNoIndex
	}
	return &all[i], nil
}

var errNoIndex = audience.Refuse(audience.InvalidParameters, "there is no index with this ID")

// Remove drops an index before it returns. If searches need it, the service builds it
// again. InvalidParameters when there is none with the ID.
func (a *Advisor) Remove(ctx context.Context, id audience.SearchIndexID) error {
	err := a.store.Update(ctx, func(tx audience.Tx) error {
		x, err := tx.SearchIndex(id)
		if audience.KindOf(err) == audience.NotFound {
			return errNoIndex
		}
		if err != nil || x.State == audience.IndexDropping {
			return err
		}
		return evict(tx, x, a.now().Unix(), false)
	})
	if err != nil {
		return err
	}
	return a.Drop(ctx, audience.DropIndex{Index: id})
}
