package batches_test

import (
	"cmp"
	"fmt"
	"slices"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file tests searches for Batches.

// batchesAreSearched compares searches for Batches and their counts with a plain model.
func batchesAreSearched(f *apptest.Batches) {
	f.Update(func(tx *db.Tx) error { return addManyBatches(f, tx) })
	all, err := f.App.Batches.SearchBatches(f.Context(), f.Caller, enlist.Query{})
	f.Must(err)
	if len(all) != 14 {
		f.Fatalf("%d Batches, want 14", len(all))
	}
	m := apptest.RecordModel[batches.Batch]{Attributes: batches.BatchAttributes, Records: all, ByID: func(a, b batches.Batch) int { return cmp.Compare(a.ID, b.ID) }}
	pages := []enlist.Query{{}, {Descending: true, Limit: 3}}
	for _, a := range batches.BatchAttributes {
		for _, descending := range []bool{false, true} {
			for _, p := range []enlist.Query{{}, {Limit: 4}, {Limit: 5, Offset: 4}, {Offset: 11}, {Limit: 3, Offset: 50}} {
				p.SortBy, p.Descending = a.Name, descending
				pages = append(pages, p)
			}
		}
	}
	for _, c := range m.Criteria("1", "2", "0", "completed", "pending,COMPLETED", "ne", "") {
		pages = append(pages, enlist.Query{Criteria: c}, enlist.Query{Criteria: c, SortBy: "send_status", Limit: 3, Offset: 1})
	}
	for _, q := range pages {
		got, err := f.App.Batches.SearchBatches(f.Context(), f.Caller, q)
		f.Must(err)
		if want := m.Search(q); !slices.Equal(idsOfBatches(got), idsOfBatches(want)) {
			f.Errorf("%s: got %v, want %v", apptest.Show(q), idsOfBatches(got), idsOfBatches(want))
		}
		n, err := f.App.Batches.CountBatches(f.Context(), f.Caller, q.Criteria)
		f.Must(err)
		if want := int64(len(m.Search(enlist.Query{Criteria: q.Criteria}))); n != want {
			f.Errorf("%s: counted %d, want %d", apptest.Show(q), n, want)
		}
	}
	_, err = f.App.Batches.CountBatches(f.Context(), f.Caller, apptest.Criterion("creator_name", "exactly", "x"))
	f.Refused(err, enlist.InvalidSearch, "creator_name")
	if n, err := f.App.Batches.CountBatches(f.Context(), f.Restricted(f.AddList()), nil); err != nil || n != 0 {
		f.Errorf("a key of another List counts %d, %v; want 0", n, err)
	}
}

// addManyBatches stores Batches with many equal values, and some that no search finds.
func addManyBatches(f *apptest.Batches, tx *db.Tx) error {
	statuses := []batches.BatchStatus{batches.BatchCompleted, batches.BatchPending, batches.BatchCancelled, batches.BatchCompleted,
		batches.BatchPaused, batches.BatchDeleted, batches.BatchCompleted, batches.BatchRunning}
	for i := range 18 {
		n := int64(i)
		b := &batches.Batch{AccountID: f.Caller.Account.ID, CreatorKeyID: enlist.KeyID(n % 3), CreatorName: "Ann", CreationTime: 18 - n,
			ListID: f.News, MessageID: enlist.MessageID(n % 4), MessageType: "email", IsScheduled: n%2 == 0, IsTest: n%5 == 1,
			IsPopulated: n%3 == 0, Name: []string{"News", "", "ne", "NEWS"}[n%4], Status: statuses[n%8], SendTime: n % 7, FirstSent: n % 3,
			LastSent: n % 2, Counts: recipients.Counts{Recipients: n % 5, Sent: n % 3}}
		if err := b.Insert(tx, []batches.Population{{Number: 1, List: f.News, Type: batches.PopulationList}}); err != nil {
			return fmt.Errorf("add Batch %d: %w", i, err)
		}
	}
	return nil
}

func idsOfBatches(all []batches.Batch) (ids []enlist.BatchID) {
	for i := range all {
		ids = append(ids, all[i].ID)
	}
	return ids
}
