package main

import (
	"testing"
	"time"

	"enlist/internal/enlist"
)

// covers: spec autoresponder.times
func TestTheFlagAtIsATimeOfTheAccountsClock(t *testing.T) {
	for _, c := range []struct{ zone, text, want string }{
		{"Europe/Berlin", "2027-10-31T02:30", "2027-10-31T02:30:00+02:00"},
		{"America/New_York", "2027-03-14T02:15", "2027-03-14T03:00:00-04:00"},
		{"Europe/Berlin", "2027-03-28T02:30", "2027-03-28T03:00:00+02:00"},
		{"Europe/Berlin", "2027-10-31 02:30:00", "2027-10-31T02:30:00+02:00"},
		{"Europe/Berlin", "2027-10-31T02:30:00+01:00", "2027-10-31T02:30:00+01:00"},
		{"Europe/Berlin", "1824946200", "2027-10-31T02:30:00+01:00"},
	} {
		at, err := sendTime(c.text, &enlist.Account{TimeZone: c.zone})
		if got := time.Unix(at, 0).In(enlist.Location(c.zone)).Format(time.RFC3339); err != nil || got != c.want {
			t.Errorf("--at %q in %s is %s (%v), want %s", c.text, c.zone, got, err, c.want)
		}
	}
	for _, text := range []string{"20270131", "tomorrow", "2027-02-30T09:00"} {
		if at, err := sendTime(text, &enlist.Account{TimeZone: "UTC"}); err == nil {
			t.Errorf("--at %q is accepted as %d", text, at)
		}
	}
}
