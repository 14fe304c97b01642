package app

import (
	"context"
	"strconv"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file adds the records that a server needs at its start. It fills an empty database, so that
// the first start prints a key that works.

// FirstListName is the name of the List that Bootstrap adds.
const FirstListName = "First List"

// Bootstrapped is the result of Bootstrap.
type Bootstrapped struct {
	Account enlist.AccountID
	List    enlist.ListID
	Key     string // text of the new key, of level Full; shown once
}

// Bootstrap adds the records that a first call needs to a database without keys: an Account, a
// List and a key of level Full. The text of the key is keyText, or a new random text if keyText is
// "". If the database has a key, even a revoked one, Bootstrap adds no such record and returns nil.
func (s *App) Bootstrap(ctx context.Context, keyText string) (*Bootstrapped, error) {
	if keyText == "" {
		keyText = enlist.NewKeyText()
	}
	return db.OwnUpdate(ctx, s.DB, func(tx *db.Tx, now int64) (*Bootstrapped, error) {
		keys, err := accounts.Keys(tx, 0)
		if err != nil || len(keys) > 0 {
			return nil, err
		}
		first := &Bootstrapped{Key: keyText}
		return first, s.fill(ctx, tx, now, first)
	})
}

// fill adds the key. It also adds an Account and a List if the database has none.
func (s *App) fill(ctx context.Context, tx *db.Tx, now int64, f *Bootstrapped) error {
	account, err := firstAccount(ctx, tx, now, s.Accounts.NewZone())
	if err != nil {
		return err
	}
	f.Account = account.ID
	f.List, err = firstList(tx, accounts.OperatorIn(ctx, account), now, s.Accounts.Settings().Of(account.ID).ListCountry())
	if err != nil {
		return err
	}
	key := enlist.Key{AccountID: f.Account, Name: "first key", Prefix: f.Key[:8], Level: enlist.Full, CreationTime: now}
	if err := accounts.AddKey(tx, &key, enlist.HashKey(f.Key)); err != nil {
		return err
	}
	return accounts.AuditKeyChange(&key, ctx, tx, now, nil)
}

// firstAccount returns the Account with the lowest ID. If there is no Account, it adds one.
func firstAccount(ctx context.Context, tx *db.Tx, now int64, zone string) (*enlist.Account, error) {
	known, err := accounts.All(tx)
	if err != nil {
		return nil, err
	}
	if len(known) > 0 {
		return &known[0], nil
	}
	a := &enlist.Account{Name: "First Account", TimeZone: zone, ContactLimit: enlist.NoContactLimit, CreationTime: now}
	if err := accounts.Insert(tx, a); err != nil {
		return nil, err
	}
	return a, accounts.AuditAccountChange(a, ctx, tx, now, nil)
}

// firstList returns the Account's List with the lowest ID. If there is no List, it adds one.
func firstList(tx *db.Tx, c *enlist.Caller, now, countryCode int64) (enlist.ListID, error) {
	known, err := lists.OfAccount(tx, c.Account.ID)
	if err != nil {
		return 0, err
	}
	if len(known) > 0 {
		return known[0].ID, nil
	}
	return lists.AddList(tx, c, now, []enlist.Detail{{Key: "name", Value: enlist.TextInput(FirstListName)},
		{Key: "country_code", Value: enlist.TextInput(strconv.FormatInt(countryCode, 10))}})
}
