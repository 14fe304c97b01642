package enlist

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// This file turns tests of relative dates, such as "within the last 90 days", into tests that package search knows. It
// does so for each search, so a stored test moves with the days. decisions.md: 168

// relatives maps the operators about relative dates to themselves. They are operators of criteria only: a Condition has
// none of them. The names are in the form that operatorCalled looks up.
var relatives = map[string]relative{"withinlast": withinLast, "notwithinlast": notWithinLast, "longerago": longerAgo,
	"withinnext": withinNext, "yearlywithinnext": yearlyWithinNext}

// relative is an operator about a relative date. reference.md: op.relative
type relative uint8

const (
	withinLast       relative = iota + 1 // since the beginning of the day that many days ago
	notWithinLast                        // the opposite, also of a value that is absent or a time that is 0
	longerAgo                            // before that day
	withinNext                           // from today to the end of the day in that many days
	yearlyWithinNext                     // the same, whatever the year
)

// maxRelativeYears is the longest period of a relative date.
const maxRelativeYears = 100

// Period is a number of days, weeks, months or years.
type Period struct {
	Number int
	Unit   string // days, weeks, months or years
}

// periodDays is the number of days of each unit, for the limit.
var periodDays = map[string]int{"days": 1, "weeks": 7, "months": 31, "years": 366}

// ParsePeriod reads a text such as "90 days" or "1 year". A number alone is a number of days.
func ParsePeriod(text string) (p Period, ok bool) {
	number, unit, found := strings.Cut(strings.Trim(text, " "), " ")
	n, err := strconv.Atoi(number)
	if p = (Period{n, "days"}); found {
		p.Unit = strings.TrimSuffix(strings.ToLower(strings.Trim(unit, " ")), "s") + "s"
	}
	days := periodDays[p.Unit]
	return p, err == nil && n >= 0 && days > 0 && n <= maxRelativeYears*366/days && number[0] != '+'
}

// after returns the day that is the Period later, or earlier if sign is -1. Of a month that has no such day it is the
// last day. Both are dates in UTC.
func (p Period) after(day time.Time, sign int) time.Time {
	n := sign * p.Number
	switch p.Unit {
	case "weeks":
		return day.AddDate(0, 0, 7*n)
	case "months", "years":
		if p.Unit == "years" {
			n *= 12
		}
		first := time.Date(day.Year(), day.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
		last := first.AddDate(0, 1, -1).Day()
		return first.AddDate(0, 0, min(day.Day(), last)-1)
	}
	return day.AddDate(0, 0, n)
}

// relativeCondition returns the condition of a test about a relative date. name is its operator.
func (t *criteriaChecker) relativeCondition(key *SearchKey, op relative, c *Criteria) (*Condition, error) {
	isTime := key.Type == KeyInt && strings.HasSuffix(key.Name, "_time")
	switch {
	case !isTime && key.Type != KeyDate:
		return nil, RefuseKey(c.Key, "%s: %s takes only a time or a date Field", c.Key, c.Operator)
	case isTime && (op == withinNext || op == yearlyWithinNext):
		return nil, RefuseKey(c.Key, "%s: %s takes only a date Field, because a time has passed", c.Key, c.Operator)
	}
	text, _ := c.Value.ScalarText()
	p, ok := ParsePeriod(text)
	if !ok {
		return nil, RefuseKey(c.Key, "%s: the value must be a period of at most %d years, such as 90 days, 2 weeks, 6 months or 1 year",
			c.Key, maxRelativeYears)
	}
	now, zone, err := t.keys.Now()
	if err != nil {
		return nil, err
	}
	today := ClockAt(now, zone).Truncate(secondsOfDay * time.Second)
	r := relativeTest{key: key, zone: zone}
	if op == withinNext || op == yearlyWithinNext {
		r.first, r.last = today, p.after(today, 1)
	} else {
		r.first, r.last = p.after(today, -1), today
	}
	if op == yearlyWithinNext {
		return r.yearly(), nil
	}
	return r.condition(op, isTime), nil
}

// relativeTest is a test of a key with days, as dates in UTC.
type relativeTest struct {
	key         *SearchKey
	first, last time.Time
	zone        *time.Location
}

func (r *relativeTest) condition(op relative, isTime bool) *Condition {
	if isTime {
		begin := Operand{Int: max(1, WhenClockShows(r.first, r.zone))} // 0 means never
		since, before := r.test(GreaterThan, Operand{Int: begin.Int - 1}), r.test(LessThan, begin)
		switch op {
		case withinLast:
			return &since
		case notWithinLast:
			return &before
		}
		return &Condition{All: []Condition{r.test(GreaterThan, Operand{}), before}}
	}
	before := r.test(LessThan, dayOperand(r.first))
	switch op {
	case notWithinLast:
		return &Condition{Any: []Condition{before, r.test(GreaterThan, dayOperand(r.last)), r.test(Exactly, Operand{Absent: true})}}
	case longerAgo:
		return &before
	}
	return &Condition{All: []Condition{r.test(GreaterThan, dayOperand(r.first.AddDate(0, 0, -1))),
		r.test(LessThan, dayOperand(r.last.AddDate(0, 0, 1)))}}
}

func (r *relativeTest) test(op Operator, o Operand) Condition {
	if o.Text == "" && !o.Absent {
		o.Text, o.Number = strconv.FormatInt(o.Int, 10), float64(o.Int)
	}
	return Condition{Key: r.key, Operator: op, Operands: []Operand{o}}
}

// dayOperand returns a day as a date is compared with it. A day before the year 1 is before all dates.
func dayOperand(day time.Time) Operand {
	if day.Year() < 1 {
		return Operand{Text: "0000-01-01"}
	}
	return Operand{Text: day.Format(time.DateOnly)}
}

// yearly returns the test that a date is on one of the days, whatever its year. A 29 February counts as 28 February in a
// year without it.
func (r *relativeTest) yearly() *Condition {
	c := Condition{Key: r.key, Operator: OnDays}
	known := make(map[string]bool)
	add := func(text string) {
		if !known[text] {
			known[text] = true
			c.Operands = append(c.Operands, Operand{Text: text})
		}
	}
	for day := r.first; !day.After(r.last) && len(known) < 366; day = day.AddDate(0, 0, 1) {
		add(day.Format("01-02"))
		if day.Month() == time.February && day.Day() == 28 && day.AddDate(0, 0, 1).Day() == 1 {
			add("02-29")
		}
	}
	return &c
}

// String writes a Period as criteria have it.
func (p Period) String() string { return fmt.Sprintf("%d %s", p.Number, p.Unit) }
