package lists

import (
	"context"
	"maps"
	"slices"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file reads the days of many Lists with a few statements, for pages that show all Lists.

// Growth is how the Lists that a caller may access have changed in the last days.
type Growth struct {
	Lists []enlist.List // in the order of their names, with their Contacts
	Days  []ListDay     // of all Lists together, the last one is today
}

// Growth returns the Lists and what has changed in a number of days. The time does not depend on the Contacts.
func (s *Service) Growth(ctx context.Context, c *enlist.Caller, days int) (*Growth, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (g *Growth, err error) {
		g = new(Growth)
		if g.Lists, err = byName(tx, c); err != nil {
			return nil, err
		}
		first, last := s.lastDays(c, days)
		counted, err := s.past.sumsOfDays(tx, c.Account.ID, past{read: s.db.Now(), lists: IDs(g.Lists),
			first: enlist.DayOf(first.Unix(), ""), today: enlist.DayOf(last.Unix(), "")})
		var contacts int64
		for i := range g.Lists {
			contacts += g.Lists[i].ContactCount
		}
		g.Days = allDays(counted, contacts, first, last)
		return g, err
	})
}

// Changes returns the Lists that a caller may access, in the order of their names, and what has changed in a number of
// days together. A List without changes has no counts.
func (s *Service) Changes(ctx context.Context, c *enlist.Caller, days int) (all []enlist.List,
	sums map[enlist.ListID]enlist.DayCounts, err error) {
	err = s.db.InView(ctx, c, func(tx *db.Tx) (err error) {
		if all, err = byName(tx, c); err != nil {
			return err
		}
		first, _ := s.lastDays(c, days)
		sums, err = sumsOfLists(tx, IDs(all), enlist.DayOf(first.Unix(), ""))
		return err
	})
	return all, sums, err
}

// byName returns the Lists that the caller may access, in the order of their names.
func byName(tx *db.Tx, c *enlist.Caller) ([]enlist.List, error) {
	allowed, err := visible(tx, c)
	if err != nil {
		return nil, err
	}
	return enlist.SearchRecords(ListAttributes, allowed, enlist.Query{SortBy: "name"})
}

// DaysOfLists returns the last days of some Lists, by List, as ListDays does for one. It leaves out Lists that the
// caller may not access.
func (s *Service) DaysOfLists(ctx context.Context, c *enlist.Caller, ids []enlist.ListID, days int) (
	map[enlist.ListID][]ListDay, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (map[enlist.ListID][]ListDay, error) {
		ids := slices.DeleteFunc(slices.Clone(ids), func(id enlist.ListID) bool { return !c.Key.Allows(id) })
		contacts, err := contactCountsOf(tx, c.Account.ID, ids)
		if err != nil {
			return nil, err
		}
		first, last := s.lastDays(c, days)
		counted, err := daysOfLists(tx, slices.Collect(maps.Keys(contacts)), enlist.DayOf(first.Unix(), ""))
		byList := make(map[enlist.ListID][]ListDay, len(contacts))
		for id, n := range contacts {
			byList[id] = allDays(counted[id], n, first, last)
		}
		return byList, err
	})
}

// visible returns the Lists of the Account that the caller may access.
func visible(tx *db.Tx, c *enlist.Caller) ([]enlist.List, error) {
	lists, err := OfAccount(tx, c.Account.ID)
	return slices.DeleteFunc(lists, func(l enlist.List) bool { return !c.Key.Allows(l.ID) }), err
}

// lastDays returns the first and the last of a number of days, of which the last one is today.
func (s *Service) lastDays(c *enlist.Caller, days int) (first, last time.Time) {
	last, _ = time.Parse(time.DateOnly, enlist.Today(s.db.Now(), c.Account.TimeZone))
	return last.AddDate(0, 0, 1-days), last
}

// IDs returns the IDs of Lists.
func IDs(lists []enlist.List) []enlist.ListID {
	ids := make([]enlist.ListID, len(lists))
	for i := range lists {
		ids[i] = lists[i].ID
	}
	return ids
}
