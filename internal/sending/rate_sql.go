package sending

import (
	"strings"

	"enlist/internal/db"
	"enlist/internal/pace"
)

// This file stores the token buckets that limit the mails of Batches.

func mapPace(m *db.Mapper, p *pace.Pace) {
	m.NaturalKey("domain_group", &p.Group)
	m.Value("mails", &p.Mails)
	m.Value("top", &p.Top)
	m.Value("time", &p.Time)
}

var paceTable = db.NewMapping("mail_pace", mapPace)

// LockBuckets inserts the missing buckets and returns when each is full. With concurrent writers it locks the rows in
// the order of their names, so that two transactions cannot deadlock.
func LockBuckets(tx *db.Tx, names []string) (map[string]int64, error) {
	if len(names) == 0 {
		return nil, nil
	}
	list, err := db.JSONArray(names)
	if err != nil {
		return nil, err
	}
	err = tx.Do("INSERT INTO mail_rate (name, full_time) SELECT value, 0 FROM "+tx.SQL.Items("?")+
		" WHERE true ORDER BY value ON CONFLICT DO NOTHING", list)
	if err != nil {
		return nil, err
	}
	test, arg, err := tx.OneOfTexts(names)
	if err != nil {
		return nil, err
	}
	full := make(map[string]int64, len(names))
	err = tx.Each(func(row *db.Cursor) error {
		name := row.Text()
		full[name] = row.Int()
		return nil
	}, "SELECT name, full_time FROM mail_rate WHERE name"+test+" ORDER BY name"+tx.Locking(), arg)
	return full, err
}

// Paces returns the paces of all groups.
func Paces(tx *db.Tx) ([]pace.Pace, error) { return paceTable.All(tx, "ORDER BY domain_group") }

// SetPace stores the pace of a group.
func SetPace(tx *db.Tx, p *pace.Pace) error { return paceTable.Put(tx, p) }

// LockDay inserts a missing day and returns its number of mails. With concurrent writers it locks the row.
func LockDay(tx *db.Tx, relay, day string) (int64, error) {
	err := tx.Do("INSERT INTO mail_day (relay, day, mails) VALUES (?, ?, 0) ON CONFLICT DO NOTHING", relay, day)
	if err != nil {
		return 0, err
	}
	return tx.Number("SELECT mails FROM mail_day WHERE relay = ? AND day = ?"+tx.Locking(), relay, day)
}

// daysOf returns how many mails of Batches a relay has taken on each day of a warm-up plan, by day.
func daysOf(tx *db.Tx, relay string) (map[string]int64, error) {
	days := make(map[string]int64)
	return days, tx.Each(func(row *db.Cursor) error {
		day := strings.Clone(row.Text())
		days[day] = row.Int()
		return nil
	}, "SELECT day, mails FROM mail_day WHERE relay = ?", relay)
}
