package enlist

import "time"

// This file has what a day of a List counts.

// DayCount says as what a day of a List counts a change. reference.md: listday.counts
type DayCount int8

// The counts of a day. A change of a Contact counts as at most one of the first six.
const (
	NotCounted DayCount = iota
	DayAdded
	DayConfirmed
	DayLeft
	DayBounced
	DayComplained
	DayRemoved
	DayContacts // Contacts that were stored on this day minus those that were removed
	dayCounts
)

// DayCounts are the counts of a day, by DayCount. The first one is not used.
type DayCounts [dayCounts]int64

// DayOf returns the date in a time zone as a number, such as 20260131. reference.md: listday.day
func DayOf(now int64, timeZone string) int64 {
	year, month, day := time.Unix(now, 0).In(Location(timeZone)).Date()
	return int64(year)*10_000 + int64(month)*100 + int64(day)
}

// ContactState is the state of a Contact before a transaction, and what the transaction has counted for the Contact.
// The zero value is that of a new Contact.
type ContactState struct {
	Stored, Receiving, Confirmed bool
	Counted                      DayCount
}

// State returns the present state of a stored Contact.
func (c *Contact) State() ContactState {
	return ContactState{Stored: true, Receiving: c.IsActive && !c.IsUnsubscribed, Confirmed: c.DoubleOptIn}
}

// DayCount says as what a day counts the change of a Contact since Before. What a Contact does that already got no
// mail is not counted.
func (c *Contact) DayCount() DayCount {
	now := c.State()
	switch {
	case !c.Before.Receiving && now.Receiving:
		return DayAdded
	case c.Before.Receiving && c.IsUnsubscribed && c.IsComplaint:
		return DayComplained
	case c.Before.Receiving && c.IsUnsubscribed:
		return DayLeft
	case c.Before.Receiving && !c.IsActive && c.IsBounceDeactivated:
		return DayBounced
	case c.Before.Receiving && !c.IsActive:
		return DayRemoved
	case c.Before.Stored && !c.Before.Confirmed && c.DoubleOptIn:
		return DayConfirmed
	}
	return NotCounted
}
