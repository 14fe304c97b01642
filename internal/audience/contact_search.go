package audience

import (
	"context"
	"errors"
	"time"
)

// This file finds and counts Contacts. A search starts as a look-up, and moves on to a
// slower kind of transaction only when it turns out to need one.

// ContactAttributes are the system keys of a Contact record: id first, then
// the others in the specification's order. specification: Contact
var ContactAttributes = []Attribute[Contact]{
	searchable(readOnlyInt("id", func(c *Contact) ContactID { return c.ID })),
	searchable(readOnlyInt("creation_time", func(c *Contact) int64 { return c.Created })),
	searchable(readOnlyFlag("double_opt_in", func(c *Contact) bool { return c.DoubleOptIn })),
	searchable(readOnlyInt("double_opt_in_time", func(c *Contact) int64 { return c.DoubleOptInTime })),
	searchable(readOnlyFlag("is_active", func(c *Contact) bool { return c.IsActive })),
	searchable(readOnlyFlag("is_bounce_deactivated", func(c *Contact) bool { return c.IsBounceDeactivated })),
	searchable(readOnlyFlag("is_unsubscribed", func(c *Contact) bool { return c.IsUnsubscribed })),
	searchable(readOnlyInt("last_click_time", func(c *Contact) int64 { return c.LastClickTime })),
	searchable(readOnlyInt("last_modified_time", func(c *Contact) int64 { return c.Modified })),
	searchable(readOnlyInt("last_message_time", func(c *Contact) int64 { return c.LastMessageTime })),
	searchable(readOnlyInt("last_open_time", func(c *Contact) int64 { return c.LastOpenTime })),
	searchable(readOnlyText("subscribed_via", func(c *Contact) string { return c.SubscribedVia })),
	searchable(readOnlyInt("webform_id", func(c *Contact) int64 { return c.WebformID })),
}

// contactKeys are the system keys that searches of Contacts may name.
var contactKeys = attributeKeys(ContactAttributes)

// Column is one key of the Contacts that a search returns: a Field or a system key.
type Column struct {
	Name   string // as the caller asked for it
	Field  *Field // nil for a system key
	System *Attribute[Contact]
}

// ContactWriter receives what SearchContacts finds.
type ContactWriter interface {
	// Begin comes first, and again when the search starts over. While streaming is
	// false the writer buffers the reply and may return ErrReplyTooLong. When it is
	// true the writer may send as it goes.
	Begin(columns []Column, streaming bool) error
	// Contact receives one Contact. c is valid only during the call.
	Contact(c *Contact) error
}

// ErrReplyTooLong is what a ContactWriter returns when the reply is too long to be
// buffered. The search starts over as a stream.
var ErrReplyTooLong = errors.New("reply too long to buffer")

// maxBuffered is how many Contacts a search without criteria may find and still be
// buffered at first.
const maxBuffered = 1000

// SearchContacts finds Contacts of a List. Without returned names it returns all keys.
// A search becomes a stream when its reply is too long to be buffered. Most clients
// that set no limit get short replies, and do not wait for one of the few streams.
// Errors: NoList, Denied, InvalidSearch, and Busy when too many searches
// or streams run, or it takes too long. specification: searchContacts; decisions.md: 32–40
func (s *Service) SearchContacts(ctx context.Context, c *Caller, list ListID, q Query, returned []string,
	w ContactWriter) error {
	find := func(tx Tx, p phase) error {
		schema, search, err := searchOf(tx, c, list, q)
		if err != nil {
			return err
		}
		if err := p.allows(tx, search); err != nil {
			return err
		}
		var columns []Column
		columns, search.Columns = columnsOf(schema, returned)
		search.Last = true
		if err := w.Begin(columns, p == streaming); err != nil {
			return err
		}
		return s.search(tx, search, p, w.Contact)
	}
	return s.inPhases(ctx, c, find)
}

// search finds Contacts, and tells the index advisor how long that took.
func (s *Service) search(tx Tx, search *Search, p phase, each func(*Contact) error) error {
	began := s.now()
	took := time.Duration(-1)
	if p == streaming { // after the first Contact the search waits for the client
		send := each
		each = func(c *Contact) error {
			if took < 0 {
				took = s.now().Sub(began)
			}
			return send(c)
		}
	}
	err := tx.SearchContacts(search, each)
	if errors.Is(err, ErrReplyTooLong) {
		return err
	}
	now := s.now()
	if took < 0 {
		took = now.Sub(began)
	}
	s.observer.SearchRan(search, took, now)
	return err
}

// CountContacts counts the Contacts that match. Errors: NoList, Denied,
// InvalidSearch, and Busy when too many searches run.
func (s *Service) CountContacts(ctx context.Context, c *Caller, list ListID, criteria *Criteria) (n int64, err error) {
	err = s.inPhases(ctx, c, func(tx Tx, p phase) error {
		_, search, err := searchOf(tx, c, list, Query{Criteria: criteria})
		if err != nil {
			return err
		}
		search.Counted = true
		if p == lookingUp && !tx.AnsweredByIndex(search) {
			return errSlow
		}
		search.Last = true
		began := s.now()
		n, err = tx.CountContacts(search)
		now := s.now()
		s.observer.SearchRan(search, now.Sub(began), now)
		return err
	})
	return n, err
}

// searchOf makes the Search of a query, in a List that the caller may name.
func searchOf(tx Tx, c *Caller, list ListID, q Query) (*Schema, *Search, error) {
	schema, err := loadList(tx, c, list)
	if err != nil {
		return nil, nil, err
	}
	search, err := typeSearch(schema, q)
	return schema, search, err
}

// phase is the kind of transaction in which a search runs. The search moves on when it
// is too slow or its reply too long for its phase, so that look-ups of other callers
// do not wait for it.
type phase int

// The phases, in the order in which a search may pass through them.
const (
	lookingUp phase = iota // in a View: an index answers, and the reply is short
	searching              // in a Search: the reply is short
	streaming              // in a Stream
)

// errSlow ends a View whose search has no index.
var errSlow = errors.New("the search may look at every Contact")

// inPhases runs find in a View, and again in a Search or a Stream when it asks for that.
func (s *Service) inPhases(ctx context.Context, c *Caller, find func(Tx, phase) error) error {
	in := func(p phase) func(Tx) error {
		return confirmed(c, func(tx Tx) error { return find(tx, p) })
	}
	err := s.store.View(ctx, in(lookingUp))
	if errors.Is(err, errSlow) {
		err = s.store.Search(ctx, in(searching))
	}
	if errors.Is(err, ErrReplyTooLong) {
		err = s.store.Stream(ctx, in(streaming))
	}
	return err
}

// allows returns an error when a search has to move on before it begins.
func (p phase) allows(tx Tx, search *Search) error {
	if p == streaming {
		return nil
	}
	long, err := surelyLong(tx, search)
	switch {
	case err != nil:
		return err
	case long:
		return ErrReplyTooLong
	case p == lookingUp && !tx.AnsweredByIndex(search):
		return errSlow
	}
	return nil
}

// surelyLong reports whether a search will find many Contacts: it has no criteria and
// the List is large. That saves a search that would start over as a stream.
func surelyLong(tx ListTx, s *Search) (bool, error) {
	if s.Where != nil || s.Limit > 0 && s.Limit <= maxBuffered {
		return false, nil
	}
	n, err := tx.ContactCount(s.Schema.List.ID)
	return n-s.Offset > maxBuffered, err
}

// typeSearch types a query of a List's Contacts. Errors are of kind InvalidSearch.
func typeSearch(schema *Schema, q Query) (*Search, error) {
	if q.Limit < 0 || q.Offset < 0 {
		return nil, errNegativePage
	}
	k := keys{system: contactKeys, schema: schema}
	where, err := k.condition(q.Criteria)
	if err != nil {
		return nil, err
	}
	sort, err := k.sort(q.SortBy)
	if err != nil {
		return nil, err
	}
	return &Search{Schema: schema, Where: where, Sort: sort, Descending: q.Descending && sort != nil,
		Limit: q.Limit, Offset: q.Offset}, nil
}

// errNegativePage refuses a page, in searches of Contacts and of other records.
var errNegativePage = Refuse(InvalidSearch, "limit and offset must be 0 or more")

// Contact finds one Contact by its ID. NoContact when the List has none.
func (s *Service) Contact(ctx context.Context, c *Caller, list ListID, id ContactID, returned []string,
	w ContactWriter) error {
	return s.inView(ctx, c, func(tx Tx) error {
		schema, err := loadList(tx, c, list)
		if err != nil {
			return err
		}
		contact, err := tx.Contact(list, id)
		if err != nil {
			return err
		}
		columns, _ := columnsOf(schema, returned)
		if err := w.Begin(columns, false); err != nil {
			return err
		}
		return w.Contact(contact)
	})
}

// SearchTx finds Contacts by criteria, in a transaction.
type SearchTx interface {
	// SearchContacts calls each with the Contacts that s finds, in its order. c is
	// valid only during the call. An error of each ends the search and is returned.
	SearchContacts(s *Search, each func(c *Contact) error) error
	// CountContacts counts the Contacts that match s.Where; the rest of s is ignored.
	CountContacts(s *Search) (int64, error)
	// AnsweredByIndex reports whether an index keeps the number of Contacts small
	// that the search or count has to read.
	AnsweredByIndex(s *Search) bool
}
