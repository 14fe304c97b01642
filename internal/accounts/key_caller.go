package accounts

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has what a person does with the keys of an Account. key.go has the same for the operator. A key must not
// give a person more than the person may do.

// requireKeys refuses callers who may not administer keys. Errors: Denied.
func requireKeys(c *enlist.Caller) error {
	if !c.May(enlist.Administer) {
		return enlist.Refuse(enlist.Denied, "only an owner, or a key of the level full, may administer keys")
	}
	return enlist.RequireWholeAccount(c)
}

// AccountKeys returns the keys of the caller's Account in order of ID, including revoked keys. Errors: Denied.
func (s *Service) AccountKeys(ctx context.Context, c *enlist.Caller) ([]enlist.Key, error) {
	if err := requireKeys(c); err != nil {
		return nil, err
	}
	return db.OwnView(ctx, s.db, func(tx *db.Tx) ([]enlist.Key, error) { return Keys(tx, c.Account.ID) })
}

// AccountKey returns a key of the caller's Account. Errors: Denied, and InvalidKey for any other key.
func (s *Service) AccountKey(ctx context.Context, c *enlist.Caller, id enlist.KeyID) (*enlist.Key, error) {
	if err := requireKeys(c); err != nil {
		return nil, err
	}
	k, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (*enlist.Key, error) { return KeyByID(tx, id) })
	if err == nil && k.AccountID != c.Account.ID {
		return nil, enlist.ErrInvalidKey
	}
	return k, err
}

// AddAccountKey is AddKey for the caller's Account. Errors: Denied, NoList, and InvalidParameters, also if the key may
// send and the caller may not, or if the rate is above that of the server.
func (s *Service) AddAccountKey(ctx context.Context, c *enlist.Caller, d KeyDetails) (*enlist.Key, string, error) {
	if err := requireKeys(c); err != nil {
		return nil, "", err
	}
	if !c.May(enlist.Send) && d.Level > enlist.Read {
		return nil, "", enlist.Invalid("level", "a key of this level may send, and you may not: choose read")
	}
	if err := s.checkRate(c.Account.ID, d.Rate); err != nil {
		return nil, "", err
	}
	d.Account = c.Account.ID
	return s.AddKey(WithActor(ctx, c.Actor), d)
}

// checkRate refuses a rate that is above the setting key-rate: the operator protects the server with it. The operator
// may give a key any rate.
func (s *Service) checkRate(account enlist.AccountID, rate enlist.CallRate) error {
	most := s.Settings().Of(account).KeyRate
	if most.Calls <= 0 || rate == (enlist.CallRate{}) ||
		rate.Calls > 0 && rate.Interval() >= most.Interval() && rate.Burst <= most.Burst {
		return nil
	}
	return enlist.Invalid("rate", "this server allows a key at most "+most.String()+
		": only the operator allows more, with enlist key rate")
}

// EditAccountKey is EditKey for a key of the caller's Account. A rate that the operator has set may stay. Errors:
// Denied, InvalidParameters, also for a new rate above that of the server, and InvalidKey for any other key.
func (s *Service) EditAccountKey(ctx context.Context, c *enlist.Caller, id enlist.KeyID, edit KeyEdit) error {
	if err := requireKeys(c); err != nil {
		return err
	}
	return s.changeKey(WithActor(ctx, c.Actor), id, c.Account.ID, edit)
}

// RevokeAccountKey is RevokeKey for a key of the caller's Account. Errors: Denied, and InvalidKey for any other key.
func (s *Service) RevokeAccountKey(ctx context.Context, c *enlist.Caller, id enlist.KeyID) error {
	if err := requireKeys(c); err != nil {
		return err
	}
	return s.editKey(WithActor(ctx, c.Actor), id, c.Account.ID,
		func(tx *db.Tx, _ *enlist.Key, now int64) error { return RevokeKey(tx, id, now) })
}
