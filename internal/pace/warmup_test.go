package pace

import (
	"testing"
	"time"
)

// The limit of a warm-up plan grows each day at midnight in the zone of the calendar, also after the days with 23
// and 25 hours.
//
// covers: spec batch.warmup, decision 63
func TestWarmupGrowsEachDay(t *testing.T) {
	w, err := ParseWarmup("2026-10-24 500 1.5")
	if err != nil {
		t.Fatal(err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at, day string
		most    int64
		hours   float64 // until the day ends
	}{
		{"2026-10-24T00:00:00+02:00", "2026-10-24", 500, 24},
		{"2026-10-24T23:59:59+02:00", "2026-10-24", 500, 1. / 3600},
		{"2026-10-25T00:00:00+02:00", "2026-10-25", 750, 25},
		{"2026-10-26T00:00:00+01:00", "2026-10-26", 1125, 24},
		{"2027-03-28T00:00:00+01:00", "", 0, 0}, // more than any limit
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		got := w.Limit(at, berlin)
		if c.day == "" {
			if got != nil {
				t.Errorf("%s: the limit is %+v, want none", c.at, got)
			}
			continue
		}
		if got == nil || got.Day != c.day || got.Most != c.most || time.Unix(0, got.Ends).Sub(at).Hours() != c.hours {
			t.Errorf("%s: the limit is %+v, want %d mails on %s, which ends after %v hours", c.at, got, c.most, c.day, c.hours)
		}
	}
	if got := w.Limit(time.Date(2026, 10, 23, 21, 59, 0, 0, time.UTC), berlin); got != nil {
		t.Errorf("before the first day the limit is %+v, want none", got)
	}
	for _, text := range []string{"500", "2026-10-24 500", "2026-10-24 0 1.5", "2026-10-24 500 1", "2026-10-24 500 NaN", "2026-13-24 500 2", "2026-10-24 5 2 2"} {
		if w, err := ParseWarmup(text); err == nil {
			t.Errorf("%q is read as %+v, want an error", text, w)
		}
	}
}
