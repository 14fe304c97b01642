package lists_test

import (
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// The tests show which days ListDays returns. contacts/day_test.go has what the days count.
//
// covers: spec listday.day, getListDays.range, decision 130
func TestDaysThatACallReturns(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "by default the call returns the last 90 days, also those without a change", Test: defaultDays},
		{Name: "the call returns at most 3,660 days and none after today", Test: rangeOfDays},
		{Name: "a day begins at midnight of the Account, also when it has 23 or 25 hours", Test: longAndShortDays},
		{Name: "a change of the time zone moves no day that was counted", Test: changedZone},
		{Name: "a List or a text that is no date is refused", Test: refusedDays},
		{Name: "parts of a day that are not merged yet count", Test: unmergedDays},
	})
}

func days(o *apptest.Account, list enlist.ListID, from, to string) []lists.ListDay {
	o.Helper()
	found, err := o.App.Lists.ListDays(o.Context(), o.Caller, list, from, to)
	o.Must(err)
	return found
}

// wantRange checks the first and the last of the days, and that none is missing between them.
func wantRange(o *apptest.Account, found []lists.ListDay, n int, first, last string) {
	o.Helper()
	if len(found) != n {
		o.Fatalf("%d days, want %d", len(found), n)
	}
	for i := range found[1:] {
		if !found[i+1].Day.Equal(found[i].Day.AddDate(0, 0, 1)) {
			o.Errorf("%v follows %v", found[i+1].Day, found[i].Day)
		}
	}
	if a, z := found[0].Day.Format(time.DateOnly), found[n-1].Day.Format(time.DateOnly); a != first || z != last {
		o.Errorf("the days are from %s to %s, want from %s to %s", a, z, first, last)
	}
}

func defaultDays(o *apptest.Account) {
	list := o.AddList()
	o.Now = o.Now.Add(-48 * time.Hour)
	o.Subscribe(list, "Email", "ann@example.com")
	o.Now = o.Now.Add(48 * time.Hour)
	o.Subscribe(list, "Email", "bob@example.com")
	found := days(o, list, "", "")
	wantRange(o, found, 90, "2026-03-18", "2026-06-15")
	for i := range found {
		added, contacts := int64(0), int64(min(1, max(0, i-86)))
		switch i {
		case 87:
			added = 1
		case 89:
			added, contacts = 1, 2
		}
		if d := &found[i]; d.Counts[enlist.DayAdded] != added || d.Contacts != contacts {
			o.Errorf("%v: %d added and %d Contacts, want %d and %d", d.Day, d.Counts[enlist.DayAdded], d.Contacts, added,
				contacts)
		}
	}
}

func rangeOfDays(o *apptest.Account) {
	list := o.AddList()
	wantRange(o, days(o, list, "2024-02-28", "2024-03-01"), 3, "2024-02-28", "2024-03-01")
	wantRange(o, days(o, list, "2026-06-01", "2030-01-01"), 15, "2026-06-01", "2026-06-15")
	wantRange(o, days(o, list, "", "2026-01-31"), 90, "2025-11-03", "2026-01-31")
	wantRange(o, days(o, list, "2016-06-08", ""), 3660, "2016-06-08", "2026-06-15")
	for _, r := range [][2]string{{"2026-06-16", ""}, {"2026-06-02", "2026-06-01"}} {
		if found := days(o, list, r[0], r[1]); len(found) != 0 {
			o.Errorf("from %s to %s are %d days, want none", r[0], r[1], len(found))
		}
	}
	_, err := o.App.Lists.ListDays(o.Context(), o.Caller, list, "2016-06-07", "")
	o.Refused(err, enlist.InvalidParameters, "from_day: the call returns at most 3,660 days")
}

// addedOn subscribes a Contact at each time, and returns how many were added on which days.
func addedOn(o *apptest.Account, list enlist.ListID, from string) map[string]int64 {
	o.Helper()
	found := make(map[string]int64)
	for _, d := range days(o, list, from, "") {
		if n := d.Counts[enlist.DayAdded]; n != 0 {
			found[d.Day.Format(time.DateOnly)] = n
		}
	}
	return found
}

func subscribeAt(o *apptest.Account, list enlist.ListID, times ...string) {
	o.Helper()
	for _, at := range times {
		var err error
		o.Now, err = time.Parse(time.RFC3339, at)
		o.Must(err)
		o.Subscribe(list, "Email", at[:10]+"."+at[11:13]+at[14:16]+"@example.com")
	}
}

func longAndShortDays(o *apptest.Account) {
	o.Must(o.App.Accounts.SetTimeZone(o.Context(), o.Caller.Account.ID, "Europe/Berlin"))
	list := o.AddList()
	subscribeAt(o, list, "2026-03-28T22:59:00Z", "2026-03-28T23:00:00Z", "2026-03-29T21:59:00Z", "2026-03-29T22:00:00Z",
		"2026-10-24T21:59:00Z", "2026-10-24T22:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z",
		"2026-10-25T22:59:00Z", "2026-10-25T23:00:00Z")
	apptest.Same(o.T, "the days", addedOn(o, list, "2026-03-01"), map[string]int64{"2026-03-28": 1, "2026-03-29": 2,
		"2026-03-30": 1, "2026-10-24": 1, "2026-10-25": 4, "2026-10-26": 1})
	wantRange(o, days(o, list, "2026-10-24", ""), 3, "2026-10-24", "2026-10-26")
}

func changedZone(o *apptest.Account) {
	list := o.AddList()
	subscribeAt(o, list, "2026-06-15T11:00:00Z")
	o.Must(o.App.Accounts.SetTimeZone(o.Context(), o.Caller.Account.ID, "Pacific/Auckland")) // 12 hours ahead
	subscribeAt(o, list, "2026-06-15T12:30:00Z")
	o.Must(o.App.Accounts.SetTimeZone(o.Context(), o.Caller.Account.ID, "Pacific/Honolulu")) // 10 hours behind
	subscribeAt(o, list, "2026-06-16T09:30:00Z")
	apptest.Same(o.T, "the days", addedOn(o, list, "2026-06-01"), map[string]int64{"2026-06-15": 2})
	o.Now = o.Now.Add(24 * time.Hour)
	apptest.Same(o.T, "the days on the next one", addedOn(o, list, "2026-06-01"),
		map[string]int64{"2026-06-15": 2, "2026-06-16": 1})
	if first := days(o, list, "2026-06-15", ""); first[0].Contacts != 2 || first[1].Contacts != 3 {
		o.Errorf("%d and %d Contacts at the end of the days, want 2 and 3", first[0].Contacts, first[1].Contacts)
	}
}

func refusedDays(o *apptest.Account) {
	list, other := o.AddList(), o.AddList()
	get := func(c *enlist.Caller, list enlist.ListID, from, to string) error {
		_, err := o.App.Lists.ListDays(o.Context(), c, list, from, to)
		return err
	}
	o.Refused(get(o.Caller, 0, "", ""), enlist.NoList, "")
	o.Refused(get(o.Caller, list+1000, "x", ""), enlist.NoList, "")
	o.Refused(get(o.NewCaller(), list, "", ""), enlist.NoList, "")
	o.Refused(get(o.Restricted(other), list, "", ""), enlist.Denied, "")
	for _, text := range []string{"today", "2026-02-30", "2026-1-1", "20260101", "2026-01-01 10:00:00"} {
		o.Refused(get(o.Caller, list, text, ""), enlist.InvalidParameters, "from_day: expected a date such as 2026-01-31")
		o.Refused(get(o.Caller, list, "", text), enlist.InvalidParameters, "to_day: expected a date such as 2026-01-31")
	}
}

// unmergedDays stores parts of days as a backup of a PostgreSQL database has them.
func unmergedDays(o *apptest.Account) {
	list := o.AddList()
	o.Subscribe(list, "Email", "ann@example.com")
	o.Update(func(tx *db.Tx) error {
		for part := range int64(3) {
			err := tx.Do(`INSERT INTO list_day_part (list_id, day, part, contacts, added, confirmed, unsubscribed, bounced,
				complained, removed) VALUES (?, 20260614, ?, 0, 1, 2, 3, 4, 5, 6)`, int64(list), part)
			if err != nil {
				return err
			}
		}
		return nil
	})
	found := days(o, list, "2026-06-14", "")
	want := enlist.DayCounts{enlist.DayAdded: 3, enlist.DayConfirmed: 6, enlist.DayLeft: 9, enlist.DayBounced: 12,
		enlist.DayComplained: 15, enlist.DayRemoved: 18}
	if got := found[0].Counts; got != want {
		o.Errorf("the counts are %v, want %v", got, want)
	}
	if got := found[1].Counts; got[enlist.DayAdded] != 1 || got[enlist.DayContacts] != 1 {
		o.Errorf("the counts of the next day are %v, want 1 added", got)
	}
}
