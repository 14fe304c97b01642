package enlist

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// covers: spec autoresponder.times
func TestATimeThatWasTypedIsTheFirstMomentOfTheClock(t *testing.T) {
	for _, c := range []struct{ zone, text, want string }{
		{"Europe/Berlin", "2027-10-31T02:30", "2027-10-31 02:30:00 +0200"},    // shown twice
		{"America/New_York", "2027-03-14T02:15", "2027-03-14 03:00:00 -0400"}, // skipped
		{"Europe/Berlin", "2027-03-28T02:30", "2027-03-28 03:00:00 +0200"},    // skipped
		{"Europe/Berlin", "2027-03-28T03:00", "2027-03-28 03:00:00 +0200"},
		{"Europe/Berlin", "2027-06-01T09:00", "2027-06-01 09:00:00 +0200"},
		{"Pacific/Apia", "2011-12-30T09:00", "2011-12-31 09:00:00 +1400"}, // on a skipped day
	} {
		got, err := ParseClock("2006-01-02T15:04", c.text, Location(c.zone))
		if err != nil || got.Format(wallClock) != c.want {
			t.Errorf("%s in %s is %s (%v), want %s", c.text, c.zone, got.Format(wallClock), err, c.want)
		}
	}
	if _, err := ParseClock("2006-01-02T15:04", "2027-02-30T09:00", time.UTC); err == nil {
		t.Error("30 February is accepted")
	}
}

// In these zones the clock skips midnight, or shows it twice.
func TestADayBeginsWhenTheClockFirstShowsItsDate(t *testing.T) {
	for _, c := range []struct {
		zone, at string
		days     int
		want     string
	}{
		{"America/Santiago", "2026-09-06 12:00:00 -0300", 0, "2026-09-06 01:00:00 -0300"},
		{"America/Santiago", "2026-09-05 12:00:00 -0400", 1, "2026-09-06 01:00:00 -0300"},
		{"America/Havana", "2026-11-01 12:00:00 -0500", 0, "2026-11-01 00:00:00 -0400"},
		{"Europe/Berlin", "2026-12-31 23:30:00 +0100", 1, "2027-01-01 00:00:00 +0100"},
	} {
		zone := Location(c.zone)
		if got := StartOfDay(time.Unix(moment(t, c.at), 0), c.days, zone).Format(wallClock); got != c.want {
			t.Errorf("%d days after %s in %s, the day begins at %s, want %s", c.days, c.at, c.zone, got, c.want)
		}
	}
}

// Package time does not define which moment it returns for a time that a clock skips or shows twice, so product code
// uses ParseClock, StartOfDay and WhenClockShows.
func TestNoProductCodeLetsPackageTimeChooseTheMoment(t *testing.T) {
	for _, folder := range []string{"../../internal", "../../cmd"} {
		err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for line := range strings.Lines(string(text)) {
				if strings.Contains(line, "time.ParseInLocation(") || strings.Contains(line, "time.Date(") &&
					!strings.Contains(line, "time.UTC)") {
					t.Errorf("%s: %s", path, strings.TrimSpace(line))
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
