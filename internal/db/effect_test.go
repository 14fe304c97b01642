package db_test

import (
	"testing"
	"time"

	"enlist/internal/db"
)

func TestAJobWithoutAPlaceWaitsLongerEachTime(t *testing.T) {
	for before, want := range map[int]time.Duration{0: time.Second, 1: 2 * time.Second, 3: 8 * time.Second,
		4: 16 * time.Second, 5: 16 * time.Second, 70: 16 * time.Second} {
		if got := db.LaterWithoutSlot(db.Job{Postponed: before}); got != db.Later(want) {
			t.Errorf("after %d times the job waits %s, want %s", before, time.Duration(got), want)
		}
	}
}
