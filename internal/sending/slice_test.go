package sending_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
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
		lost, err := f.App.Sending.RenewSlices(f.Context(), []batches.BatchSlice{first.BatchSlice})
		if err != nil || len(lost) > 0 {
			t.Errorf("the first process lost %d slices, error %v", len(lost), err)
		}
	}}
	second, _, err := app.New(store, f.Clock).Sending.LeaseSlice(f.Context(), "b", sending.LeaseTurn{})
	if err != nil || second != nil {
		t.Errorf("another process got the slice %+v, error %v, want none", second, err)
	}
}
