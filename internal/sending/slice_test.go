package sending_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/recipients"
	"enlist/internal/sending"
)

// renewingStore is a Store that calls a function before the first statement that changes a slice.
type renewingStore struct {
	db.Engine
	renew func()
}

func (s *renewingStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	return s.Engine.Update(ctx, apptest.Watch{Statement: func(query string, _ []any) error {
		if s.renew != nil && strings.HasPrefix(query, "UPDATE batch_slice") {
			s.renew()
			s.renew = nil
		}
		return nil
	}}.Run(fn))
}

// A process that was interrupted for longer than its lease renews it after another process has read the slice. Only one
// of them may send the mails.
//
// covers: decision 59
func TestRenewedSliceIsNotLeased(t *testing.T) {
	f := apptest.NewBatches(t, dbtest.Postgres.Own(t)) // SQLite has one writer
	f.SubscribeMany(f.News, 2)
	f.Add(apptest.Whole(f.News))
	first := f.Lease("a")
	f.Now = f.Now.Add((sending.SliceLease + 1) * time.Second)
	store := &renewingStore{Engine: f.Store, renew: func() {
		lost, err := f.App.Sending.RenewSlices(f.Context(), []recipients.Slice{first.Slice})
		if err != nil || len(lost) > 0 {
			t.Errorf("the first process lost %d slices, error %v", len(lost), err)
		}
	}}
	second, _, err := app.New(store, f.Clock).Sending.LeaseSlice(f.Context(), "b", sending.LeaseTurn{})
	if err != nil || second != nil {
		t.Errorf("another process got the slice %+v, error %v, want none", second, err)
	}
}

// A sender whose slice was taken meanwhile, because it or its clock stood still, marks no further mails. While it marks
// mails, no other process gets the slice.
//
// covers: decision 59
func TestOnlyTheHolderOfASliceMarksMails(t *testing.T) { dbtest.EachParallel(t, onlyTheHolderMarks) }

func onlyTheHolderMarks(t *testing.T, e dbtest.Engine) {
	f := apptest.NewBatches(t, e.Own(t))
	f.SubscribeMany(f.News, 4)
	f.Add(apptest.Whole(f.News))
	jump := func() { f.Now = f.Now.Add((sending.SliceLease + 1) * time.Second) }
	mark := func(s *sending.LeasedSlice, i int) bool {
		t.Helper()
		parts, err := f.App.Sending.BatchMails(f.Context(), []sending.BatchPart{{Slice: s, Recipients: s.Recipients[i : i+1]}})
		if err != nil {
			t.Fatal(err)
		}
		marked, err := f.App.Sending.AdvanceBatches(f.Context(), parts)
		if err != nil {
			t.Fatal(err)
		}
		return marked[0] != nil
	}
	first := f.Lease("a")
	jump()
	if !mark(first, 0) {
		t.Fatal("the holder of a slice that no other process has taken marks no mail")
	}
	second, _, err := f.App.Sending.LeaseSlice(f.Context(), "b", sending.LeaseTurn{})
	if err != nil || second != nil {
		t.Errorf("while the holder marks mails, another process got the slice %+v, error %v", second, err)
	}
	jump()
	second = f.Lease("b")
	if mark(first, 1) {
		t.Error("a process whose slice was taken marked mails of it")
	}
	if !mark(second, 2) {
		t.Error("the process that has taken the slice marks no mail")
	}
}
