package audience

import (
	"cmp"
	"time"
)

// Due returns when an autoresponder sends its Message for an event at now, and
// false when it sends none. accountZone counts where it has no zone of its own.
// decisions.md: 45
func (a *Autoresponder) Due(now int64, accountZone string) (due int64, ok bool) {
	zone := location(cmp.Or(a.TimeZone, accountZone))
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

// The periods of an offset. Days and weeks are of the calendar: they end at the
// same time of day, however many hours that takes.
const (
	periodMinute = "minute"
	periodHour   = "hour"
	periodDay    = "day"
	periodWeek   = "week"
)

// offset returns the moment that lies as many periods after another.
func (a *Autoresponder) offset(from int64, zone *time.Location) int64 {
	days := a.OffsetValue
	switch a.OffsetPeriod {
	case periodMinute:
		return from + a.OffsetValue*60
	case periodHour:
		return from + a.OffsetValue*60*60
	case periodWeek:
		days *= 7
	}
	if days == 0 {
		return from // which may be the second time that a clock says so
	}
	return max(from, whenClockSays(clockAt(from, zone).AddDate(0, 0, int(days)), zone))
}

// nextClock returns the first moment, not before another, at which the clock
// says the autoresponder's hour and minute.
func (a *Autoresponder) nextClock(from int64, zone *time.Location) int64 {
	// The day before counts too: what it has no room for may be due just after it.
	year, month, day := clockAt(from, zone).AddDate(0, 0, -1).Date()
	for ; ; day++ {
		face := time.Date(year, month, day, int(a.SpecificHour), int(a.SpecificMinute), 0, 0, time.UTC)
		if due := whenClockSays(face, zone); due >= from {
			return due
		}
	}
}

// clockAt returns what a zone's calendar and clock say at a moment, as a time in UTC.
func clockAt(at int64, zone *time.Location) time.Time {
	_, offset := time.Unix(at, 0).In(zone).Zone()
	return time.Unix(at+int64(offset), 0).UTC()
}

// farthestZone is more than any zone is away from UTC, in seconds.
const farthestZone = 26 * 60 * 60

// whenClockSays returns the first moment at which a zone's calendar and clock
// say what face does as a time in UTC. A time that a clock is put forward over
// becomes the moment at which that happens; on a day that a calendar leaves
// out, the same time of the next. time.Date says that it may take either.
func whenClockSays(face time.Time, zone *time.Location) int64 {
	says := face.Unix()
	before := int64(0)
	for at := time.Unix(says-farthestZone, 0).In(zone); ; {
		start, end := at.ZoneBounds()
		_, seconds := at.Zone()
		offset := int64(seconds)
		switch {
		case !end.IsZero() && end.Unix()+offset <= says:
			at, before = end, offset
		case start.IsZero() || start.Unix()+offset <= says:
			return says - offset
		case offset-before >= secondsOfDay:
			return says + secondsOfDay - offset
		default:
			return start.Unix()
		}
	}
}

// secondsOfDay is how long a day is on the clock.
const secondsOfDay = 24 * 60 * 60
