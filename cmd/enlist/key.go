package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/enlist"
)

// enlist key: creates, lists, edits and revokes API keys. A running server applies a change from its next transaction on.

type keyCommand struct {
	Create keyCreate `cmd:"" help:"Create a key and print it. It cannot be printed again."`
	List   keyList   `cmd:"" help:"List the keys, without their secret text."`
	Edit   keyEdit   `cmd:"" help:"Rename a key, or make it strict or not."`
	Rate   keyRate   `cmd:"" help:"Limit the rate of the calls of a key."`
	Revoke keyRevoke `cmd:"" help:"Make a key invalid at once."`
}

type keyCreate struct {
	reporting
	Name    string          `required:"" help:"Name of the key; the consent ledger records it."`
	Level   string          `required:"" enum:"read,standard,full" help:"Rights: read, standard (also Contacts) or full."`
	Account int64           `placeholder:"ID" help:"ID of the Account of the key; needed if there are several Accounts."`
	Expires config.Expiry   `placeholder:"WHEN" help:"When it expires: after a time (90d) or on a day (2027-01-31)."`
	List    []int64         `placeholder:"ID" help:"ID of a List that the key may use; may be repeated; default: all."`
	Rate    enlist.CallRate `default:"default" placeholder:"RATE" help:"Largest rate of calls, such as 600/minute,burst=50; none; or default: the rate of the setting key-rate."`
	Strict  bool            `help:"Refuse calls with a key or parameter that means nothing; without it, it is ignored."`
}

// Run creates the key and prints its text.
func (c *keyCreate) Run(ctx context.Context, out *console) error {
	level, err := enlist.ParseLevel(c.Level)
	if err != nil {
		return err
	}
	return withService(ctx, c.Database, func(s *app.App) error {
		account, err := chooseAccount(ctx, s, c.Account)
		if err != nil {
			return err
		}
		key, text, err := s.Accounts.AddKey(ctx, accounts.KeyDetails{Account: account, Name: c.Name, Level: level,
			Lists: listIDs(c.List), Expiry: c.Expires.Unix(time.Now()), Rate: c.Rate, Strict: c.Strict})
		switch {
		case enlist.KindOf(err) == enlist.NoList:
			return next(err, "enlist list show prints the Lists")
		case err != nil:
			return err
		}
		return c.one(out.stdout, append(keyRecord(key), value{"key", text}), "%s", text)
	})
}

type keyList struct {
	reporting
}

func (c *keyList) Run(ctx context.Context, out *console, s *app.App) error {
	keys, err := s.Accounts.Keys(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.list(out.stdout, records(keys, keyRecord))
	}
	return c.list(out.stdout, records(keys, keyLine), "id", "prefix", "account", "name", "level", "lists", "rate",
		"strict", "state", "last used")
}

type keyEdit struct {
	config.Database
	ID     int64   `arg:"" help:"ID of the key, as enlist key list shows it."`
	Name   *string `help:"New name of the key; the consent ledger records it."`
	Strict *bool   `negatable:"" help:"Refuse calls with a key or parameter that means nothing; --no-strict ignores it."`
}

// Run changes the key.
func (c *keyEdit) Run(ctx context.Context, out *console) error {
	if c.Name == nil && c.Strict == nil {
		return usage("nothing to change: give --name, --strict or --no-strict")
	}
	return withService(ctx, c.Database, func(s *app.App) error {
		err := s.Accounts.EditKey(ctx, enlist.KeyID(c.ID), accounts.KeyEdit{Name: c.Name, Strict: c.Strict})
		return changedKey(out, err, c.ID, "changed key %d\n", c.ID)
	})
}

type keyRate struct {
	config.Database
	ID   int64           `arg:"" help:"ID of the key, as enlist key list shows it."`
	Rate enlist.CallRate `arg:"" help:"Largest rate of calls, such as 600/minute,burst=50; none; or default: the rate of the setting key-rate."`
}

// Run sets the rate.
func (c *keyRate) Run(ctx context.Context, out *console, s *app.App) error {
	err := s.Accounts.EditKey(ctx, enlist.KeyID(c.ID), accounts.KeyEdit{Rate: &c.Rate})
	return changedKey(out, err, c.ID, "rate of key %d: %s\n", c.ID, c.Rate)
}

// changedKey prints what a command has changed. If there is no key with the ID, it names the command that prints the keys.
func changedKey(out *console, err error, id int64, format string, args ...any) error {
	switch {
	case enlist.KindOf(err) == enlist.InvalidKey:
		return fmt.Errorf("no key with ID %d: enlist key list prints the keys", id)
	case err == nil:
		fmt.Fprintf(out.stdout, format, args...)
	}
	return err
}

type keyRevoke struct {
	config.Database
	ID int64 `arg:"" help:"ID of the key, as enlist key list shows it."`
}

func (c *keyRevoke) Run(ctx context.Context, out *console, s *app.App) error {
	return changedKey(out, s.Accounts.RevokeKey(ctx, enlist.KeyID(c.ID)), c.ID, "revoked key %d\n", c.ID)
}

// keyRecord returns a key for JSON: times are Unix times.
func keyRecord(k *enlist.Key) record {
	return record{{"id", k.ID}, {"account_id", k.AccountID}, {"name", k.Name}, {"prefix", k.Prefix},
		{"level", k.Level.String()}, {"lists", append([]enlist.ListID{}, k.Lists...)}, {"rate", k.Rate.String()},
		{"strict", k.IsStrict},
		{"creation_time", k.CreationTime}, {"expiry_time", k.ExpiryTime},
		{"revoked_time", k.RevokedTime}, {"last_used_time", k.LastUsedTime}}
}

// minute is the layout of times in the table of keys. It has no seconds, because the server stores the time of a key's
// last use only once a minute.
const minute = "2006-01-02 15:04 UTC"

// keyLine returns a key for a table: times are dates.
func keyLine(k *enlist.Key) record {
	state, strict := "good", "no"
	if k.IsStrict {
		strict = "yes"
	}
	switch {
	case k.RevokedTime != 0:
		state = "revoked"
	case k.ExpiryTime != 0 && k.ExpiryTime <= time.Now().Unix():
		state = "expired"
	case k.ExpiryTime != 0:
		state = "until " + formatTime(minute, k.ExpiryTime, "")
	}
	return record{{"id", k.ID}, {"prefix", k.Prefix}, {"account", k.AccountID}, {"name", k.Name}, {"level", k.Level},
		{"lists", listsText(k.Lists)}, {"rate", k.Rate}, {"strict", strict}, {"state", state},
		{"last used", formatTime(minute, k.LastUsedTime, "never")}}
}

// listIDs returns the values of a flag as IDs.
func listIDs(values []int64) []enlist.ListID {
	lists := make([]enlist.ListID, len(values))
	for i, id := range values {
		lists[i] = enlist.ListID(id)
	}
	return lists
}

// listsText returns the Lists that a key or a person may use.
func listsText(lists []enlist.ListID) string {
	if lists == nil {
		return "all"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(lists), " ", ","), "[]")
}
