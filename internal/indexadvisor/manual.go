package indexadvisor

import (
	"context"
	"slices"

	"enlist/internal/audience"
)

// This file has the operator's commands: enlist index list, create and drop. A command runs in its
// own process while the server runs. It waits until the index is built or dropped.

// Report is a SearchIndex with current data of the database and of its List.
type Report struct {
	audience.SearchIndex        // Uses of the last 7 days; Bytes from the database, if it knows the size
	KeyName              string // name of the Field or system key; "" if the List or the Field is gone
	Missing              bool   // the state is ready, but the index in the database is missing or incomplete
	Contacts             int64  // of the List
}

// Reports returns all indexes in order of ID.
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

// microsAByte is the time, in µs, that each byte of an index entry adds to storing a Contact. It was
// measured on SQLite with 64 callers: an entry of 20 bytes took 13 µs of processor time.
const microsAByte = 0.6

// leastContacts is the smallest number of Contacts for which WriteMicros computes the size of an
// entry from the size of the index. Fewer entries do not fill the pages of the index.
const leastContacts = 1000

// WriteMicros estimates the time that the index adds to storing one of the List's Contacts, in
// µs. It uses the size of an entry, and returns 0 if this size is not known.
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

// Create builds an index and then returns its Report. The index is manual: only an operator drops
// it. A manual index also counts towards Rules.Most. key is a Field's name, or the name that
// IndexKey returns. If parts is true, the index finds parts of texts. Errors: NoList, and
// InvalidParameters if the key cannot have such an index or its index is being dropped.
func (a *Advisor) Create(ctx context.Context, list audience.ListID, key string, parts bool) (*Report, error) {
	if parts && !a.store.FindsParts() {
		return nil, invalidKey("only a PostgreSQL database with the extension pg_trgm has indexes for parts of texts")
	}
	var x *audience.SearchIndex
	err := a.store.Update(ctx, func(tx audience.Tx) error {
		var err error
		x, err = addManual(tx, manual{list, key, parts, a.now().Unix()})
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

// scansAMillisecond is how many Contacts a search without an index reads in a millisecond. It is
// used to estimate the time that a manual index saves.
const scansAMillisecond = 5000

// manual is an index that an operator wants. The fields are the arguments of Advisor.Create.
type manual struct {
	list  audience.ListID
	key   string
	parts bool
	now   int64
}

// keyOf returns the key of the index. It returns nil if the key cannot have such an index.
func (m *manual) keyOf(schema *audience.Schema) *audience.SearchKey {
	k := keyOf(schema, m.key)
	if f := schema.FieldNamed(m.key); k == nil && f != nil {
		k = keyOf(schema, f.SearchKey().IndexKey())
	}
	if k != nil && m.parts {
		return keyOf(schema, k.ForParts().IndexKey())
	}
	return k
}

// addManual stores a manual index. If the key has an index already, it makes that index manual.
func addManual(tx audience.Tx, m manual) (*audience.SearchIndex, error) {
	schema, err := tx.Schema(m.list)
	if err != nil {
		return nil, err
	}
	k := m.keyOf(schema)
	switch {
	case k == nil && m.parts:
		return nil, invalidKey("expected a Field with texts that is not a comment")
	case k == nil:
		return nil, invalidKey("expected a Field that is not a comment, or a system key other than id, creation_time " +
			"and last_modified_time")
	}
	n, err := tx.ContactCount(m.list)
	if err != nil {
		return nil, err
	}
	x := &audience.SearchIndex{ListID: m.list, Key: k.IndexKey(), State: audience.IndexWaiting, Manual: true,
		Created: m.now, Changed: m.now, ScanMS: n / scansAMillisecond}
	added, err := tx.AddSearchIndex(x)
	if added || err != nil {
		return x, err
	}
	return makeManual(tx, x, m.now)
}

// makeManual makes the existing index of a key manual. If its build failed, the caller can build
// it again.
func makeManual(tx audience.Tx, of *audience.SearchIndex, now int64) (*audience.SearchIndex, error) {
	all, err := tx.SearchIndexes(now)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(x audience.SearchIndex) bool { return x.ListID == of.ListID && x.Key == of.Key })
	switch {
	case i < 0:
		return nil, invalidKey("the index of this key was dropped a moment ago: try again")
	case all[i].State == audience.IndexDropping:
		return nil, invalidKey("the index of this key is being dropped: try again in a moment")
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

// Remove drops an index and then returns. If searches need the index, the server builds it
// again. Errors: InvalidParameters if no index has the ID.
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
