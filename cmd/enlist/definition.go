package main

import (
	"context"
	"fmt"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/enlist"
)

// This file adds, edits, lists, shows and deletes records of an Account: Messages, autoresponders and webhooks. The
// files of these commands say how each kind does it.

// definitions describes how the commands of one kind of record call the Services.
type definitions[T any] struct {
	noun, command string      // such as "Message" and "message"
	absent        enlist.Kind // error for an unknown ID
	columns       []string    // of a list
	inList        []enlist.Attribute[T]
	all           []enlist.Attribute[T]

	find   func(ctx context.Context, s *app.App, c *enlist.Caller, id int64) (*T, error)
	search func(ctx context.Context, s *app.App, c *enlist.Caller) ([]T, error)
	add    func(ctx context.Context, s *app.App, c *enlist.Caller, d []enlist.Detail) (int64, error)
	edit   func(ctx context.Context, s *app.App, c *enlist.Caller, id int64, d []enlist.Detail) error
	remove func(ctx context.Context, s *app.App, c *enlist.Caller, id int64) error
}

// newDefinition are the flags that add a record.
type newDefinition struct {
	config.Database
	format
	Account int64             `placeholder:"ID" help:"ID of the Account; needed if there are several Accounts."`
	Set     map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"An attribute of the API; may be repeated."`
}

// oneDefinition are the flags that choose a record.
type oneDefinition struct {
	config.Database
	format
	ID int64 `arg:"" help:"ID of the record."`
}

// allDefinitions are the flags that list records.
type allDefinitions struct {
	config.Database
	format
	Account int64 `placeholder:"ID" help:"ID of an Account: list only its records."`
}

// runAdd adds a record. more returns the details that other flags describe.
func (k *definitions[T]) runAdd(ctx context.Context, out *console, f *newDefinition,
	more func(*app.App, *enlist.Caller) ([]enlist.Detail, error)) error {
	return withService(ctx, f.Database, func(s *app.App) error {
		c, err := operator(ctx, s, f.Account)
		if err != nil {
			return err
		}
		if err := known(k.all, f.Set); err != nil {
			return err
		}
		first, err := more(s, c)
		if err != nil {
			return err
		}
		id, err := k.add(ctx, s, c, append(first, details(f.Set)...))
		if err != nil {
			return err
		}
		r, err := k.find(ctx, s, c, id)
		if err != nil {
			return err
		}
		return f.one(out.stdout, recordOf(k.all, r), "added %s %d", k.noun, id)
	})
}

// runEdit changes a record.
func (k *definitions[T]) runEdit(ctx context.Context, out *console, f *oneDefinition, set map[string]string,
	more func(*app.App, *enlist.Caller) ([]enlist.Detail, error)) error {
	return k.with(ctx, f, func(s *app.App, c *enlist.Caller) error {
		if err := known(k.all, set); err != nil {
			return err
		}
		first, err := more(s, c)
		if err != nil {
			return err
		}
		all := append(first, details(set)...)
		if len(all) == 0 {
			return usage("nothing to change: give --set KEY=VALUE")
		}
		if err := k.edit(ctx, s, c, f.ID, all); err != nil {
			return err
		}
		r, err := k.find(ctx, s, c, f.ID)
		if err != nil {
			return err
		}
		return f.one(out.stdout, recordOf(k.all, r), "changed %s %d", k.noun, f.ID)
	})
}

// runList lists the records of all Accounts, or of one.
func (k *definitions[T]) runList(ctx context.Context, out *console, f *allDefinitions) error {
	return withService(ctx, f.Database, func(s *app.App) error {
		var all []record
		err := eachAccount(ctx, s, func(c *enlist.Caller) error {
			if f.Account != 0 && enlist.AccountID(f.Account) != c.Account.ID {
				return nil
			}
			found, err := k.search(ctx, s, c)
			for i := range found {
				all = append(all, append(recordOf(k.inList, &found[i]), value{"account_id", c.Account.ID}))
			}
			return err
		})
		if err != nil {
			return err
		}
		return f.list(out.stdout, all, k.columns...)
	})
}

// runShow prints all attributes of a record.
func (k *definitions[T]) runShow(ctx context.Context, out *console, f *oneDefinition) error {
	return k.with(ctx, f, func(s *app.App, c *enlist.Caller) error {
		r, err := k.find(ctx, s, c, f.ID)
		if err != nil {
			return err
		}
		return f.show(out.stdout, append(recordOf(k.all, r), value{"account_id", c.Account.ID}))
	})
}

// runDelete deletes a record.
func (k *definitions[T]) runDelete(ctx context.Context, out *console, f *oneDefinition, yes bool) error {
	return k.with(ctx, f, func(s *app.App, c *enlist.Caller) error {
		if err := out.confirm(yes, fmt.Sprintf("Delete the %s %d?", k.noun, f.ID)); err != nil {
			return err
		}
		if err := k.remove(ctx, s, c, f.ID); err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "deleted %s %d\n", k.noun, f.ID)
		return nil
	})
}

// with runs do with the Account that has the record.
func (k *definitions[T]) with(ctx context.Context, f *oneDefinition, do func(*app.App, *enlist.Caller) error) error {
	return withService(ctx, f.Database, func(s *app.App) error {
		missing := next(enlist.Refuse(k.absent, "no %s with ID %d", k.noun, f.ID),
			"enlist "+k.command+" list prints them")
		c, err := ownerOf(ctx, s, missing, func(c *enlist.Caller) error {
			_, err := k.find(ctx, s, c, f.ID)
			return err
		})
		if err != nil {
			return err
		}
		return do(s, c)
	})
}

// noDetails is for a command that has only --set.
func noDetails(*app.App, *enlist.Caller) ([]enlist.Detail, error) { return nil, nil }
