package enlist

import (
	"cmp"
	"time"
)

// This file computes when an autoresponder is due. This is difficult because of time zones: a
// local clock can skip an hour or a day, and can show the same hour twice.

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

// ClockAt returns the date and time that a clock in the zone shows at a moment. The result is a
// time in UTC, because in UTC every day has 24 hours.
func ClockAt(at int64, zone *time.Location) time.Time {
	_, offset := time.Unix(at, 0).In(zone).Zone()
	return time.Unix(at+int64(offset), 0).UTC()
}

// MaxZoneOffset is larger than the offset of any zone from UTC, in seconds.
const MaxZoneOffset = 26 * 60 * 60

// WhenClockShows returns the first moment at which a clock in the zone shows a date and time.
// face is that date and time as a time in UTC. For a time that the clock skips, it returns the
// moment at which the clock is put forward. For a time on a skipped day, it returns the same
// time on the next day. The function goes through the changes of the zone's offset one by one,
// because time.Date does not define which of two moments it returns.
func WhenClockShows(face time.Time, zone *time.Location) int64 {
	shown := face.Unix()
	previous := int64(0) // the offset before the zone's last change
	for at := time.Unix(shown-MaxZoneOffset, 0).In(zone); ; {
		start, end := zoneBounds(at)
		_, seconds := at.Zone()
		offset := int64(seconds)
		switch {
		case !end.IsZero() && end.Unix()+offset <= shown:
			at, previous = end, offset // the clock shows face after this change or a later one
		case start.IsZero() || start.Unix()+offset <= shown:
			return shown - offset
		case offset-previous >= secondsOfDay:
			return shown + secondsOfDay - offset // the change skipped a whole day
		default:
			return start.Unix() // the change skipped face
		}
	}
}

// zoneBounds is Time.ZoneBounds. By the rule that a zone has for the years after 2037, package time counts 365 days also
// for a leap year, so on the last day of such a year it returns an end that is not later. The year ends then.
func zoneBounds(at time.Time) (start, end time.Time) {
	start, end = at.ZoneBounds()
	if !end.IsZero() && !end.After(at) {
		end = time.Date(at.UTC().Year()+1, time.January, 1, 0, 0, 0, 0, time.UTC).In(at.Location())
	}
	return start, end
}

// secondsOfDay is the length of a day without a change of the clock.
const secondsOfDay = 24 * 60 * 60
