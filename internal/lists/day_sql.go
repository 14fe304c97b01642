package lists

import (
	"cmp"
	"slices"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file reads and removes the counts of the days of Lists. Package db stores them, and its day.go says why in two
// tables.

// dayColumns are the columns that readDayCounts reads.
const dayColumns = "contacts, added, confirmed, unsubscribed, bounced, complained, removed"

// CountedDay has the counts of a day of a List, or of some Lists together.
type CountedDay struct {
	Day    int64 // as enlist.DayOf returns it
	Counts enlist.DayCounts
}

// CountedDays returns the counts of the days of a List from a day on, in their order, without days on which nothing was
// counted.
func CountedDays(tx *db.Tx, list enlist.ListID, from int64) (days []CountedDay, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		d := CountedDay{row.Int(), readDayCounts(row)}
		if last := len(days) - 1; last >= 0 && days[last].Day == d.Day {
			days[last].Counts = plus(days[last].Counts, d.Counts)
			return nil
		}
		days = append(days, d)
		return nil
	}, "SELECT day, "+dayColumns+" FROM list_day WHERE list_id = ?1 AND day >= ?2 UNION ALL SELECT day, "+dayColumns+
		" FROM list_day_part WHERE list_id = ?1 AND day >= ?2 ORDER BY day", int64(list), from)
	return days, err
}

// daysOfLists returns the counts of the days of Lists from a day on, as CountedDays does for one List.
func daysOfLists(tx *db.Tx, lists []enlist.ListID, from int64) (map[enlist.ListID][]CountedDay, error) {
	type listDay struct {
		list enlist.ListID
		day  int64
	}
	sums := make(map[listDay]enlist.DayCounts)
	days := make(map[enlist.ListID][]CountedDay, len(lists))
	err := eachDay(tx, "list_id, day, "+dayColumns, "", lists, from, func(row *db.Cursor) {
		key := listDay{enlist.ListID(row.Int()), row.Int()}
		sums[key] = plus(sums[key], readDayCounts(row))
	})
	for key, sum := range sums {
		days[key.list] = append(days[key.list], CountedDay{key.day, sum})
	}
	for _, ofList := range days {
		sortDays(ofList)
	}
	return days, err
}

// sumsOfLists returns the sums of the days of Lists from a day on, of each List that has any.
func sumsOfLists(tx *db.Tx, lists []enlist.ListID, from int64) (map[enlist.ListID]enlist.DayCounts, error) {
	byList := make(map[enlist.ListID]enlist.DayCounts)
	err := eachSum(tx, "list_id", lists, from, func(row *db.Cursor) {
		list := enlist.ListID(row.Int())
		byList[list] = plus(byList[list], readDayCounts(row))
	})
	return byList, err
}

// sumsOfDays returns the sums of Lists for each day from a day on that has any, in the order of the days.
func sumsOfDays(tx *db.Tx, lists []enlist.ListID, from int64) ([]CountedDay, error) {
	byDay := make(map[int64]enlist.DayCounts)
	err := eachSum(tx, "day", lists, from, func(row *db.Cursor) {
		day := row.Int()
		byDay[day] = plus(byDay[day], readDayCounts(row))
	})
	var days []CountedDay
	for day, sum := range byDay {
		days = append(days, CountedDay{day, sum})
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

func sortDays(days []CountedDay) {
	slices.SortFunc(days, func(a, b CountedDay) int { return cmp.Compare(a.Day, b.Day) })
}

// eachSum calls each with the sums of each value of the column by.
func eachSum(tx *db.Tx, by string, lists []enlist.ListID, from int64, each func(*db.Cursor)) error {
	columns := by
	for column := range strings.SplitSeq(dayColumns, ", ") {
		columns += ", CAST(sum(" + column + ") AS BIGINT)"
	}
	return eachDay(tx, columns, " GROUP BY "+by, lists, from, each)
}

// eachDay calls each with columns of list_day and then of list_day_part, of Lists from a day on: no engine sorts or
// sums the rows of a union fast.
func eachDay(tx *db.Tx, columns, group string, lists []enlist.ListID, from int64, each func(*db.Cursor)) error {
	test, ids, err := oneOfMany(tx, lists)
	if err != nil {
		return err
	}
	for _, table := range []string{"list_day", "list_day_part"} {
		err := tx.Each(func(row *db.Cursor) error {
			each(row)
			return nil
		}, "SELECT "+columns+" FROM "+table+" WHERE list_id"+test+" AND day >= ?"+group, ids, from)
		if err != nil {
			return err
		}
	}
	return nil
}

func readDayCounts(row *db.Cursor) (counts enlist.DayCounts) {
	for _, as := range []enlist.DayCount{enlist.DayContacts, enlist.DayAdded, enlist.DayConfirmed, enlist.DayLeft,
		enlist.DayBounced, enlist.DayComplained, enlist.DayRemoved} {
		counts[as] = row.Int()
	}
	return counts
}

// oneOfMany is like db.OneOfIDs, for a table whose primary key begins with the ID. PostgreSQL counts the IDs of an
// array, and would read the whole table for a thousand of them, with parallel workers that take longer to start. It
// does not count the rows of a subquery.
func oneOfMany(tx *db.Tx, ids []enlist.ListID) (test string, arg any, err error) {
	test, arg, err = db.OneOfIDs(tx, ids)
	if tx.SQL.Arrays {
		test = " = ANY(ARRAY(SELECT unnest(CAST(? AS BIGINT[]))))"
	}
	return test, arg, err
}
