package contacts_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tests criteria with relative dates, with a clock that moves.

// covers: spec op.relative, op.yearly, decision 168
func TestRelativeDates(t *testing.T) {
	apptest.Run(t, apptest.Shared, newRelative, []apptest.Rule[*relativeDates]{
		{Name: "times count from the beginning of a day of the Account, also of a day with 23 hours", Test: relativeTimes},
		{Name: "a day of 25 hours is one day, also from its end", Test: relativeLongDay},
		{Name: "a time that is 0 is not within a period, and not longer ago", Test: relativeNever},
		{Name: "dates count by days, weeks and months of the calendar", Test: relativeDays},
		{Name: "a date of each year comes again, and 29 February on 28 February in other years", Test: relativeYearly},
		{Name: "a Segment moves with the days", Test: relativeSegment},
		{Name: "keys without a date, and periods that are none, are refused", Test: relativeRefused},
	})
}

// relativeDates is an Account in Sydney, with a List whose Contacts are called by their Email address.
type relativeDates struct {
	*apptest.Account
	list enlist.ListID
}

func newRelative(t *testing.T, store db.Engine) *relativeDates {
	o := apptest.NewAccount(t, store)
	r := &relativeDates{Account: o}
	o.Must(o.App.Accounts.EditAccount(o.Context(), o.Caller.Account.ID, func(a *enlist.Account) { a.TimeZone = "Australia/Sydney" }))
	r.list = o.AddList()
	o.AddField(r.list, "name", "Born", "type", "date", "time_format", "24h")
	return r
}

// at sets the clock to a time in Sydney.
func (r *relativeDates) at(text string) {
	at, err := time.ParseInLocation(time.DateTime, text, enlist.Location("Australia/Sydney"))
	r.Must(err)
	r.Now = at
}

// want checks which Contacts a test finds, by the beginnings of their addresses.
func (r *relativeDates) want(key, operator, value, names string) {
	r.Helper()
	var w apptest.ContactRows
	r.Must(r.App.Contacts.SearchContacts(r.Context(), r.Caller, r.list,
		enlist.Query{Criteria: apptest.Criterion(key, operator, value)}, []string{"Email"}, &w))
	var found []string
	for _, row := range w.Rows {
		name, _, _ := strings.Cut(row["Email"], "@")
		found = append(found, name)
	}
	slices.Sort(found)
	if got := strings.Join(found, " "); got != names {
		r.Errorf("at %s, %s %s %q finds %q, want %q", r.Now, key, operator, value, got, names)
	}
	if n, err := r.App.Contacts.CountContacts(r.Context(), r.Caller, r.list, apptest.Criterion(key, operator, value)); err != nil || int(n) != len(found) {
		r.Errorf("%s %s %q counts %d, want %d: %v", key, operator, value, n, len(found), err)
	}
}

func relativeTimes(r *relativeDates) {
	for name, joined := range map[string]string{"a": "2026-10-03 23:59:59", "b": "2026-10-04 00:00:00", "c": "2026-10-04 23:30:00", "d": "2026-10-05 08:00:00"} {
		r.at(joined)
		r.Subscribe(r.list, "Email", name+"@example.com")
	}
	r.at("2026-10-05 09:00:00") // 4 October had 23 hours
	r.want("creation_time", "within_last", "1 day", "b c d")
	r.want("creation_time", "Within Last", "1", "b c d")
	r.want("creation_time", "not_within_last", "1 days", "a")
	r.want("creation_time", "longer_ago", "1 day", "a")
	r.want("creation_time", "within_last", "0 days", "d")
	r.want("creation_time", "longer_ago", "0 days", "a b c")
	r.at("2026-10-05 23:59:59")
	r.want("creation_time", "within_last", "1 day", "b c d")
	r.at("2026-10-06 00:00:00")
	r.want("creation_time", "within_last", "1 day", "d")
	r.at("2027-10-03 12:00:00")
	r.want("creation_time", "longer_ago", "1 year", "")
	r.at("2027-10-05 00:00:00")
	r.want("creation_time", "longer_ago", "1 year", "a b c")
	r.want("creation_time", "longer_ago", "12 months", "a b c")
}

// relativeLongDay has a day in which the clocks go back from 3 to 2 o'clock: 24 hours before its end is not its beginning.
func relativeLongDay(r *relativeDates) {
	for _, joined := range [][2]string{{"a", "2026-04-04 23:59:59"}, {"b", "2026-04-05 00:00:00"}, {"c", "2026-04-05 01:30:00"},
		{"d", "2026-04-05 23:59:59"}, {"e", "2026-04-06 00:00:00"}} {
		r.at(joined[1])
		r.Subscribe(r.list, "Email", joined[0]+"@example.com", "Born", "2000-04-05")
	}
	r.at("2026-04-05 01:30:00")
	r.Now = r.Now.Add(time.Hour) // half past two, before the clocks go back
	r.Subscribe(r.list, "Email", "f@example.com", "Born", "2026-04-06")
	r.Now = r.Now.Add(time.Hour) // and once more
	r.Subscribe(r.list, "Email", "g@example.com", "Born", "2026-04-07")
	r.at("2026-04-05 23:59:59") // 24 hours and 59:59 minutes after midnight
	r.want("creation_time", "within_last", "0 days", "b c d e f g")
	r.want("creation_time", "longer_ago", "0 days", "a")
	r.want("Born", "yearly_within_next", "0 days", "a b c d e")
	r.want("Born", "within_next", "1 day", "f")
	r.at("2026-04-06 00:00:00")
	r.want("creation_time", "within_last", "0 days", "e")
	r.want("creation_time", "within_last", "1 day", "b c d e f g")
	r.want("creation_time", "not_within_last", "1 day", "a")
	r.at("2026-04-12 23:59:59")
	r.want("creation_time", "within_last", "1 week", "b c d e f g")
	r.want("creation_time", "longer_ago", "1 week", "a")
	r.at("2026-10-03 23:30:00") // the next day has 23 hours: in 24 hours it is over
	r.Subscribe(r.list, "Email", "h@example.com", "Born", "2026-10-05")
	r.want("Born", "within_next", "1 day", "")
	r.want("Born", "within_next", "2 days", "h")
}

func relativeNever(r *relativeDates) {
	r.Subscribe(r.list, "Email", "a@example.com")
	r.want("last_open_time", "not_within_last", "90 days", "a")
	r.want("last_open_time", "within_last", "100 years", "")
	r.want("last_open_time", "longer_ago", "90 days", "")
}

func relativeDays(r *relativeDates) {
	for name, born := range map[string]string{"a": "2026-02-27", "b": "2026-02-28 23:00:00", "c": "2026-03-31 00:00:01", "d": "2026-04-01", "e": "2026-04-14 10:00:00", "f": "2026-04-15", "none": ""} {
		r.Subscribe(r.list, "Email", name+"@example.com", "Born", born)
	}
	r.at("2026-03-31 23:59:59")
	r.want("Born", "within_last", "1 month", "b c")
	r.want("Born", "not_within_last", "1 month", "a d e f none")
	r.want("Born", "longer_ago", "1 month", "a")
	r.want("Born", "within_next", "0 days", "c")
	r.want("Born", "within_next", "2 weeks", "c d e")
	r.at("2026-04-01 00:00:00") // 5 April has 25 hours
	r.want("Born", "within_next", "2 weeks", "d e f")
	r.want("Born", "within_last", "100 years", "a b c d")
}

func relativeYearly(r *relativeDates) {
	for name, born := range map[string]string{"a": "1999-02-28", "b": "1980-02-29 07:00:00", "c": "2000-03-01", "d": "0400-12-31", "e": "9999-01-01", "none": ""} {
		r.Subscribe(r.list, "Email", name+"@example.com", "Born", born)
	}
	r.at("2026-02-26 12:00:00")
	r.want("Born", "yearly_within_next", "1 day", "")
	r.want("Born", "yearly_within_next", "2 days", "a b")
	r.want("Born", "yearly_within_next", "3 days", "a b c")
	r.at("2026-03-01 12:00:00")
	r.want("Born", "yearly_within_next", "0 days", "c")
	r.at("2028-02-28 12:00:00")
	r.want("Born", "yearly_within_next", "0", "a")
	r.at("2028-02-29 12:00:00")
	r.want("Born", "yearly_within_next", "0", "b")
	r.at("2026-12-30 12:00:00")
	r.want("Born", "yearly_within_next", "1 week", "d e")
	r.want("Born", "yearly_within_next", "1 year", "a b c d e")
}

func relativeSegment(r *relativeDates) {
	r.at("2026-06-01 12:00:00")
	r.Subscribe(r.list, "Email", "a@example.com", "Born", "1990-06-05")
	id := r.SetSegment(r.list, "Birthday soon", apptest.Criterion("Born", "yearly_within_next", "3 days"))
	for at, want := range map[string]string{"2026-06-01 23:59:59": "", "2026-06-02 00:00:00": "a", "2026-06-05 23:59:59": "a", "2026-06-06 00:00:00": ""} {
		r.at(at)
		r.want(enlist.KeySegment, "in", strconv.FormatInt(int64(id), 10), want)
	}
}

func relativeRefused(r *relativeDates) {
	for _, c := range [][3]string{{"id", "within_last", "3 days"}, {"Email", "within_last", "3 days"}, {"is_active", "longer_ago", "3 days"},
		{"creation_time", "within_next", "3 days"}, {"creation_time", "yearly_within_next", "3 days"}, {"Born", "within_last", ""},
		{"Born", "within_last", "-1 days"}, {"Born", "within_last", "3 parsecs"}, {"Born", "within_last", "101 years"}, {"Born", "within_last", "3  "},
		{"Born", "within_last", "2026-01-01"}, {"Born", "within_some", "3 days"}} {
		_, err := r.App.Contacts.CountContacts(r.Context(), r.Caller, r.list, apptest.Criterion(c[0], c[1], c[2]))
		if c[2] == "3  " {
			r.Must(err)
			continue
		}
		r.Refused(err, enlist.InvalidSearch, c[0]+": ")
	}
	_, err := r.App.Lists.SearchLists(r.Context(), r.Caller, enlist.Query{Criteria: apptest.Criterion("creation_time", "within_last", "3 days")})
	r.Refused(err, enlist.InvalidSearch, "is none of exactly")
}
