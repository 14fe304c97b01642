package enlist

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "time/tzdata" // the same zones on every machine
)

// In the time zones of these tests, the clock skips half an hour, an hour or a day (a gap), or
// shows an hour twice. Times are written as the clock of the zone shows them, with the offset
// from UTC.

const wallClock = "2006-01-02 15:04:05 -0700"

// moment returns the Unix time of a text in the form of wallClock.
func moment(t *testing.T, text string) int64 {
	t.Helper()
	at, err := time.Parse(wallClock, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.Unix()
}

// delay returns an autoresponder that sends a number of periods after the event.
func delay(value int64, period string) Autoresponder {
	return Autoresponder{CriteriaType: CriteriaDelay, OffsetValue: value, OffsetPeriod: period}
}

// atClock returns an autoresponder that sends when the clock shows a time.
func atClock(hour, minute int64) Autoresponder {
	return Autoresponder{CriteriaType: CriteriaSpecific, SpecificHour: hour, SpecificMinute: minute}
}

// daysLater returns the autoresponder with an offset of some days. It sends when the clock shows
// its time for the first time after the offset.
func daysLater(a Autoresponder, days int64) Autoresponder {
	a.OffsetValue, a.OffsetPeriod = days, PeriodDay
	return a
}

// covers: spec autoresponder.times
func TestAutoresponderIsDueByTheClockOfItsZone(t *testing.T) {
	for _, test := range []struct {
		name string
		a    Autoresponder
		zone string
		now  string
		due  string
	}{
		{"immediate", Autoresponder{CriteriaType: CriteriaImmediate, OffsetValue: 5, OffsetPeriod: PeriodDay}, "UTC", "2026-01-01 10:00:07 +0000", "2026-01-01 10:00:07 +0000"},
		{"minutes", delay(90, PeriodMinute), "Europe/Berlin", "2026-03-29 01:00:07 +0100", "2026-03-29 03:30:07 +0200"},
		{"hours are exact in spring", delay(24, PeriodHour), "Europe/Berlin", "2026-03-28 12:00:00 +0100", "2026-03-29 13:00:00 +0200"},
		{"days keep the time in spring", delay(1, PeriodDay), "Europe/Berlin", "2026-03-28 12:00:07 +0100", "2026-03-29 12:00:07 +0200"},
		{"days keep the time in autumn", delay(1, PeriodDay), "Europe/Berlin", "2026-10-24 12:00:00 +0200", "2026-10-25 12:00:00 +0100"},
		{"weeks", delay(2, PeriodWeek), "America/New_York", "2026-03-01 09:30:00 -0500", "2026-03-15 09:30:00 -0400"},
		{"a delay into the gap", delay(1, PeriodDay), "Europe/Berlin", "2026-03-28 02:30:00 +0100", "2026-03-29 03:00:00 +0200"},
		{"a delay into an hour that the clock shows twice", delay(1, PeriodDay), "Europe/Berlin", "2026-10-24 02:30:00 +0200", "2026-10-25 02:30:00 +0200"},
		{"a delay from the second time of an hour", delay(1, PeriodDay), "Europe/Berlin", "2026-10-25 02:30:00 +0100", "2026-10-26 02:30:00 +0100"},
		{"no delay in the second time of an hour", delay(0, PeriodDay), "Europe/Berlin", "2026-10-25 02:30:00 +0100", "2026-10-25 02:30:00 +0100"},
		{"a delay over the end of a year", delay(1, PeriodDay), "America/New_York", "2026-12-31 23:59:59 -0500", "2027-01-01 23:59:59 -0500"},
		{"a delay over the end of February", delay(1, PeriodDay), "UTC", "2028-02-28 08:00:00 +0000", "2028-02-29 08:00:00 +0000"},
		{"a delay into a skipped day", delay(1, PeriodDay), "Pacific/Apia", "2011-12-29 10:00:00 -1000", "2011-12-31 10:00:00 +1400"},
		{"a delay over a skipped day", delay(2, PeriodDay), "Pacific/Apia", "2011-12-29 10:00:00 -1000", "2011-12-31 10:00:00 +1400"},

		{"later today", atClock(9, 30), "Europe/Berlin", "2026-06-15 08:00:00 +0200", "2026-06-15 09:30:00 +0200"},
		{"exactly at the event", atClock(9, 30), "Europe/Berlin", "2026-06-15 09:30:00 +0200", "2026-06-15 09:30:00 +0200"},
		{"a second before the event", atClock(9, 30), "Europe/Berlin", "2026-06-15 09:30:01 +0200", "2026-06-16 09:30:00 +0200"},
		{"midnight", atClock(0, 0), "UTC", "2026-12-31 00:00:01 +0000", "2027-01-01 00:00:00 +0000"},
		{"the day is that of the zone, east of UTC", atClock(1, 0), "Pacific/Kiritimati", "2026-12-31 11:30:00 +0000", "2027-01-01 11:00:00 +0000"},
		{"the day is that of the zone, west of UTC", atClock(20, 0), "Pacific/Niue", "2026-01-01 06:59:00 +0000", "2026-01-01 07:00:00 +0000"},
		{"a day later at nine", daysLater(atClock(9, 0), 1), "Europe/Berlin", "2026-06-15 08:00:00 +0200", "2026-06-16 09:00:00 +0200"},
		{"a day later at nine, but the event is after nine", daysLater(atClock(9, 0), 1), "Europe/Berlin", "2026-06-15 10:00:00 +0200", "2026-06-17 09:00:00 +0200"},
		{"in the gap, Berlin", atClock(2, 30), "Europe/Berlin", "2026-03-29 00:00:00 +0100", "2026-03-29 03:00:00 +0200"},
		{"in the gap, New York", atClock(2, 0), "America/New_York", "2026-03-08 00:00:00 -0500", "2026-03-08 03:00:00 -0400"},
		{"in the gap of half an hour", atClock(2, 15), "Australia/Lord_Howe", "2026-10-04 00:00:00 +1030", "2026-10-04 02:30:00 +1100"},
		{"just after the gap of half an hour", atClock(2, 30), "Australia/Lord_Howe", "2026-10-04 00:00:00 +1030", "2026-10-04 02:30:00 +1100"},
		{"after a gap, the skipped time is due on the next day", atClock(2, 30), "Europe/Berlin", "2026-03-29 03:00:01 +0200", "2026-03-30 02:30:00 +0200"},
		{"a time that comes twice, Berlin", atClock(2, 30), "Europe/Berlin", "2026-10-25 00:00:00 +0200", "2026-10-25 02:30:00 +0200"},
		{"a time that comes twice, event between the two", atClock(2, 30), "Europe/Berlin", "2026-10-25 02:45:00 +0200", "2026-10-26 02:30:00 +0100"},
		{"a time that comes twice, New York", atClock(1, 0), "America/New_York", "2026-11-01 00:00:00 -0400", "2026-11-01 01:00:00 -0400"},
		{"a time that comes twice within half an hour", atClock(1, 45), "Australia/Lord_Howe", "2026-04-05 00:00:00 +1100", "2026-04-05 01:45:00 +1100"},
		{"a gap at midnight", atClock(0, 0), "America/Santiago", "2026-09-05 12:00:00 -0400", "2026-09-06 01:00:00 -0300"},
		{"a gap over midnight", atClock(23, 45), "America/Toronto", "1919-03-30 12:00:00 -0500", "1919-03-31 00:30:00 -0400"},
		{"a gap over midnight, event at its end", atClock(23, 45), "America/Toronto", "1919-03-31 00:30:00 -0400", "1919-03-31 00:30:00 -0400"},
		{"midnight after an evening that comes twice", atClock(0, 0), "America/Santiago", "2026-04-04 23:30:00 -0300", "2026-04-05 00:00:00 -0400"},
		{"a skipped day", atClock(9, 0), "Pacific/Apia", "2011-12-29 10:00:00 -1000", "2011-12-31 09:00:00 +1400"},
		{"ten years later, in the gap", daysLater(atClock(2, 30), 3650), "Europe/Berlin", "2029-03-29 02:00:00 +0200", "2039-03-27 03:00:00 +0200"},
	} {
		t.Run(test.name, func(t *testing.T) {
			due, ok := test.a.Due(moment(t, test.now), test.zone)
			if !ok || due != moment(t, test.due) {
				t.Errorf("due %s, ok is %v; want %s", time.Unix(due, 0).In(Location(test.zone)).Format(wallClock), ok, test.due)
			}
		})
	}
}

// covers: spec autoresponder.times
func TestTimestampIsNotDueAfterItHasPassed(t *testing.T) {
	a := Autoresponder{CriteriaType: CriteriaSpecific, Timestamp: 1000, OffsetValue: 3, OffsetPeriod: PeriodDay, SpecificHour: 9}
	for _, c := range []struct {
		now int64
		ok  bool
	}{{0, true}, {999, true}, {1000, true}, {1001, false}} {
		t.Run(fmt.Sprint("at ", c.now), func(t *testing.T) {
			if due, ok := a.Due(c.now, "Europe/Berlin"); ok != c.ok || ok && due != 1000 {
				t.Errorf("due at %d, ok is %v; want 1000, ok is %v", due, ok, c.ok)
			}
		})
	}
}

// covers: spec autoresponder.times
func TestTimeZoneOfAutoresponderReplacesThatOfAccount(t *testing.T) {
	now := moment(t, "2026-06-15 00:00:00 +0000")
	for _, c := range []struct{ own, want string }{
		{"", "2026-06-16 09:00:00 +1000"},
		{"Europe/Berlin", "2026-06-15 09:00:00 +0200"},
	} {
		t.Run("time zone "+c.own, func(t *testing.T) {
			a := atClock(9, 0)
			a.TimeZone = c.own
			if due, _ := a.Due(now, "Australia/Sydney"); due != moment(t, c.want) {
				t.Errorf("due %s, want %s", time.Unix(due, 0).UTC(), c.want)
			}
		})
	}
}

// Package time returns a wrong end of the offset on the last day of a leap year after 2037.
func TestTimeOnTheLastDayOfALeapYear(t *testing.T) {
	for _, c := range []struct{ zone, face, want string }{
		{"Europe/Berlin", "2040-12-31 09:00:00 +0000", "2040-12-31 09:00:00 +0100"},
		{"Europe/Berlin", "2041-01-01 00:30:00 +0000", "2041-01-01 00:30:00 +0100"},
		{"America/New_York", "2088-12-31 23:30:00 +0000", "2088-12-31 23:30:00 -0500"},
		{"Australia/Sydney", "2041-01-01 09:00:00 +0000", "2041-01-01 09:00:00 +1100"},
	} {
		got := WhenClockShows(time.Unix(moment(t, c.face), 0).UTC(), Location(c.zone))
		if got != moment(t, c.want) {
			t.Errorf("a clock in %s shows %s at %s, want %s", c.zone, c.face, time.Unix(got, 0).UTC(), c.want)
		}
	}
}

// dueZones are zones with every kind of change of the clock: by half an hour, one hour and two
// hours, at midnight, four times a year around Ramadan, a skipped day and a repeated day.
var dueZones = []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "America/Santiago", "Africa/Casablanca",
	"Africa/Cairo", "Asia/Kathmandu", "Antarctica/Troll", "Asia/Beirut", "Pacific/Kwajalein", "America/Havana", "Europe/Dublin", "Asia/Gaza"}

// The test compares the result of Due with the time that the clock shows in each minute.
//
// covers: spec autoresponder.times
func TestAutoresponderIsDueWhenTheClockFirstShowsItsTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom(dueZones).Draw(t, "zone")
		a := atClock(rapid.Int64Range(0, 23).Draw(t, "hour"), rapid.Int64Range(0, 59).Draw(t, "minute"))
		now := rapid.Int64Range(moment1960, moment2100).Draw(t, "now")
		if rapid.Bool().Draw(t, "near a change") {
			if _, end := time.Unix(now, 0).In(Location(zone)).ZoneBounds(); !end.IsZero() {
				now = end.Unix() + rapid.Int64Range(-2*secondsOfDay, 2*secondsOfDay).Draw(t, "around it")
			}
		}
		due, ok := a.Due(now, zone)
		if !ok || due < now {
			t.Fatalf("due %d, ok is %v; want a time that is not before %d", due, ok, now)
		}
		shown := func(at int64) string { return time.Unix(at, 0).In(Location(zone)).Format("15:04:05") }
		wanted := time.Unix((a.SpecificHour*60+a.SpecificMinute)*60, 0).UTC().Format("15:04:05")
		_, before := time.Unix(due-1, 0).In(Location(zone)).Zone()
		_, after := time.Unix(due, 0).In(Location(zone)).Zone()
		if shown(due) != wanted && after <= before {
			t.Fatalf("at %d the clock shows %s and is not put forward; want %s", due, shown(due), wanted)
		}
		// An earlier minute may show the same time only if the clock shows it for the second time.
		for at := now + (60-now%60)%60; at < due; at += 60 {
			if shown(at) == wanted && !shownJustBefore(at, zone) {
				t.Fatalf("due %d, but the clock showed %s at %d already", due, wanted, at)
			}
		}
		if due-now > 50*60*60 {
			t.Fatalf("due after %d s, when the clock shows %s; want at most 50 hours", due-now, wanted)
		}
	})
}

const moment1960, moment2100 = -315_619_200, 4_102_444_800

// shownJustBefore reports whether the clock has shown the same date and time earlier.
func shownJustBefore(at int64, zone string) bool {
	face := time.Unix(at, 0).In(Location(zone)).Format(time.DateTime)
	for earlier := at - 60; earlier >= at-25*60*60; earlier -= 60 {
		if time.Unix(earlier, 0).In(Location(zone)).Format(time.DateTime) == face {
			return true
		}
	}
	return false
}

// covers: spec autoresponder.times
func TestDelaysKeepTheTimeOfDay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom(dueZones).Draw(t, "zone")
		days := rapid.Int64Range(0, 3650).Draw(t, "days")
		now := rapid.Int64Range(moment1960, moment2100).Draw(t, "now")
		a := delay(days, PeriodDay)
		due, ok := a.Due(now, zone)
		if !ok || due < now {
			t.Fatalf("due %d, ok is %v; want a time that is not before %d", due, ok, now)
		}
		from, to := ClockAt(now, Location(zone)), ClockAt(due, Location(zone))
		if short := from.AddDate(0, 0, int(days)).Sub(to).Abs(); short > 2*time.Hour && short != 24*time.Hour {
			t.Fatalf("%d days after %s is %s, want about the same time of day", days, from, to)
		}
		weeks, sevens := delay(days/7, PeriodWeek), delay(days/7*7, PeriodDay)
		inWeeks, _ := weeks.Due(now, zone)
		if inDays, _ := sevens.Due(now, zone); inWeeks != inDays {
			t.Fatalf("%d weeks are due at %d, the same number of days at %d", days/7, inWeeks, inDays)
		}
	})
}
