package db

import (
	"math/rand/v2"

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
