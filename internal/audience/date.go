package audience

import (
	"strings"
	"sync"
	"time"
)

// Time parts of a Date Field. specification: Field, time_format
const (
	timeOff = "off"
	time12  = "12h"
	time24  = "24h"
)

// Checks of a Date Field besides a range. specification: Field, date_validation
const (
	datePast   = "past"
	dateFuture = "future"
)

// currentDate is the default value of a Date Field that means today.
const currentDate = "current"

// dateLength is the length of "YYYY-MM-DD".
const dateLength = len(time.DateOnly)

// ParseDate reads "YYYY-MM-DD" and, in a Field with a time, also "YYYY-MM-DD
// HH:MM:SS", which "AM" or "PM" may follow in the 12-hour form. iso is what is
// stored: the date, with the time in 24 hours if there was one. decisions.md: 21
func ParseDate(text, timeFormat string) (iso string, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) < dateLength || !validDate(text[:dateLength]) {
		return "", false
	}
	if len(text) == dateLength {
		return text, true
	}
	const seconds = len(time.DateTime)
	if timeFormat != time12 && timeFormat != time24 || len(text) < seconds {
		return "", false
	}
	hour, ok := readClock(text[dateLength:seconds])
	if !ok {
		return "", false
	}
	if len(text) == seconds {
		return text, true
	}
	if timeFormat != time12 || hour < 1 || hour > 12 {
		return "", false
	}
	switch half := strings.TrimLeft(text[seconds:], " "); {
	case strings.EqualFold(half, "AM"):
		hour %= 12
	case strings.EqualFold(half, "PM"):
		hour = hour%12 + 12
	default:
		return "", false
	}
	return text[:dateLength+1] + string([]byte{'0' + byte(hour/10), '0' + byte(hour%10)}) + text[dateLength+3:seconds], true
}

// validDate takes the days of the calendar from year 1 to 9999.
func validDate(text string) bool {
	if text[4] != '-' || text[7] != '-' || !allDigits(text[:4]) || !allDigits(text[5:7]) || !allDigits(text[8:10]) {
		return false
	}
	year, month, day := twoDigits(text)*100+twoDigits(text[2:]), twoDigits(text[5:]), twoDigits(text[8:])
	if year < 1 || month < 1 || month > 12 || day < 1 {
		return false
	}
	switch month {
	case 4, 6, 9, 11:
		return day <= 30
	case 2:
		if year%4 == 0 && year%100 != 0 || year%400 == 0 {
			return day <= 29
		}
		return day <= 28
	}
	return day <= 31
}

// readClock takes " HH:MM:SS" and returns its hour.
func readClock(text string) (hour int, ok bool) {
	if text[0] != ' ' || text[3] != ':' || text[6] != ':' ||
		!allDigits(text[1:3]) || !allDigits(text[4:6]) || !allDigits(text[7:9]) {
		return 0, false
	}
	hour = twoDigits(text[1:])
	return hour, hour <= 23 && twoDigits(text[4:]) <= 59 && twoDigits(text[7:]) <= 59
}

func twoDigits(s string) int { return int(s[0]-'0')*10 + int(s[1]-'0') }

// inDateRange reports whether the date part of iso passes a date_validation.
// Today belongs to past and future alike, both ends to a range. decisions.md: 19
func inDateRange(iso, validation, today string) bool {
	date := iso[:dateLength]
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

// parseDateValidation reads "", past, future or a range and returns its stored form.
func parseDateValidation(text string) (validation string, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" || text == datePast || text == dateFuture {
		return text, true
	}
	first, last, ok := strings.Cut(text, ",")
	from, ok1 := ParseDate(first, timeOff)
	to, ok2 := ParseDate(last, timeOff)
	return from + "," + to, ok && ok1 && ok2 && from <= to
}

// locations keeps the time zones that were used: loading one reads a file.
var locations sync.Map // IANA name to *time.Location

// Today is the date that it is in a time zone, an IANA name; in UTC when there
// is no such zone. decisions.md: 19
func Today(now time.Time, timeZone string) string {
	return now.In(location(timeZone)).Format(time.DateOnly)
}

func location(timeZone string) *time.Location {
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
