package enlist

import (
	"cmp"
	"time"
)

// This file computes when an autoresponder is due.

// Due returns the Unix time at which an autoresponder sends its Message. now is the Unix time of
// the event. ok is false if the time to send has passed. accountZone is used if the
// autoresponder has no time zone. reference.md: autoresponder.times
func (a *Autoresponder) Due(now int64, accountZone string) (due int64, ok bool) {
	zone := Location(cmp.Or(a.TimeZone, accountZone))
	switch a.CriteriaType {
	case CriteriaDelay:
		return a.offset(now, zone), true
	case CriteriaSpecific:
		if a.Timestamp != 0 {
			return a.Timestamp, a.Timestamp >= now
		}
		return a.nextClock(a.offset(now, zone), zone), true
	}
	return now, true
}

// offset adds the autoresponder's offset to the Unix time from. An offset in minutes or hours is
// exact. An offset in days or weeks ends at the same time of day.
func (a *Autoresponder) offset(from int64, zone *time.Location) int64 {
	days := a.OffsetValue
	switch a.OffsetPeriod {
	case PeriodMinute:
		return from + a.OffsetValue*60
	case PeriodHour:
		return from + a.OffsetValue*60*60
	case PeriodWeek:
		days *= 7
	}
	if days == 0 {
		return from // not WhenClockShows: if the clock shows this time twice today, it returns the first time
	}
	return max(from, WhenClockShows(ClockAt(from, zone).AddDate(0, 0, int(days)), zone))
}

// nextClock returns the first moment at or after from at which a clock in the zone shows the
// autoresponder's hour and minute.
func (a *Autoresponder) nextClock(from int64, zone *time.Location) int64 {
	// Start with the day before: if the clock skipped the time then, shortly before midnight,
	// the due time is the end of the skipped period, which can be on this day.
	year, month, day := ClockAt(from, zone).AddDate(0, 0, -1).Date()
	for ; ; day++ {
		face := time.Date(year, month, day, int(a.SpecificHour), int(a.SpecificMinute), 0, 0, time.UTC)
		if due := WhenClockShows(face, zone); due >= from {
			return due
		}
	}
}
