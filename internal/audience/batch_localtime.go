package audience

import (
	"strings"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has the option local_time: each recipient gets the mail when a clock in its own time zone shows the send
// time. The name of the zone is the value of a Field. The recipients wait in their slices: a lease puts off those whose
// time has not come, and the slice is free again when the first of them is due. reference.md: batch.local_time;
// decisions.md: 78

// begins returns when the Batch may begin to send. With local times it begins before its send time, because the clocks
// of zones in the east show this time earlier. A Batch without a later time begins at once: if the clock was put back
// since it was added, its send time is in the future.
func (b *Batch) begins() int64 {
	switch {
	case b.LocalTime != "":
		return b.SendTime - enlist.MaxZoneOffset
	case !b.IsScheduled:
		return 0
	}
	return b.SendTime
}

// checkLocalTime checks that each List has the Field that the option local_time names.
func checkLocalTime(tx *db.Tx, name string, populations []Population) error {
	for i := range populations {
		schema, err := lists.Schema(tx, populations[i].List)
		if err != nil {
			return err
		}
		if name != "" && schema.FieldNamed(name) == nil {
			return enlist.Invalid("options", "local_time: the List "+enlist.Quoted(schema.List.Name)+" has no Field "+enlist.Quoted(name))
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

// newLocalClock returns the clock of a Batch. The send time is read in the Account's time zone.
func newLocalClock(b *Batch, schema *enlist.Schema, account *enlist.Account) *localClock {
	return &localClock{face: enlist.ClockAt(b.SendTime, enlist.Location(account.TimeZone)), field: schema.FieldNamed(b.LocalTime),
		account: account.TimeZone, due: make(map[string]int64)}
}

// dueTime returns when a Contact is due. A clock that shows the time twice means the first time. If a clock skips the
// time, the Contact is due when the clock is put forward.
func (l *localClock) dueTime(c *enlist.ByID) int64 {
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

// putOff stores that those recipients of a slice wait whose time has not come. It returns the others, and since when the
// first of them is due.
func (b *Batch) putOff(tx *db.Tx, account *enlist.Account, slice *BatchSlice, all []Recipient, now int64) (due []Recipient, since int64,
	err error) {
	schema, err := lists.Schema(tx, slice.List)
	if err != nil {
		return all, now, enlist.IgnoreKind(enlist.NoList, err) // they are skipped
	}
	ids := make([]enlist.ContactID, len(all))
	for i := range all {
		ids[i] = all[i].Contact
	}
	contacts, err := contacts.AllByID(tx, slice.List, ids)
	if err != nil {
		return nil, 0, err
	}
	times := make(map[enlist.ContactID]int64, len(contacts))
	clock := newLocalClock(b, schema, account)
	for i := range contacts {
		times[contacts[i].ID] = clock.dueTime(&contacts[i])
	}
	since = now
	later := make(map[int64][]enlist.ContactID)
	for i := range all {
		at, known := times[all[i].Contact] // not known: the Contact is gone
		if at > now && all[i].Status != RecipientSending {
			later[at] = append(later[at], all[i].Contact)
			continue
		}
		due = append(due, all[i])
		if known {
			since = min(since, at)
		}
	}
	for at, ids := range later {
		if err := MarkDeferred(tx, slice.List, slice.Batch, ids, at); err != nil {
			return nil, 0, err
		}
	}
	return due, since, nil
}
