package reports

import (
	"math/rand/v2"
	"slices"
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// rowCollector keeps the IDs of the rows.
type rowCollector struct{ ids []enlist.ContactID }

func (w *rowCollector) Begin(bool) error { return nil }
func (w *rowCollector) Row(r *recipients.Row) error {
	w.ids = append(w.ids, r.Contact)
	return nil
}

// A page of many sorted rows is the same as the page of a complete sort, and only some rows are kept. Without such a
// page the sort is refused.
//
// covers: decision 61
func TestSortedRowsOfALargeBatch(t *testing.T) {
	if testing.Short() {
		t.Skip("stores a large Batch: run it with \"make check\"")
	}
	const n = 3 * maxSorted // more than are kept
	sorted := func(q enlist.Query, n int) (ids []enlist.ContactID, kept int, err error) {
		w := new(rowCollector)
		q.SortBy = "time"
		p, err := newRowsPage(RowsRequest{Kind: recipients.EventOpened}, q, w)
		if err != nil {
			t.Fatal(err)
		}
		times := rand.New(rand.NewPCG(1, 2))
		for id := range n {
			row := recipients.Row{Recipient: recipients.Recipient{Contact: enlist.ContactID(id + 1)}, Event: recipients.Event{Time: times.Int64N(1000)}}
			if err := p.sorted.add(&row); err != nil {
				return nil, 0, err
			}
			kept = max(kept, len(p.sorted.kept))
		}
		err = p.sorted.send(p)
		return w.ids, kept, err
	}
	times := rand.New(rand.NewPCG(1, 2))
	all, at := make([]enlist.ContactID, n), make([]int64, n+1)
	for i := range all {
		all[i] = enlist.ContactID(i + 1)
		at[i+1] = times.Int64N(1000)
	}
	slices.SortStableFunc(all, func(a, b enlist.ContactID) int { return int(at[a] - at[b]) })
	for _, descending := range []bool{false, true} {
		if descending {
			slices.Reverse(all)
		}
		for _, q := range []enlist.Query{{Limit: 3}, {Limit: 100, Offset: 9000}, {Limit: maxSorted}} {
			q.Descending = descending
			ids, kept, err := sorted(q, n)
			if err != nil || !slices.Equal(ids, all[q.Offset:q.Offset+q.Limit]) {
				t.Errorf("%+v: %d rows, error %v; want the page of a complete sort", q, len(ids), err)
			}
			if kept > 2*maxSorted {
				t.Errorf("%+v: %d rows were kept, want at most %d", q, kept, 2*maxSorted)
			}
		}
	}
	if ids, _, err := sorted(enlist.Query{}, maxSorted); err != nil || len(ids) != maxSorted {
		t.Errorf("%d rows, error %v; want all %d", len(ids), err, maxSorted)
	}
	for _, q := range []enlist.Query{{}, {Limit: maxSorted, Offset: 1}} {
		if _, _, err := sorted(q, n); enlist.KindOf(err) != enlist.InvalidSearch {
			t.Errorf("%+v: error %v, want one of kind InvalidSearch", q, err)
		}
	}
}
