package audience

import (
	"sync/atomic"
	"time"
)

// This file has the Service, and the checks and refusals that all its calls share.

// Service carries out what callers ask for. It is safe for concurrent use.
type Service struct {
	store Store
	now   func() time.Time
	used  keyUse

	observer SearchObserver

	ignored atomic.Int64
}

// NewService makes a Service on a Store. now is its only clock; tests set it.
func NewService(store Store, now func() time.Time) *Service {
	return &Service{store: store, now: now, observer: noObserver{}}
}

// loadList returns the schema of a List that the caller may name.
// decisions.md: 11: a List of another Account answers like one that does not exist.
func loadList(tx ListTx, c *Caller, id ListID) (*Schema, error) {
	if id <= 0 {
		return nil, ErrNoList
	}
	schema, err := tx.Schema(id)
	if err != nil {
		return nil, err
	}
	if schema.List.AccountID != c.Account.ID {
		return nil, ErrNoList
	}
	if !c.Key.Allows(id) {
		return nil, Refuse(Denied, "this key is restricted to other Lists")
	}
	return schema, nil
}

// requireWholeAccount refuses keys that are restricted to some Lists. decisions.md: 11
func requireWholeAccount(c *Caller) error {
	if c.Key.Lists != nil {
		return Refuse(Denied, "this key is restricted to some Lists")
	}
	return nil
}

// Refusals that the rules and the Stores share, so that a record of another Account
// gets exactly the answer of one that does not exist. decisions.md: 11
var (
	ErrNoList     = Refuse(NoList, "no List with this ID")
	ErrNoContact  = Refuse(NoContact, "no Contact with this ID in the List")
	ErrNoMessage  = Refuse(NoMessage, "no Message with this ID")
	ErrNoLink     = Refuse(NoLink, "the link leads nowhere any more")
	ErrNotFound   = Refuse(NotFound, "there is no such record")
	ErrInvalidKey = Refuse(InvalidKey, "")
)

// IgnoredKeys counts the keys of contact_details that named no Field, since the
// process started. decisions.md: 20
func (s *Service) IgnoredKeys() int64 { return s.ignored.Load() }
