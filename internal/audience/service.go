package audience

import (
	"context"
	"sync/atomic"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/search"
)

// This file has the Service, and the checks and refusals that all its calls share.

// Service executes the calls of the API. It is safe for concurrent use.
type Service struct {
	db   *db.DB
	used keyUse

	sending pace.Settings

	observer search.Observer
	files    FileSettings
	composer Composer

	ignored atomic.Int64
}

// NewService returns a Service for a Store. now is the only clock of the Service, so that tests
// can set the time.
func NewService(store db.Engine, now func() time.Time) *Service {
	return &Service{db: &db.DB{Engine: store, Now: now, Confirm: confirm}, observer: search.NoObserver{}, files: DefaultFileSettings()}
}

// loadList returns the Schema of a List, if the caller may access the List. For a List of
// another Account it returns the same error as for an unknown List. reference.md: auth.restricted
func loadList(tx *db.Tx, c *enlist.Caller, id enlist.ListID) (*enlist.Schema, error) {
	if id <= 0 {
		return nil, enlist.ErrNoList
	}
	schema, err := Schema(tx, id)
	if err != nil {
		return nil, err
	}
	if schema.List.AccountID != c.Account.ID {
		return nil, enlist.ErrNoList
	}
	if !c.Key.Allows(id) {
		return nil, enlist.Refuse(enlist.Denied, "this key is restricted to other Lists")
	}
	return schema, nil
}

// CheckAccess returns an error if the caller may not access a List, or if the List does not have
// the Contact. contact 0 means no Contact. Errors: NoList, Denied, NoContact.
func (s *Service) CheckAccess(ctx context.Context, c *enlist.Caller, list enlist.ListID, contact enlist.ContactID) error {
	return s.db.InView(ctx, c, func(tx *db.Tx) error {
		if contact == 0 {
			_, err := loadList(tx, c, list)
			return err
		}
		_, _, err := loadContact(tx, c, list, contact)
		return err
	})
}

// IgnoredKeys returns how many keys of contact_details were ignored, because they are not the
// key of a Field. It counts from the start of the process. reference.md: subscribeContact.rule.5
func (s *Service) IgnoredKeys() int64 { return s.ignored.Load() }

// SetSearchObserver sets the SearchObserver to call. Call it before any other method.
func (s *Service) SetSearchObserver(o search.Observer) { s.observer = o }
