package enlist

import "time"

// This file finds the moment of a date and time in a time zone. This is difficult because a local clock can skip an hour
// or a day, and can show the same hour twice. Package time does not define which moment it returns then.
// reference.md: autoresponder.times

// ParseClock returns the moment at which a clock in the zone first shows a date and time, as WhenClockShows. The layout
// is one of package time without a zone.
func ParseClock(layout, text string, zone *time.Location) (time.Time, error) {
	face, err := time.Parse(layout, text)
	if err != nil {
		return time.Time{}, err
	}
	return time.Unix(WhenClockShows(face, zone), 0).In(zone), nil
}

// StartOfDay returns the moment at which a day of the zone begins, some days after the day of at.
func StartOfDay(at time.Time, days int, zone *time.Location) time.Time {
	year, month, day := at.In(zone).Date()
	return time.Unix(WhenClockShows(time.Date(year, month, day+days, 0, 0, 0, 0, time.UTC), zone), 0).In(zone)
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
// time on the next day. The function goes through the changes of the zone's offset one by one.
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
