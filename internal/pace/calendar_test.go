package pace

import (
	"testing"
	"time"
)

// A calendar follows the wall clock, also on the days with 23 and 25 hours.
//
// covers: spec batch.calendar, decision 63
func TestCalendarFollowsTheWallClock(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		calendar, day string
		minutes       int // on this day
		first, last   string
	}{
		{"mon-fri 8:00-18:00 Europe/Berlin", "2026-11-23", 600, "08:00", "17:59"}, // a Monday
		{"mon-fri 8-18 Europe/Berlin", "2026-11-22", 0, "", ""},                   // a Sunday
		{"sat-mon 8:30-9 Europe/Berlin", "2026-11-22", 30, "08:30", "08:59"},
		{"sun 0-24 Europe/Berlin", "2026-03-29", 23 * 60, "00:00", "23:59"}, // 02:00 to 03:00 does not exist
		{"sun 1-4 Europe/Berlin", "2026-03-29", 2 * 60, "01:00", "03:59"},
		{"sun 2-3 Europe/Berlin", "2026-03-29", 0, "", ""},
		{"sun 0-24 Europe/Berlin", "2026-10-25", 25 * 60, "00:00", "23:59"}, // 02:00 to 03:00 comes twice
		{"sun 2-3 Europe/Berlin", "2026-10-25", 2 * 60, "02:00", "02:59"},
		{"sun 8-18 Europe/Berlin", "2026-10-25", 600, "08:00", "17:59"},
		{"Wed,SUN 8-18 Europe/Berlin", "2026-03-29", 600, "08:00", "17:59"},
	} {
		t.Run(c.calendar+" on "+c.day, func(t *testing.T) {
			calendar, err := ParseCalendar(c.calendar)
			if err != nil {
				t.Fatal(err)
			}
			day, err := time.ParseInLocation(time.DateOnly, c.day, berlin)
			if err != nil {
				t.Fatal(err)
			}
			var open []string
			for at := day; at.In(berlin).Format(time.DateOnly) == c.day; at = at.Add(time.Minute) {
				if calendar.IsOpen(at) {
					open = append(open, at.In(berlin).Format("15:04"))
				}
			}
			if len(open) != c.minutes || c.minutes > 0 && (open[0] != c.first || open[len(open)-1] != c.last) {
				t.Errorf("open for %d minutes: %v; want %d from %s to %s", len(open), open, c.minutes, c.first, c.last)
			}
		})
	}
}

// The hours in which the calendar is closed do not make a Batch late.
//
// covers: spec batch.calendar
func TestClosedCalendarMakesNoBatchLate(t *testing.T) {
	calendar, err := ParseCalendar("mon-fri 8-18 Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		parsed, err := time.ParseInLocation("2006-01-02 15:04", text, calendar.zone)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, c := range []struct {
		since, now        string
		late, lateWithout bool
	}{
		{"2026-11-20 17:59", "2026-11-23 08:01", false, true}, // over a weekend
		{"2026-11-20 17:59", "2026-11-23 14:01", true, true},
		{"2026-11-23 08:00", "2026-11-23 14:00", false, false},
		{"2026-11-23 08:00", "2026-11-23 14:01", true, true},
		{"2026-11-22 08:00", "2026-11-22 23:00", false, true}, // closed all day
		{"2026-10-23 17:00", "2026-10-26 13:59", false, true}, // over the night of 25 hours
	} {
		now, since := at(c.now), at(c.since).Unix()
		late := calendar.IsLate(since, now)
		var always *Calendar
		if without := always.IsLate(since, now); late != c.late || without != c.lateWithout {
			t.Errorf("%s to %s: late is %t, and %t without a calendar; want %t and %t", c.since, c.now, late, without, c.late, c.lateWithout)
		}
	}
}

// A calendar that is not valid is refused.
func TestInvalidCalendarIsRefused(t *testing.T) {
	for _, text := range []string{"mon", "mon 8-18", "day 8-18 UTC", "mon 18-8 UTC", "mon 8-8 UTC", "mon 8-25 UTC", "mon 8:60-9 UTC",
		"mon 8-18 Mars/Olympus", "mon- 8-18 UTC", "mon 8-18 UTC UTC", "mon -1-8 UTC", "mon 8 UTC", "mon 8-18 Local"} {
		if c, err := ParseCalendar(text); err == nil {
			t.Errorf("%q is read as %+v, want an error", text, c)
		}
	}
}
