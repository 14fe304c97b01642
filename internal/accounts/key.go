package accounts

import (
	"context"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the methods with which the operator administers API keys.

// KeyDetails describe a new key. reference.md: auth.issue, auth.levels
type KeyDetails struct {
	Account enlist.AccountID
	Name    string
	Level   enlist.Level
	Lists   []enlist.ListID // the only Lists that the key may access; empty: all
	Expiry  int64           // Unix time; 0: never
	Rate    enlist.CallRate
	Strict  bool // refuse calls with a key that means nothing
}

// AddKey adds a key and returns its text, which is shown once and not stored. Errors:
// InvalidParameters, NoList.
func (s *Service) AddKey(ctx context.Context, d KeyDetails) (*enlist.Key, string, error) {
	text := enlist.NewKeyText()
	key, err := s.addKey(ctx, d, text)
	return key, text, err
}

func (s *Service) addKey(ctx context.Context, d KeyDetails, text string) (*enlist.Key, error) {
	name, err := operatorText("key", d.Name)
	if err != nil {
		return nil, err
	}
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*enlist.Key, error) {
		if d.Expiry != 0 && d.Expiry <= now {
			return nil, enlist.Invalid("expires", "the key would expire in the past")
		}
		lists, err := CheckLists(tx, d.Account, d.Lists)
		if err != nil {
			return nil, err
		}
		k := &enlist.Key{AccountID: d.Account, Name: name, Prefix: text[:8], Level: d.Level, Lists: lists, Rate: d.Rate,
			IsStrict: d.Strict, CreationTime: now, ExpiryTime: d.Expiry}
		if err := AddKey(tx, k, enlist.HashKey(text)); err != nil {
			return nil, err
		}
		return k, AuditKeyChange(k, ctx, tx, now, nil)
	})
}

// Keys returns the keys of all Accounts in order of ID, including revoked keys.
func (s *Service) Keys(ctx context.Context) ([]enlist.Key, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) ([]enlist.Key, error) { return Keys(tx, 0) })
}

// RevokeKey makes a key invalid from now on. Errors: InvalidKey if no key has the ID.
func (s *Service) RevokeKey(ctx context.Context, id enlist.KeyID) error {
	return s.editKey(ctx, id, 0, func(tx *db.Tx, _ *enlist.Key, now int64) error { return RevokeKey(tx, id, now) })
}

// KeyEdit is what EditKey changes of a key. A nil value stays.
type KeyEdit struct {
	Name   *string
	Rate   *enlist.CallRate
	Strict *bool
}

// EditKey changes a key. Its level and its Lists never change: a program that has the key may rely on them. Errors:
// InvalidParameters, and InvalidKey if no key has the ID.
func (s *Service) EditKey(ctx context.Context, id enlist.KeyID, edit KeyEdit) error {
	return s.changeKey(ctx, id, 0, edit)
}

// changeKey is EditKey for a key of an Account; 0: of any.
func (s *Service) changeKey(ctx context.Context, id enlist.KeyID, account enlist.AccountID, edit KeyEdit) error {
	if edit.Name != nil {
		name, err := operatorText("key", *edit.Name)
		if err != nil {
			return err
		}
		edit.Name = &name
	}
	return s.editKey(ctx, id, account, func(tx *db.Tx, k *enlist.Key, _ int64) error {
		changed := *k
		if edit.Name != nil {
			changed.Name = *edit.Name
		}
		if edit.Rate != nil && *edit.Rate != k.Rate {
			if account != 0 {
				if err := s.checkRate(account, *edit.Rate); err != nil {
					return err
				}
			}
			changed.Rate = *edit.Rate
		}
		if edit.Strict != nil {
			changed.IsStrict = *edit.Strict
		}
		return UpdateKey(tx, &changed)
	})
}

// editKey runs edit with the key, and adds a row to the audit log. Errors: InvalidKey if no key of the Account has the
// ID (account 0: of any), and those of edit.
func (s *Service) editKey(ctx context.Context, id enlist.KeyID, account enlist.AccountID,
	edit func(tx *db.Tx, k *enlist.Key, now int64) error) error {
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		before, err := KeyByID(tx, id)
		if err != nil {
			return err
		}
		if account != 0 && before.AccountID != account {
			return enlist.ErrInvalidKey
		}
		if err := edit(tx, before, now); err != nil {
			return err
		}
		after, err := KeyByID(tx, id)
		if err != nil {
			return err
		}
		return AuditKeyChange(after, ctx, tx, now, keyValues(before))
	})
}

// AuditKeyChange adds a row to the audit log. before has the values of the key before the change; nil: it is new.
func AuditKeyChange(k *enlist.Key, ctx context.Context, tx *db.Tx, now int64, before AuditValues) error {
	c := OperatorIn(ctx, &enlist.Account{ID: k.AccountID})
	return Audit(tx, c, now, AuditObject{"Key", int64(k.ID), 0}, before, keyValues(k))
}

// keyValues returns the values of a key, without its text.
func keyValues(k *enlist.Key) AuditValues {
	values := AuditValues{"name": k.Name, "level": k.Level.String(), "expiry_time": k.ExpiryTime,
		"revoked_time": k.RevokedTime, "rate": k.Rate.String()}
	values["strict"] = k.IsStrict
	if k.Lists != nil {
		AuditIDs(values, "lists", k.Lists)
	}
	return values
}

// CheckLists refuses Lists that do not belong to the Account. It returns the Lists sorted and
// without repetitions, or nil if there are none.
func CheckLists(tx *db.Tx, account enlist.AccountID, lists []enlist.ListID) ([]enlist.ListID, error) {
	if _, err := FindAccount(tx, account); err != nil || len(lists) == 0 {
		return nil, err
	}
	for _, id := range lists {
		owner, err := tx.Number("SELECT account_id FROM list WHERE id = ? AND hidden = 0", int64(id))
		if err != nil {
			return nil, err
		}
		if enlist.AccountID(owner) != account {
			return nil, enlist.Refuse(enlist.NoList, "Account %d has no List with ID %d", account, id)
		}
	}
	lists = slices.Clone(lists)
	slices.Sort(lists)
	return slices.Compact(lists), nil
}
