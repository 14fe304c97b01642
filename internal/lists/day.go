package lists

import (
	"context"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the call that returns what each day added to a List and took from it. Package db stores the counts in
// the transaction of each change. reference.md: listday.counts; decisions.md: 130

// ListDay is a day of a List.
type ListDay struct {
	Day      time.Time // the date, as midnight in UTC
	Counts   enlist.DayCounts
	Contacts int64 // that the List had at the end of the day
}

// ListDayAttributes are the keys of the record of a day, in the order of a reply.
var ListDayAttributes = []enlist.Attribute[ListDay]{
	enlist.ReadOnlyText("day", func(d *ListDay) string { return d.Day.Format(time.DateOnly) }),
	dayCount("added", enlist.DayAdded), dayCount("confirmed", enlist.DayConfirmed), dayCount("left", enlist.DayLeft),
	dayCount("bounced", enlist.DayBounced), dayCount("complained", enlist.DayComplained),
	dayCount("removed", enlist.DayRemoved),
	enlist.ReadOnlyInt("contacts", func(d *ListDay) int64 { return d.Contacts }),
}

func dayCount(name string, as enlist.DayCount) enlist.Attribute[ListDay] {
	return enlist.ReadOnlyInt(name, func(d *ListDay) int64 { return d.Counts[as] })
}

// The numbers of days that a call returns by default, and at most. reference.md: getListDays.range
const (
	defaultDays = 90
	maxDays     = 3660
)

// ListDays returns the days of a List from one date to another, in their order. The dates are ISO dates. An empty date
// to is today, and later days are left out. With an empty date from, it returns 90 days. Errors: NoList, Denied, and
// InvalidParameters if a text is no date, or for more than 3,660 days.
func (s *Service) ListDays(ctx context.Context, c *enlist.Caller, list enlist.ListID, from, to string) (
	[]ListDay, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]ListDay, error) {
		schema, err := Load(tx, c, list)
		if err != nil {
			return nil, err
		}
		first, last, err := RangeOfDays(enlist.Today(s.db.Now(), schema.TimeZone), from, to)
		if err != nil {
			return nil, err
		}
		return listDays(tx, list, first, last)
	})
}

// RangeOfDays returns the first and the last day that a call asks for, as midnight in UTC. All arguments are ISO dates.
// An empty date to is today, and so is a later one. An empty date from stands for 90 days. Errors: InvalidParameters if
// a text is no date, or for more than 3,660 days. reference.md: getListDays.range
func RangeOfDays(today, from, to string) (first, last time.Time, err error) {
	now, err := time.Parse(time.DateOnly, today)
	if err != nil {
		return first, last, err
	}
	if last, err = readDay("to_day", to, now); err != nil {
		return first, last, err
	}
	if last.After(now) {
		last = now
	}
	if first, err = readDay("from_day", from, last.AddDate(0, 0, 1-defaultDays)); err != nil {
		return first, last, err
	}
	if last.AddDate(0, 0, 1-maxDays).After(first) {
		return first, last, enlist.Invalid("from_day", "the call returns at most 3,660 days")
	}
	return first, last, nil
}

// readDay reads an ISO date. An empty text is the day otherwise.
func readDay(name, text string, otherwise time.Time) (time.Time, error) {
	if text == "" {
		return otherwise, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, enlist.Invalid(name, "expected a date such as 2026-01-31")
	}
	return day, nil
}

// listDays returns the days of a List from first to last.
func listDays(tx *db.Tx, list enlist.ListID, first, last time.Time) ([]ListDay, error) {
	contacts, err := tx.ContactCount(list)
	if err != nil {
		return nil, err
	}
	counted, err := CountedDays(tx, list, enlist.DayOf(first.Unix(), ""))
	if err != nil {
		return nil, err
	}
	return allDays(counted, contacts, first, last), nil
}

// allDays returns the days from first to last, also those on which nothing was counted. The number of Contacts at the
// end of a day is the present one without the changes of later days, which the same transactions have counted.
func allDays(counted []CountedDay, contacts int64, first, last time.Time) (days []ListDay) {
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		days = append(days, ListDay{Day: day})
	}
	for i := len(days) - 1; i >= 0; i-- {
		d := &days[i]
		number := enlist.DayOf(d.Day.Unix(), "")
		n := len(counted)
		for ; n > 0 && counted[n-1].Day > number; n-- {
			contacts -= counted[n-1].Counts[enlist.DayContacts]
		}
		d.Contacts = contacts
		if n > 0 && counted[n-1].Day == number {
			d.Counts = counted[n-1].Counts
		}
		counted = counted[:n]
	}
	return days
}
