package advisor

import (
	"context"
	"errors"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// This file has the operator's commands: enlist index list, create and drop. A command runs in its
// own process while the server runs. It waits until the index is built or dropped.

// Report is a SearchIndex with current data of the database and of its List.
type Report struct {
	enlist.SearchIndex        // Bytes from the database, if it knows the size
	KeyName            string // name of the Field or system key; "" if the List or the Field is gone
	Missing            bool   // the state is ready, but the index in the database is missing or incomplete
	Contacts           int64  // of the List
}

// Reports returns all indexes in order of ID.
func (a *Advisor) Reports(ctx context.Context) (reports []Report, err error) {
	built, err := a.store.BuiltIndexes(ctx)
	if err != nil {
		return nil, err
	}
	err = a.store.View(ctx, func(tx *db.Tx) error {
		all, err := search.Indexes(tx)
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

func report(tx *db.Tx, x *enlist.SearchIndex, built []enlist.BuiltIndex) (r Report, err error) {
	r.SearchIndex = *x
	i := slices.IndexFunc(built, func(b enlist.BuiltIndex) bool { return b.ID == x.ID })
	r.Missing = x.State == enlist.IndexReady && (i < 0 || !built[i].Good)
	if i >= 0 && built[i].Bytes > 0 {
		r.Bytes = built[i].Bytes
	}
	if x.State == enlist.IndexWaiting && i >= 0 && !built[i].Good {
		r.State = enlist.IndexBuilding
	}
	schema, err := lists.Schema(tx, x.ListID)
	if err != nil {
		return r, enlist.IgnoreKind(enlist.NoList, err)
	}
	if k := keyNamed(schema, x.Key); k != nil {
		r.KeyName = k.Name
		if k.Field != nil {
			r.KeyName = k.Field.Name
		}
	}
	r.Contacts, err = tx.ContactCount(x.ListID)
	return r, err
}

// Create builds an index and then returns its Report. The index is manual: only an operator drops
// it. A manual index also counts towards the limits of Rules. key is a Field's name, or the name that
// IndexKey returns. If parts is true, the index finds parts of texts. Errors: NoList, and
// InvalidParameters if the key cannot have such an index.
func (a *Advisor) Create(ctx context.Context, list enlist.ListID, key string, parts bool) (*Report, error) {
	if parts && !a.store.FindsParts() {
		return nil, invalidKey("only a PostgreSQL database with the extension pg_trgm has indexes for parts of texts")
	}
	var x *enlist.SearchIndex
	err := a.store.Update(ctx, func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		k, err := manualKey(schema, key, parts)
		if err != nil {
			return err
		}
		x, err = a.addManual(tx, list, k)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := a.build(ctx, x.ID); err != nil {
		return nil, err
	}
	reports, err := a.Reports(ctx)
	i := slices.IndexFunc(reports, func(r Report) bool { return r.ID == x.ID })
	if err != nil || i < 0 {
		return nil, errors.Join(err, errNoIndex)
	}
	return &reports[i], nil
}

// manualKey returns the key that the operator named, for an index of the given kind.
func manualKey(schema *enlist.Schema, name string, parts bool) (*enlist.SearchKey, error) {
	k := keyNamed(schema, name)
	if f := schema.FieldNamed(name); k == nil && f != nil {
		k = keyNamed(schema, f.SearchKey().IndexKey())
	}
	if k != nil && parts {
		k = keyNamed(schema, k.ForParts().IndexKey())
	}
	switch {
	case k == nil && parts:
		return nil, invalidKey("expected a Field with texts that is not a comment")
	case k == nil:
		return nil, invalidKey("expected a Field that is not a comment, or a system key other than id, creation_time " +
			"and last_modified_time")
	}
	return k, nil
}

// addManual stores a manual index. If the key has an index already, it makes that index manual. If the build of that
// index failed, the caller can build it again.
func (a *Advisor) addManual(tx *db.Tx, list enlist.ListID, k *enlist.SearchKey) (*enlist.SearchIndex, error) {
	now := a.now().Unix()
	x := &enlist.SearchIndex{ListID: list, Key: k.IndexKey(), State: enlist.IndexWaiting, Manual: true,
		Created: now, Changed: now}
	added, err := search.AddIndex(tx, x)
	if added || err != nil {
		return x, err
	}
	rows, err := search.Indexes(tx)
	i := slices.IndexFunc(rows, func(y enlist.SearchIndex) bool { return y.ListID == list && y.Key == x.Key })
	if err != nil || i < 0 {
		return nil, errors.Join(err, errNoIndex)
	}
	x = &rows[i]
	x.Manual = true
	if x.State == enlist.IndexFailed {
		x.State = enlist.IndexWaiting
	}
	return x, search.UpdateIndex(tx, x)
}

func invalidKey(detail string) error {
	return &enlist.Error{Kind: enlist.InvalidParameters, Field: "key", Detail: detail}
}

var errNoIndex = enlist.Refuse(enlist.InvalidParameters, "there is no index with this ID")

// Remove drops an index and then returns. If searches need the index, the server builds it
// again. Errors: InvalidParameters if no index has the ID.
func (a *Advisor) Remove(ctx context.Context, id enlist.SearchIndexID) error {
	err := a.store.Update(ctx, func(tx *db.Tx) error {
		if _, err := search.Index(tx, id); err != nil {
			return err
		}
		return search.RemoveIndex(tx, id)
	})
	if enlist.KindOf(err) == enlist.NotFound {
		return errNoIndex
	}
	if err != nil {
		return err
	}
	return a.store.DropIndex(ctx, id)
}
