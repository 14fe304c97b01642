package sheet

import (
	"math"
	"time"
)

// This file reads the dates of an XLSX workbook. They are numbers of days with a style that shows them as dates.

// dates counts days from 1900, or from 1904 in old workbooks of macOS.
type dates struct{ from1904 bool }

// time returns the time of a number of days, to the second. Excel counts a day 1900-02-29, number 60, which did not
// exist.
func (d dates) time(days float64) (time.Time, bool) {
	if days < 0 || days >= 2958466 { // 10000-01-01
		return time.Time{}, false
	}
	start := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case d.from1904:
		start = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days < 60:
		start = start.AddDate(0, 0, 1)
	}
	whole, part := math.Modf(days)
	return start.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*86400)) * time.Second), true
}

// DayOf1900 returns the date that a spreadsheet stores as a number of days from 1900.
func DayOf1900(days float64) (time.Time, bool) { return dates{}.time(days) }

// parseISO reads a date that is a text in ISO 8601.
func parseISO(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
