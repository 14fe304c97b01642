package postgres

import (
	"context"
	"testing"
	"time"

	"enlist/internal/db"
	"enlist/internal/events"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"
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
	client, err := s.Jobs(&river.Config{})
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

// A worker that listens for notifications gets a notification when a job is stored.
func TestStoredJobNotifiesItsQueue(t *testing.T) {
	s := open(t)
	conn, err := s.jobs.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	var channel string
	if err := conn.QueryRow(t.Context(), "SELECT concat(current_schema(), '.river_insert')").Scan(&channel); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `LISTEN "`+channel+`"`); err != nil {
		t.Fatal(err)
	}
	err = s.Update(t.Context(), func(tx *db.Tx) error { return tx.Enqueue(events.Notify{Address: "a@example.com"}) })
	if err != nil {
		t.Fatal(err)
	}
	notice, err := conn.Conn().WaitForNotification(t.Context())
	if err != nil || notice.Payload != `{"queue" : "notify"}` {
		t.Errorf("notification %+v, error %v; want one for the queue notify", notice, err)
	}
	// A job that is stored soon after a notification is not forgotten: workers poll seldom.
	s.notices.allow("notify")
	err = s.Update(t.Context(), func(tx *db.Tx) error { return tx.Enqueue(events.Notify{Address: "b@example.com"}) })
	if err != nil {
		t.Fatal(err)
	}
	soon, done := context.WithTimeout(t.Context(), time.Minute)
	defer done()
	if _, err := conn.Conn().WaitForNotification(soon); err != nil {
		t.Errorf("no notification for a job that was stored soon after another notification: %v", err)
	}
	if _, err := conn.Exec(t.Context(), "UNLISTEN *"); err != nil {
		t.Fatal(err)
	}
}
