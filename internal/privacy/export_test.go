package privacy

import (
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/events"
	"enlist/internal/messages"
)

// PersonColumns returns the columns of each table that an export contains.
func PersonColumns() map[string][]string {
	all := make(map[string][]string)
	for _, t := range []*db.PersonTable{&contacts.PersonContacts, &contacts.PersonConsents, &contacts.PersonDepartures,
		&contacts.PersonEntries, &messages.PersonMails, &batches.PersonMails, &batches.PersonEvents, &events.PersonEvents} {
		all[t.Name] = t.Names()
	}
	return all
}
