package pace

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/internal/enlist"
)

// This file has the sending calendar: the hours of the week in which the mails of Batches are sent.
// reference.md: batch.calendar; decisions.md: 63

// Calendar is a part of each day of some days of the week, by the wall clock of a time zone. So it
// has the right hours also on the days with 23 and 25 hours. A nil Calendar is always open.
type Calendar struct {
	days        [7]bool // by time.Weekday
	from, until int     // minutes after midnight on the clock
	zone        *time.Location
}

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// ParseCalendar reads a text such as "mon-fri 8:00-18:00 Europe/Berlin" or "mon,wed 9-24 UTC". ""
// returns nil.
func ParseCalendar(text string) (*Calendar, error) {
	if text == "" {
		return nil, nil
	}
	wrong := enlist.Expected(`days, hours and an IANA time zone, such as "mon-fri 8:00-18:00 Europe/Berlin"`)
	parts := strings.Fields(text)
	if len(parts) != 3 || enlist.CheckTimeZone(parts[2]) != nil {
		return nil, wrong
	}
	c := new(Calendar)
	c.zone, _ = time.LoadLocation(parts[2])
	for days := range strings.SplitSeq(strings.ToLower(parts[0]), ",") {
		if !c.addDays(days) {
			return nil, wrong
		}
	}
	from, until, _ := strings.Cut(parts[1], "-")
	var begins, ends bool
	c.from, begins = clockMinutes(from)
	c.until, ends = clockMinutes(until)
	if !begins || !ends || c.from >= c.until {
		return nil, wrong
	}
	return c, nil
}

// addDays adds a day such as "mon", or days such as "sat-mon".
func (c *Calendar) addDays(text string) bool {
	first, last, several := strings.Cut(text, "-")
	if !several {
		last = first
	}
	day, end := slices.Index(weekdays, first), slices.Index(weekdays, last)
	if day < 0 || end < 0 {
		return false
	}
	for c.days[day] = true; day != end; c.days[day] = true {
		day = (day + 1) % len(weekdays)
	}
	return true
}

// clockMinutes returns the minutes after midnight of a clock time such as 8, 8:30 or 24:00.
func clockMinutes(text string) (minutes int, ok bool) {
	hour, minute, _ := strings.Cut(text, ":")
	h, err := strconv.Atoi(hour)
	if err != nil {
		return 0, false
	}
	m := 0
	if minute != "" {
		m, err = strconv.Atoi(minute)
	}
	minutes = 60*h + m
	return minutes, err == nil && h >= 0 && m >= 0 && m < 60 && minutes <= 24*60
}

// IsOpen reports whether mails may be sent at a time.
func (c *Calendar) IsOpen(at time.Time) bool {
	if c == nil {
		return true
	}
	local := at.In(c.zone)
	minute := 60*local.Hour() + local.Minute()
	return c.days[local.Weekday()] && minute >= c.from && minute < c.until
}

// openSince returns since when the Calendar has been open without a break, in Unix seconds, or 0 if
// it has been open for a week. It returns at itself if the Calendar is closed.
func (c *Calendar) openSince(at time.Time) int64 {
	if c == nil {
		return 0
	}
	const week = 7 * 24 * 60 // minutes
	for i := range week {
		if !c.IsOpen(at.Add(-time.Duration(i) * time.Minute)) {
			return at.Add(-time.Duration(max(i-1, 0)) * time.Minute).Truncate(time.Minute).Unix()
		}
	}
	return 0
}

// lateAfter is how long after its time, in seconds, a Batch may still begin or continue
// without a decision of a person.
const lateAfter = 6 * 60 * 60

// IsLate reports whether a Batch that could be sent since a time should not be sent without a
// decision of a person. The time in which the Calendar was closed does not count.
func (c *Calendar) IsLate(since int64, now time.Time) bool {
	if now.Unix()-since <= lateAfter {
		return false
	}
	return now.Unix()-max(since, c.openSince(now)) > lateAfter
}
