package batches

import (
	"strings"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has the option local_time: each recipient gets the mail when a clock in its own time zone shows the send
// time. The name of the zone is the value of a Field. The recipients wait in their slices: a lease puts off those whose
// time has not come, and the slice is free again when the first of them is due. reference.md: batch.local_time;
// decisions.md: 78

// Begins returns when the Batch may begin to send. With local times it begins before its send time, because the clocks
// of zones in the east show this time earlier. A Batch without a later time begins at once: if the clock was put back
// since it was added, its send time is in the future.
func (b *Batch) Begins() int64 {
	switch {
	case b.LocalTime != "":
		return max(b.SendTime-enlist.MaxZoneOffset, b.NotBefore)
	case !b.IsScheduled:
		return b.NotBefore
	}
	return max(b.SendTime, b.NotBefore)
}

// checkLocalTime checks that each List has the Field that the option local_time names.
func checkLocalTime(tx *db.Tx, name string, populations []Population) error {
	for i := range populations {
		schema, err := lists.Schema(tx, populations[i].List)
		if err != nil {
			return err
		}
		if name != "" && schema.FieldNamed(name) == nil {
			return enlist.Invalid("options", "local_time: the List "+enlist.Quoted(schema.List.Name)+" has no Field "+
				enlist.Quoted(name))
		}
	}
	return nil
}

// localClock knows when recipients of a Batch in one List are due.
type localClock struct {
	face    time.Time     // what the clocks show
	field   *enlist.Field // nil: the List has lost the Field
	account string        // time zone of recipients without a known one
	due     map[string]int64
}

// LocalClock returns the clock of a Batch. The send time is read in the Account's time zone.
func (b *Batch) LocalClock(schema *enlist.Schema, account *enlist.Account) *localClock {
	return &localClock{face: enlist.ClockAt(b.SendTime, enlist.Location(account.TimeZone)),
		field:   schema.FieldNamed(b.LocalTime),
		account: account.TimeZone, due: make(map[string]int64)}
}

// DueTime returns when a Contact is due. A clock that shows the time twice means the first time. If a clock skips the
// time, the Contact is due when the clock is put forward.
func (l *localClock) DueTime(c *enlist.Contact) int64 {
	zone := ""
	if l.field != nil {
		zone = strings.TrimSpace(c.Values.Get(l.field.ID))
	}
	due, known := l.due[zone]
	if !known {
		name := zone
		if enlist.CheckTimeZone(name) != nil {
			name = l.account
		}
		due = enlist.WhenClockShows(l.face, enlist.Location(name))
		l.due[zone] = due
	}
	return due
}
