package postgres

import (
	"testing"
	"time"

	"enlist/internal/db"
	"enlist/internal/events"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// This file compares the jobs that the store inserts with the jobs that river's client
// inserts.

// The store and river's client insert equal rows into river_job, except for the ID and the
// times.
func TestJobsAreStoredAsRiverStoresThem(t *testing.T) {
	s := open(t)
	due := time.Now().Add(time.Hour).Unix()
	effects := []db.Effect{
		events.Notify{List: 1, Contact: 2, Address: "“a”@example.com\u2028", Time: 3},
		events.Autorespond{List: 1, Contact: 2, Autoresponder: 3, Due: due},
		events.Autorespond{List: 1, Contact: 2, Autoresponder: 4, Due: 5},
	}
	err := s.Update(t.Context(), func(tx *db.Tx) error {
		for _, e := range effects {
			if err := tx.Enqueue(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	client, err := river.NewClient(riverpgxv5.New(s.jobs), &river.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range effects {
		opts := &river.InsertOpts{Queue: e.Kind(), MaxAttempts: db.Attempts}
		if timed, ok := e.(db.Timed); ok && timed.DueTime() == due {
			opts.ScheduledAt = time.Unix(due, 0)
		}
		if _, err := client.Insert(t.Context(), e, opts); err != nil {
			t.Fatal(err)
		}
	}
	rows := func(where string) (all []map[string]any) {
		found, err := s.jobs.Query(t.Context(), `SELECT to_jsonb(river_job) - 'id' - 'created_at'
			|| CASE state WHEN 'available' THEN '{"scheduled_at":"now"}'::jsonb ELSE '{}' END FROM river_job WHERE `+where+` ORDER BY id`)
		if err != nil {
			t.Fatal(err)
		}
		defer found.Close()
		for found.Next() {
			var row map[string]any
			if err := found.Scan(&row); err != nil {
				t.Fatal(err)
			}
			all = append(all, row)
		}
		return all
	}
	if diff := cmp.Diff(rows("id > 3"), rows("id <= 3")); diff != "" {
		t.Errorf("(-river's client +Update)\n%s", diff)
	}
}
