package dbtest

import (
	"testing"

	"enlist/internal/db"
)

type someEffect struct{}

func (someEffect) Kind() string { return "some" }

// An hour after a process was killed, a job whose next attempt was minutes away is due.
func TestAgedJobsAreDue(t *testing.T) {
	EachParallel(t, func(t *testing.T, e Engine) {
		s := e.Own(t)
		if err := s.Update(t.Context(), func(tx *db.Tx) error { return tx.Enqueue(someEffect{}) }); err != nil {
			t.Fatal(err)
		}
		soon, now := "strftime('%Y-%m-%d %H:%M:%f', 'now', '+3 minutes')", "datetime('now')"
		if isPostgres(s.Address()) {
			soon, now = "now() + INTERVAL '3 minutes'", "now()"
		}
		failed := "UPDATE river_job SET attempt = 4, state = 'retryable', scheduled_at = " + soon
		if err := executeAll(t.Context(), s.Address(), failed); err != nil {
			t.Fatal(err)
		}
		if err := AgeKilledJobs(t.Context(), s.Address()); err != nil {
			t.Fatal(err)
		}
		var due, all int
		count := "SELECT count(*), count(CASE WHEN scheduled_at < " + now + " THEN 1 END) FROM river_job"
		err := query(t.Context(), s.Address(), count, func(scan func(...any) error) error { return scan(&all, &due) })
		if err != nil || all != 1 || due != 1 {
			t.Errorf("%d of %d jobs are due, error %v; want the only one", due, all, err)
		}
	})
}
