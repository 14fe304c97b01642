package db

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"enlist/internal/enlist"
)

// This file stores the counts of the days of Lists, in the transaction that changes Contacts. With concurrent writers,
// a transaction inserts a row of list_day_part for each List and day: transactions that update one row of list_day
// would wait for each other until they commit. CompactDays adds these rows to list_day later. decisions.md: 130

// listDay identifies a day of a List.
type listDay struct {
	list enlist.ListID
	day  int64
}

const (
	dayChanges = "added, confirmed, unsubscribed, bounced, complained, removed"
	dayColumns = "contacts, " + dayChanges
)

const (
	addToDay = "INSERT INTO list_day (list_id, day, " + dayColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (list_id, day) DO UPDATE SET ` + addedToDay
	addDayPart = "INSERT INTO list_day_part (list_id, day, contacts, " + dayChanges +
		", part) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
	addedToDay = `contacts = list_day.contacts + excluded.contacts,
		added = list_day.added + excluded.added, confirmed = list_day.confirmed + excluded.confirmed,
		unsubscribed = list_day.unsubscribed + excluded.unsubscribed, bounced = list_day.bounced + excluded.bounced,
		complained = list_day.complained + excluded.complained, removed = list_day.removed + excluded.removed`
)

// addDeltaAndPart inserts the rows of most transactions, which add Contacts to one List on one day. One statement takes
// less time than two.
const addDeltaAndPart = "WITH delta AS (" + addDelta + ") INSERT INTO list_day_part (list_id, day, contacts, " +
	dayChanges + ", part) VALUES (?1, ?4, ?3, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"

// CompactDays adds the rows of list_day_part to list_day and deletes them, in one statement.
const CompactDays = "WITH gone AS (DELETE FROM list_day_part RETURNING list_id, day, " + dayColumns + `)
	INSERT INTO list_day (list_id, day, ` + dayColumns + `)
	SELECT list_id, day, sum(contacts), sum(added), sum(confirmed), sum(unsubscribed), sum(bounced), sum(complained),
		sum(removed) FROM gone GROUP BY list_id, day
	ON CONFLICT (list_id, day) DO UPDATE SET ` + addedToDay

// writeDays writes the changes of each day. lists has the changes of the counters. If writeDays writes one of these
// too, it sets its Added to 0.
func writeDays(conn Conn, counts []ContactCount, lists map[enlist.ListID]*ContactCount) error {
	for key, sum := range sumDays(counts) {
		sum[enlist.NotCounted] = 0
		if *sum == (enlist.DayCounts{}) {
			continue
		}
		id, contacts, list := int64(key.list), sum[enlist.DayContacts], lists[key.list]
		statement, args := addToDay, make([]any, 0, 11)
		switch {
		case !conn.Dialect().ConcurrentWriters:
			args = append(args, id, key.day, contacts)
		case contacts != 0 && contacts == list.Added:
			statement, args = addDeltaAndPart, append(args, id, int64(list.Account), contacts, key.day)
			list.Added = 0
		default:
			statement, args = addDayPart, append(args, id, key.day, contacts)
		}
		for _, n := range sum[enlist.DayAdded:enlist.DayContacts] {
			args = append(args, n)
		}
		if conn.Dialect().ConcurrentWriters {
			args = append(args, rand.Int64())
		}
		if err := conn.Do(statement, args...); err != nil {
			return err
		}
	}
	return nil
}

// sumDays returns the changes of each day.
func sumDays(counts []ContactCount) map[listDay]*enlist.DayCounts {
	days := make(map[listDay]*enlist.DayCounts)
	for i := range counts {
		c := &counts[i]
		if c.Day == 0 {
			continue
		}
		key := listDay{c.List, c.Day}
		sum := days[key]
		if sum == nil {
			sum = new(enlist.DayCounts)
			days[key] = sum
		}
		sum[enlist.DayContacts] += c.Added
		sum[c.As] += c.Times
	}
	return days
}

// ListDay has the counts of a day of a List.
type ListDay struct {
	Day    int64 // as enlist.DayOf returns it
	Counts enlist.DayCounts
}

// ListDays returns the counts of the days of a List from a day on, in their order, without days on which nothing was
// counted.
func (t *Tx) ListDays(list enlist.ListID, from int64) (days []ListDay, err error) {
	err = t.Each(func(row *Cursor) error {
		d := ListDay{Day: row.Int()}
		d.Counts = readDayCounts(row)
		if last := len(days) - 1; last >= 0 && days[last].Day == d.Day {
			for as, n := range d.Counts {
				days[last].Counts[as] += n
			}
			return nil
		}
		days = append(days, d)
		return nil
	}, "SELECT day, "+dayColumns+" FROM list_day WHERE list_id = ?1 AND day >= ?2 UNION ALL SELECT day, "+dayColumns+
		" FROM list_day_part WHERE list_id = ?1 AND day >= ?2 ORDER BY day", int64(list), from)
	return days, err
}

// DaysOfLists returns the counts of the days of Lists from a day on, as ListDays does for one List.
func (t *Tx) DaysOfLists(lists []enlist.ListID, from int64) (map[enlist.ListID][]ListDay, error) {
	sums := make(map[listDay]enlist.DayCounts)
	days := make(map[enlist.ListID][]ListDay, len(lists))
	err := t.eachDay("list_id, day, "+dayColumns, "", lists, from, func(row *Cursor) {
		key := listDay{enlist.ListID(row.Int()), row.Int()}
		sums[key] = plus(sums[key], readDayCounts(row))
	})
	for key, sum := range sums {
		days[key.list] = append(days[key.list], ListDay{key.day, sum})
	}
	for _, all := range days {
		sortDays(all)
	}
	return days, err
}

// SumsOfLists returns the sums of the days of Lists from a day on, of each List that has any.
func (t *Tx) SumsOfLists(lists []enlist.ListID, from int64) (map[enlist.ListID]enlist.DayCounts, error) {
	byList := make(map[enlist.ListID]enlist.DayCounts)
	err := t.eachSum("list_id", lists, from, func(row *Cursor) {
		list := enlist.ListID(row.Int())
		byList[list] = plus(byList[list], readDayCounts(row))
	})
	return byList, err
}

// SumsOfDays returns the sums of Lists for each day from a day on that has any, in the order of the days.
func (t *Tx) SumsOfDays(lists []enlist.ListID, from int64) ([]ListDay, error) {
	byDay := make(map[int64]enlist.DayCounts)
	err := t.eachSum("day", lists, from, func(row *Cursor) {
		day := row.Int()
		byDay[day] = plus(byDay[day], readDayCounts(row))
	})
	var days []ListDay
	for day, sum := range byDay {
		days = append(days, ListDay{day, sum})
	}
	sortDays(days)
	return days, err
}

func plus(a, b enlist.DayCounts) enlist.DayCounts {
	for i := range a {
		a[i] += b[i]
	}
	return a
}

func sortDays(days []ListDay) {
	slices.SortFunc(days, func(a, b ListDay) int { return cmp.Compare(a.Day, b.Day) })
}

// eachSum calls each with the sums of each value of the column by.
func (t *Tx) eachSum(by string, lists []enlist.ListID, from int64, each func(*Cursor)) error {
	columns := by
	for column := range strings.SplitSeq(dayColumns, ", ") {
		columns += ", CAST(sum(" + column + ") AS BIGINT)"
	}
	return t.eachDay(columns, " GROUP BY "+by, lists, from, each)
}

// eachDay calls each with columns of list_day and then of list_day_part, of Lists from a day on: no engine sorts or sums
// the rows of a union fast.
func (t *Tx) eachDay(columns, group string, lists []enlist.ListID, from int64, each func(*Cursor)) error {
	test, ids, err := oneOfMany(t, lists)
	if err != nil {
		return err
	}
	for _, table := range []string{"list_day", "list_day_part"} {
		err := t.Each(func(row *Cursor) error {
			each(row)
			return nil
		}, "SELECT "+columns+" FROM "+table+" WHERE list_id"+test+" AND day >= ?"+group, ids, from)
		if err != nil {
			return err
		}
	}
	return nil
}

// readDayCounts reads the columns dayColumns.
func readDayCounts(row *Cursor) (counts enlist.DayCounts) {
	for _, as := range []enlist.DayCount{enlist.DayContacts, enlist.DayAdded, enlist.DayConfirmed, enlist.DayLeft,
		enlist.DayBounced, enlist.DayComplained, enlist.DayRemoved} {
		counts[as] = row.Int()
	}
	return counts
}

// RemoveDays removes the days of a List.
func (t *Tx) RemoveDays(list enlist.ListID) error {
	for _, table := range []string{"list_day", "list_day_part", "list_day_fill"} {
		if err := t.Do("DELETE FROM "+table+" WHERE list_id = ?", int64(list)); err != nil {
			return err
		}
	}
	return nil
}
