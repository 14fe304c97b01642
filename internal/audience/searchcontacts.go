package audience

import (
	"context"
	"errors"
)

// ContactAttributes are the system keys of a Contact record: id first, then
// the others in the specification's order.
var ContactAttributes []Attribute[Contact]

// Column is one key of the Contacts that a search returns: a Field or a system key.
type Column struct {
	Name   string // as the caller asked for it
	Field  *Field // nil for a system key
	System *Attribute[Contact]
}

// ContactWriter takes what SearchContacts finds. Begin comes first, and again
// when the search starts over; a Contact is only good during the call. While
// streaming is false the writer holds the reply and may return ErrLong; when it
// is true it may send as it goes.
type ContactWriter interface {
	Begin(columns []Column, streaming bool) error
	Contact(c *Contact) error
}

// ErrLong is what a ContactWriter returns when the reply has outgrown what may
// be held in memory: the search starts over as a stream, in which the writer
// may send as it goes.
var ErrLong = errors.New("reply too long to hold")

// SearchContacts finds Contacts of a List. returned nil means all. Searches
// without a limit or with one over 1,000 are streams from the start.
func (s *Service) SearchContacts(ctx context.Context, c *Caller, list ListID, q Query, returned []string, w ContactWriter) error {
	panic("being written")
}

// CountContacts counts the Contacts that match.
func (s *Service) CountContacts(ctx context.Context, c *Caller, list ListID, criteria *Criteria) (int64, error) {
	panic("being written")
}

// Contact finds one Contact by its ID.
func (s *Service) Contact(ctx context.Context, c *Caller, list ListID, id ContactID, returned []string, w ContactWriter) error {
	panic("being written")
}

// UnsubscriberAttributes are the keys of an Unsubscriber List record, in their order.
var UnsubscriberAttributes []Attribute[Unsubscriber]

// SearchUnsubscribers returns rows of the Unsubscriber List; list 0 means all Lists that the key may see.
func (s *Service) SearchUnsubscribers(ctx context.Context, c *Caller, list ListID, q Query) ([]Unsubscriber, error) {
	panic("being written")
}
