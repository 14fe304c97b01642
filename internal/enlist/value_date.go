package enlist

import (
	"strings"
	"sync"
	"time"
)

// This file reads dates and checks them against a Field's date_validation. It also returns
// today's date in an Account's time zone.

// Values of a Date Field's time_format. reference.md: field.time_format
const (
	TimeOff = "off"
	Time12  = "12h"
	Time24  = "24h"
)

// Values of a Date Field's date_validation. It may also be a range of dates.
// reference.md: field.date_validation
const (
	datePast   = "past"
	dateFuture = "future"
)

// CurrentDate is the default value of a Date Field that means today.
const CurrentDate = "current"

// DateLength is the length of "YYYY-MM-DD".
const DateLength = len(time.DateOnly)

// dateTimeLength is the length of "YYYY-MM-DD HH:MM:SS".
const dateTimeLength = len(time.DateTime)

// ParseDate reads "YYYY-MM-DD". If timeFormat is 12h or 24h, it also reads "YYYY-MM-DD
// HH:MM:SS". With 12h, "AM" or "PM" may follow. iso is the stored form: the date and, if a
// time was sent, the time from 00:00:00 to 23:59:59. Use iso only if ok is true. The year must
// be from 1 to 9999. reference.md: type.coercion
func ParseDate(text, timeFormat string) (iso string, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) == DateLength {
		_, ok = parseLayout(time.DateOnly, text)
		return text, ok
	}
	if timeFormat != Time12 && timeFormat != Time24 || len(text) < dateTimeLength {
		return "", false
	}
	at, ok := parseLayout(time.DateTime, text[:dateTimeLength])
	if !ok || len(text) == dateTimeLength {
		return text, ok
	}
	hour := at.Hour()
	if timeFormat != Time12 || hour < 1 || hour > 12 {
		return "", false
	}
	switch half := strings.TrimLeft(text[dateTimeLength:], " "); {
	case strings.EqualFold(half, "AM"):
		at = at.Add(time.Duration(hour%12-hour) * time.Hour)
	case strings.EqualFold(half, "PM"):
		at = at.Add(time.Duration(hour%12+12-hour) * time.Hour)
	default:
		return "", false
	}
	return at.Format(time.DateTime), true
}

// parseLayout is time.Parse, but refuses the year 0, which databases do not have, and text that
// is not written exactly like the layout: time.Parse also reads two spaces and an hour of one
// digit.
func parseLayout(layout, text string) (at time.Time, ok bool) {
	at, err := time.Parse(layout, text)
	if err != nil || at.Year() <= 0 {
		return at, false
	}
	var b [dateTimeLength]byte
	return at, string(at.AppendFormat(b[:0], layout)) == text
}

// inDateRange reports whether the date part of iso passes a date_validation. "past" and
// "future" both include today, and a range includes both ends. reference.md: type.today
func inDateRange(iso, validation, today string) bool {
	date := iso[:DateLength]
	switch validation {
	case "":
		return true
	case datePast:
		return date <= today
	case dateFuture:
		return date >= today
	}
	from, to, _ := strings.Cut(validation, ",")
	return from <= date && date <= to
}

// ParseDateValidation reads "", past, future or a range and returns its stored form.
func ParseDateValidation(text string) (validation string, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" || text == datePast || text == dateFuture {
		return text, true
	}
	first, last, ok := strings.Cut(text, ",")
	from, ok1 := ParseDate(first, TimeOff)
	to, ok2 := ParseDate(last, TimeOff)
	return from + "," + to, ok && ok1 && ok2 && from <= to
}

// locations caches time zones, because loading a time zone reads a file.
var locations sync.Map // IANA name to *time.Location

// Today returns the current date in a time zone, which is an IANA name. For an unknown time
// zone it uses UTC. reference.md: type.today
func Today(now time.Time, timeZone string) string {
	return now.In(Location(timeZone)).Format(time.DateOnly)
}

// Location returns a time zone, or UTC if the name is empty or unknown.
func Location(timeZone string) *time.Location {
	if timeZone == "" || timeZone == "UTC" {
		return time.UTC
	}
	if known, ok := locations.Load(timeZone); ok {
		return known.(*time.Location)
	}
	loaded, err := time.LoadLocation(timeZone)
	if err != nil {
		return time.UTC
	}
	locations.Store(timeZone, loaded)
	return loaded
}
