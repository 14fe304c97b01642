package forms

import (
	"context"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has the call that returns what people did with a Form on each day. Package contacts counts it.

// Day is what people did with a Form on a day.
type Day struct {
	Day                    time.Time // the date, as midnight in UTC
	Shown, Sent, Confirmed int64
}

// DayAttributes are the keys of the record of a day, in the order of a reply.
var DayAttributes = []enlist.Attribute[Day]{
	enlist.ReadOnlyText("day", func(d *Day) string { return d.Day.Format(time.DateOnly) }),
	enlist.ReadOnlyInt("shown", func(d *Day) int64 { return d.Shown }),
	enlist.ReadOnlyInt("sent", func(d *Day) int64 { return d.Sent }),
	enlist.ReadOnlyInt("confirmed", func(d *Day) int64 { return d.Confirmed }),
}

// FormDays returns the days of a Form from one date to another, in their order, also those on which nothing happened.
// The dates are as those of lists.Service.ListDays. Errors: as of DeleteForm, and InvalidParameters for the dates.
// reference.md: getFormDays.range
func (s *Service) FormDays(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.FormID,
	from, to string) ([]Day, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Day, error) {
		schema, err := lists.Load(tx, c, list)
		if err != nil {
			return nil, err
		}
		if _, err := inList(tx, list, id); err != nil {
			return nil, err
		}
		first, last, err := lists.RangeOfDays(enlist.Today(s.db.Now(), schema.TimeZone), from, to)
		if err != nil {
			return nil, err
		}
		return days(tx, id, first, last)
	})
}
