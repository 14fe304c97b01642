package contacts

import "enlist/internal/enlist"

// Candidate is a Contact of a population, with the values that decide whether it becomes a recipient.
type Candidate struct {
	ID                                      enlist.ContactID
	Key                                     string // normalised address
	IsActive, IsUnsubscribed, IsDoubleOptIn bool
}
