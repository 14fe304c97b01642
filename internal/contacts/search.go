package contacts

import (
	"context"
	"errors"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// This file finds and counts Contacts. A search starts in a View. It runs again in a Search if
// it is too slow for a View, and in a Stream if its reply is too long to be buffered.

// ContactWriter receives the Contacts that SearchContacts finds.
type ContactWriter interface {
	// Begin is called before the first Contact, and again if the search starts over. If
	// streaming is false, the writer buffers the reply and may return ErrReplyTooLong. If
	// streaming is true, it may send each Contact at once.
	Begin(columns []enlist.Column, streaming bool) error
	// Contact receives one Contact. c is valid only during the call.
	Contact(c *enlist.Contact) error
}

// MaxBuffered is the largest number of Contacts that a search without criteria tries to
// buffer. If the search will find more Contacts, it runs as a stream from the start.
const MaxBuffered = 1000

// SearchContacts sends the matching Contacts of a List to w. If returned is empty, it
// sends all keys. A search becomes a stream only if its reply is too long to be buffered,
// because few streams can run at once and most replies are short. Errors: NoList, Denied,
// InvalidSearch, and Busy if too many searches or streams run or the search takes too long.
// reference.md: searchContacts, Search; decisions.md: 32, 39
func (s *Service) SearchContacts(ctx context.Context, c *enlist.Caller, list enlist.ListID, q enlist.Query,
	returned []string,
	w ContactWriter) error {
	return s.db.InPhases(ctx, c, db.LookingUp, func(tx *db.Tx, p db.Phase) error {
		schema, query, err := s.searchOf(tx, c, list, q)
		if err != nil {
			return err
		}
		planned, err := inPhase(tx, query, p)
		if err != nil {
			return err
		}
		var columns []enlist.Column
		columns, query.Columns = enlist.ColumnsOf(schema, returned)
		query.Last = true
		if err := w.Begin(columns, p == db.Streaming); err != nil {
			return err
		}
		took, err := s.find(planned, p, w.Contact)
		if !errors.Is(err, enlist.ErrReplyTooLong) {
			s.observer(tx, query, took)
		}
		return err
	})
}

// find finds Contacts, and returns the duration of the search: for a stream, the time until the first Contact. After
// that, the search may have to wait for the client.
func (s *Service) find(planned *search.Planned, p db.Phase, each func(*enlist.Contact) error) (time.Duration, error) {
	began := s.db.Now()
	took := time.Duration(-1)
	err := planned.Contacts(func(c *enlist.Contact) error {
		if p == db.Streaming && took < 0 {
			took = s.db.Now().Sub(began)
		}
		return each(c)
	})
	if took < 0 {
		took = s.db.Now().Sub(began)
	}
	return took, err
}

// CountContacts returns how many Contacts match. Errors: NoList, Denied, InvalidSearch, and
// Busy if too many searches run or the count takes too long.
func (s *Service) CountContacts(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	criteria *enlist.Criteria) (n int64, err error) {
	err = s.db.InPhases(ctx, c, db.LookingUp, func(tx *db.Tx, p db.Phase) error {
		_, query, err := s.searchOf(tx, c, list, enlist.Query{Criteria: criteria})
		if err != nil {
			return err
		}
		query.Counted = true
		planned, err := planIn(tx, query, p)
		if err != nil {
			return err
		}
		query.Last = true
		began := s.db.Now()
		n, err = planned.Count()
		s.observer(tx, query, s.db.Now().Sub(began))
		return err
	})
	return n, err
}

// searchOf returns the List and the Search of a query, if the caller may access the List.
func (s *Service) searchOf(tx *db.Tx, c *enlist.Caller, list enlist.ListID, q enlist.Query) (
	*enlist.Schema, *enlist.Search, error) {
	schema, err := lists.Load(tx, c, list)
	if err != nil {
		return nil, nil, err
	}
	search, err := TypeSearch(tx, schema, s.db.Now().Unix(), q)
	return schema, search, err
}

// inPhase plans a search that can start in a phase. Otherwise it returns ErrSlow or ErrReplyTooLong,
// after which InPhases runs the search in a later phase.
func inPhase(tx *db.Tx, query *enlist.Search, p db.Phase) (*search.Planned, error) {
	if p != db.Streaming {
		if long, err := surelyLong(tx, query); err != nil {
			return nil, err
		} else if long {
			return nil, enlist.ErrReplyTooLong
		}
	}
	return planIn(tx, query, p)
}

// planIn plans a search. A look-up without an index is ErrSlow.
func planIn(tx *db.Tx, query *enlist.Search, p db.Phase) (*search.Planned, error) {
	planned, err := search.Plan(tx, query)
	if err == nil && p == db.LookingUp && !planned.IsQuick() {
		err = db.ErrSlow
	}
	return planned, err
}

// surelyLong reports whether a search will find more than MaxBuffered Contacts: it has no
// criteria and the List is large. Then the search runs as a stream from the start.
func surelyLong(tx *db.Tx, s *enlist.Search) (bool, error) {
	if s.Where != nil || s.Limit > 0 && s.Limit <= MaxBuffered {
		return false, nil
	}
	n, err := tx.ContactCount(s.Schema.List.ID)
	return n-s.Offset > MaxBuffered, err
}

// TypeSearch checks a query of a List's Contacts and returns it as a Search. Relative dates count from the Unix time now.
// Errors are of kind InvalidSearch, also if it tests opens or clicks that were removed.
func TypeSearch(tx *db.Tx, schema *enlist.Schema, now int64, q enlist.Query) (*enlist.Search, error) {
	if q.Limit < 0 || q.Offset < 0 {
		return nil, enlist.ErrNegativePage
	}
	k := searchKeys(tx, schema, now)
	where, err := k.Condition(q.Criteria)
	if err != nil {
		return nil, err
	}
	sort, err := k.Sort(q.SortBy)
	if err != nil {
		return nil, err
	}
	if err := checkHasEvents(tx, where); err != nil {
		return nil, err
	}
	return &enlist.Search{Schema: schema, Where: where, Sort: sort, Descending: q.Descending && sort != nil,
		Limit: q.Limit, Offset: q.Offset}, nil
}

// OnlyAmong returns those of the Contacts that the search finds, in the order of ids. The search must have a condition.
// It locks no Contact.
func OnlyAmong(tx *db.Tx, query *enlist.Search, ids []enlist.ContactID) (found []enlist.ContactID, err error) {
	met, err := search.Met(tx, query.Schema, []*enlist.Condition{query.Where}, ids)
	for _, id := range ids {
		if met[id] != 0 {
			found = append(found, id)
		}
	}
	return found, err
}

// keyID is the key of the IDs of Contacts.
var keyID = &enlist.SearchKey{Name: "id", Type: enlist.KeyInt, Searchable: true}

// Contact sends the Contact with an ID to w. Errors: NoList, Denied, NoContact.
func (s *Service) Contact(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.ContactID,
	returned []string,
	w ContactWriter) error {
	return s.db.InView(ctx, c, func(tx *db.Tx) error {
		schema, err := lists.Load(tx, c, list)
		if err != nil {
			return err
		}
		contact, err := ByID(tx, list, id)
		if err != nil {
			return err
		}
		columns, _ := enlist.ColumnsOf(schema, returned)
		if err := w.Begin(columns, false); err != nil {
			return err
		}
		return w.Contact(contact)
	})
}

// CheckAccess returns an error if the caller may not access a List, or if the List does not have
// the Contact. contact 0 means no Contact. Errors: NoList, Denied, NoContact.
func (s *Service) CheckAccess(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	contact enlist.ContactID) error {
	return s.db.InView(ctx, c, func(tx *db.Tx) error {
		if contact == 0 {
			_, err := lists.Load(tx, c, list)
			return err
		}
		_, _, err := Load(tx, c, list, contact)
		return err
	})
}
