package audience

import "enlist/internal/pace"

// This file stores the token buckets that limit the mails of Batches.

func mapPace(m *mapper, p *pace.Pace) {
	m.naturalKey("domain_group", &p.Group)
	m.value("mails", &p.Mails)
	m.value("top", &p.Top)
	m.value("time", &p.Time)
}

var paceTable = newMapping("mail_pace", mapPace)

// LockBuckets inserts the missing buckets and returns when each is full. With concurrent writers it locks the rows in
// the order of their names, so that two transactions cannot deadlock.
func (t *Tx) LockBuckets(names []string) (map[string]int64, error) {
	if len(names) == 0 {
		return nil, nil
	}
	list, err := jsonArray(names)
	if err != nil {
		return nil, err
	}
	err = t.Do("INSERT INTO mail_rate (name, full_time) SELECT value, 0 FROM "+t.SQL.Items("?")+
		" WHERE true ORDER BY value ON CONFLICT DO NOTHING", list)
	if err != nil {
		return nil, err
	}
	test, arg, err := t.oneOfTexts(names)
	if err != nil {
		return nil, err
	}
	full := make(map[string]int64, len(names))
	err = t.each(func(row *Cursor) error {
		name := row.Text()
		full[name] = row.Int()
		return nil
	}, "SELECT name, full_time FROM mail_rate WHERE name"+test+" ORDER BY name"+t.locking(), arg)
	return full, err
}

// SetBucket stores when a bucket is full.
func (t *Tx) SetBucket(name string, full int64) error {
	return t.Do("UPDATE mail_rate SET full_time = ? WHERE name = ?", full, name)
}

// DeleteBuckets removes the buckets that were full before a time.
func (t *Tx) DeleteBuckets(before int64) error {
	return t.Do("DELETE FROM mail_rate WHERE full_time < ?", before)
}

// Paces returns the paces of all domain groups.
func (t *Tx) Paces() ([]pace.Pace, error) { return paceTable.all(t, "ORDER BY domain_group") }

// SetPace stores the pace of a domain group.
func (t *Tx) SetPace(p *pace.Pace) error { return paceTable.put(t, p) }

// LockDay inserts a missing day and returns its number of mails. With concurrent writers it locks the row.
func (t *Tx) LockDay(relay, day string) (int64, error) {
	err := t.Do("INSERT INTO mail_day (relay, day, mails) VALUES (?, ?, 0) ON CONFLICT DO NOTHING", relay, day)
	if err != nil {
		return 0, err
	}
	return t.number("SELECT mails FROM mail_day WHERE relay = ? AND day = ?"+t.locking(), relay, day)
}

// SetDay stores the number of mails of a day.
func (t *Tx) SetDay(relay, day string, mails int64) error {
	return t.Do("UPDATE mail_day SET mails = ? WHERE relay = ? AND day = ?", mails, relay, day)
}

// DeleteDays removes the days before a day.
func (t *Tx) DeleteDays(before string) error {
	return t.Do("DELETE FROM mail_day WHERE day < ?", before)
}
