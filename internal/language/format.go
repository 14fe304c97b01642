package language

import (
	"strconv"
	"strings"
	"time"
)

// This file writes numbers and times as a language does.

// Number writes a number with separators: 31,204.
func (l *Language) Number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	if len(digits) <= 3 {
		return sign + digits
	}
	group := l.Text("format.group")
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + group + digits[at:]
	}
	return sign + digits
}

// Decimal writes a number with a fixed number of decimals: 64.9.
func (l *Language) Decimal(x float64, decimals int) string {
	return strings.Replace(strconv.FormatFloat(x, 'f', decimals, 64), ".", l.Text("format.decimal"), 1)
}

// Time writes a time with one of the texts of [format], such as "day".
func (l *Language) Time(format string, t time.Time) string {
	month := t.Month() - time.January
	return l.Text("format."+format, "day", strconv.Itoa(t.Day()), "month", l.names[0][month], "short_month",
		l.names[1][month], "weekday", l.names[2][t.Weekday()], "year", strconv.Itoa(t.Year()), "time",
		t.Format("15:04"), "seconds", t.Format("05"), "zone", t.Format("UTC-07:00"))
}

// Series writes items with commas between them.
func (l *Language) Series(items []string) (all string) {
	for i, item := range items {
		if i == 0 {
			all = item
		} else {
			all = l.Text("format.list", "a", all, "b", item)
		}
	}
	return all
}
