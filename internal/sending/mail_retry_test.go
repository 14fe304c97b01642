package sending

import (
	"testing"
	"time"

	"enlist/internal/db"
)

// The test in this file computes the delays between attempts. It needs no database.

// TestAttemptsOfAMailTakeAboutADay checks each delay and the sum of all delays.
//
// covers: decision 50
func TestAttemptsOfAMailTakeAboutADay(t *testing.T) {
	var least, most time.Duration
	for attempt := 1; attempt < db.Attempts; attempt++ {
		want := retryDelays[min(attempt, len(retryDelays))-1]
		wait := retryDelay(attempt)
		if wait < want*9/10 || wait > want*11/10 {
			t.Errorf("after attempt %d: %v, want about %v", attempt, wait, want)
		}
		least += want * 9 / 10
		most += want * 11 / 10
	}
	if least < 20*time.Hour || most > 28*time.Hour {
		t.Errorf("all attempts take %v to %v, want about a day", least, most)
	}
}
