package accounts

import (
	"context"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has what a person does with the own Account. account.go has the rest, for the operator. decisions.md: 138

// OwnAccount is the caller's Account.
type OwnAccount struct {
	enlist.Account
	Contacts int64 // in all Lists, which count for the limit
}

// requireAccount refuses callers who may not administer their Account. Errors: Denied.
func requireAccount(c *enlist.Caller) error {
	if c.Key.Level < enlist.Full {
		return enlist.Refuse(enlist.Denied, "only the level full may administer the Account")
	}
	return enlist.RequireWholeAccount(c)
}

// OwnAccount returns the caller's Account. Errors: Denied.
func (s *Service) OwnAccount(ctx context.Context, c *enlist.Caller) (*OwnAccount, error) {
	if err := requireAccount(c); err != nil {
		return nil, err
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*OwnAccount, error) {
		a, err := ByID(tx, c.Account.ID)
		if err != nil {
			return nil, err
		}
		n, err := tx.AccountContacts(a.ID)
		return &OwnAccount{*a, n}, err
	})
}

// EditOwnAccount changes the name and the time zone of the caller's Account. Errors: Denied, and InvalidParameters
// about name or timezone.
func (s *Service) EditOwnAccount(ctx context.Context, c *enlist.Caller, name, zone string) error {
	if err := requireAccount(c); err != nil {
		return err
	}
	var wrong []*enlist.Error
	name, err := enlist.ReadName(name)
	if err != nil {
		wrong = append(wrong, enlist.Invalid("name", err.Error()))
	}
	zone = strings.TrimSpace(zone)
	if enlist.CheckTimeZone(zone) != nil {
		wrong = append(wrong, enlist.Invalid("timezone", enlist.Expected("an IANA time zone, such as Europe/Berlin").Error()))
	}
	if err := enlist.Together(wrong); err != nil {
		return err
	}
	return s.EditAccount(WithActor(ctx, c.Actor), c.Account.ID,
		func(a *enlist.Account) { a.Name, a.TimeZone = name, zone })
}
