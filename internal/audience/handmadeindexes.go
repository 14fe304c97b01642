package audience

import (
	"context"
	"slices"
)

// IndexReport is a SearchIndex with what can be said of it today.
type IndexReport struct {
	SearchIndex        // with the uses of the last 7 days; Bytes as the database says, if it does
	KeyName     string // the key as its List names it; "" when the List or the Field is gone
	Missing     bool   // it is said to be ready, and the database has it not, or not whole
	Contacts    int64  // of the List
}

// SearchIndexes returns all indexes by ID, for who runs the service.
func (s *Service) SearchIndexes(ctx context.Context) (reports []IndexReport, err error) {
	built, err := s.store.BuiltIndexes(ctx)
	if err != nil {
		return nil, err
	}
	err = s.store.View(ctx, func(tx Tx) error {
		all, err := tx.SearchIndexes(s.now().Unix() - useDays*secondsADay)
		reports = make([]IndexReport, len(all))
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

// microsAByte is what a byte of an entry costs when a Contact is stored: measured on
// SQLite with 64 callers, where an entry of 20 bytes took 13 µs of processor time.
const microsAByte = 0.6

// WriteMicros is about what the index adds to storing one of the List's Contacts, in
// microseconds, by the size of its entries; 0 when that is not known, as in a List so
// small that its entries fill no pages.
func (r *IndexReport) WriteMicros() float64 {
	if r.Contacts < 1000 {
		return 0
	}
	return float64(r.Bytes) / float64(r.Contacts) * microsAByte
}

func report(tx Tx, x *SearchIndex, built []BuiltIndex) (r IndexReport, err error) {
	r.SearchIndex = *x
	i := slices.IndexFunc(built, func(b BuiltIndex) bool { return b.ID == x.ID })
	r.Missing = x.State == IndexReady && (i < 0 || !built[i].Good)
	if i >= 0 && built[i].Bytes > 0 {
		r.Bytes = built[i].Bytes
	}
	schema, err := tx.Schema(x.ListID)
	if err != nil {
		return r, ignoreKind(NoList, err)
	}
	if k := schema.indexKey(x.Key); k != nil {
		r.KeyName = k.Name
		if k.Field != nil {
			r.KeyName = k.Field.Name
		}
	}
	r.Contacts, err = tx.ContactCount(x.ListID)
	return r, err
}

// AddSearchIndex makes an index by hand, in the time of the caller, and returns
// it. It stays until somebody drops it, and counts among those that there may be.
// Errors: NoList, InvalidParameters when the key is none that can have one or has one.
func (s *Service) AddSearchIndex(ctx context.Context, list ListID, key string) (*IndexReport, error) {
	var x *SearchIndex
	err := s.store.Update(ctx, func(tx Tx) error {
		var err error
		x, err = orderByHand(tx, list, key, s.now().Unix())
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.BuildIndex(ctx, BuildIndex{Index: x.ID}); err != nil {
		return nil, err
	}
	return s.searchIndex(ctx, x.ID)
}

// scansAMillisecond is how many Contacts a search looks at in that time.
const scansAMillisecond = 5000

func orderByHand(tx Tx, list ListID, key string, now int64) (*SearchIndex, error) {
	schema, err := tx.Schema(list)
	if err != nil {
		return nil, err
	}
	k := schema.indexKey(key)
	if f := schema.FieldNamed(key); k == nil && f != nil {
		k = schema.indexKey(f.searchKey().IndexKey())
	}
	if k == nil {
		return nil, &Error{Kind: InvalidParameters, Field: "key", Detail: "a Field that is no comment, or a system key other than id, creation_time and last_modified_time, was expected"}
	}
	n, err := tx.ContactCount(list)
	if err != nil {
		return nil, err
	}
	x := &SearchIndex{ListID: list, Key: k.IndexKey(), State: IndexWaiting, Manual: true, Created: now, Changed: now, ScanMS: n / scansAMillisecond}
	added, err := tx.AddSearchIndex(x)
	if added || err != nil {
		return x, err
	}
	all, err := tx.SearchIndexes(now)
	if err != nil {
		return nil, err
	}
	for i := range all {
		old := &all[i]
		if old.ListID != list || old.Key != x.Key {
			continue
		}
		if old.State == IndexDropping {
			return nil, &Error{Kind: InvalidParameters, Field: "key", Detail: "its index is being dropped: try again in a moment"}
		}
		if old.Manual = true; old.State == IndexFailed {
			old.State = IndexWaiting
		}
		return old, tx.UpdateSearchIndex(old)
	}
	return nil, &Error{Kind: InvalidParameters, Field: "key", Detail: "its index has just been dropped: try again"}
}

func (s *Service) searchIndex(ctx context.Context, id SearchIndexID) (*IndexReport, error) {
	all, err := s.SearchIndexes(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(r IndexReport) bool { return r.ID == id })
	if i < 0 {
		return nil, errNoIndex
	}
	return &all[i], nil
}

var errNoIndex = Refuse(InvalidParameters, "there is no index with this ID")

// RemoveSearchIndex drops an index in the time of the caller. One that searches
// need comes again by itself. InvalidParameters when there is none with the ID.
func (s *Service) RemoveSearchIndex(ctx context.Context, id SearchIndexID) error {
	err := s.store.Update(ctx, func(tx Tx) error {
		x, err := tx.SearchIndex(id)
		if KindOf(err) == NotFound {
			return errNoIndex
		}
		if err != nil || x.State == IndexDropping {
			return err
		}
		return dropIndex(tx, x, s.now().Unix(), false)
	})
	if err != nil {
		return err
	}
	return s.DropIndex(ctx, DropIndex{Index: id})
}
