package main

import (
	"context"
	"fmt"

	"enlist/internal/app"
	"enlist/internal/enlist"

	"github.com/alecthomas/kong"
)

// This file adds, edits, lists, shows and deletes records of an Account: Messages, autoresponders, webhooks and Lists.
// Each kind names the functions of its service, which are those of its methods in the table of package rpc.

// definitions describes the commands of one kind of record.
type definitions[T any, ID ~int64] struct {
	noun, hint    string      // such as "Message"; and the command that prints the IDs
	absent        enlist.Kind // error for an unknown ID
	columns       []string    // of a list
	inList, whole []enlist.Attribute[T]
	added         func(*T) string // follows "added List 2"; nil: nothing
	calls         func(*app.App) recordCalls[T, ID]
}

// recordCalls are the functions of a service for one kind of record, which the table of methods in package rpc has too.
type recordCalls[T any, ID ~int64] struct {
	find   func(context.Context, *enlist.Caller, ID) (*T, error)
	search func(context.Context, *enlist.Caller, enlist.Query) ([]T, error)
	add    func(context.Context, *enlist.Caller, []enlist.Detail) (ID, error)
	edit   func(context.Context, *enlist.Caller, ID, []enlist.Detail) (ID, error)
	remove func(context.Context, *enlist.Caller, ID) error
}

// definition is a kind of record, for the commands that are the same for each kind. definitions implements it.
type definition interface {
	owner(ctx context.Context, s *app.App, id int64) (*enlist.Caller, error)
	edit(ctx context.Context, out *console, s *app.App, c *enlist.Caller, f *oneDefinition, set map[string]string,
		more moreDetails) error
	list(ctx context.Context, out *console, s *app.App, f *allDefinitions) error
	show(ctx context.Context, out *console, s *app.App, c *enlist.Caller, f *oneDefinition) error
	remove(ctx context.Context, out *console, s *app.App, c *enlist.Caller, f *oneDefinition, yes bool) error
}

// bindDefinition tells the commands below a node which kind of record they have. The error is for kong, and always nil.
func bindDefinition(k *kong.Context, d definition) error {
	k.BindTo(d, (*definition)(nil))
	return nil
}

// moreDetails returns the details that flags beside --set describe; nil: there are none.
type moreDetails func(*enlist.Caller) ([]enlist.Detail, error)

// newDefinition are the flags that add a record.
type newDefinition struct {
	reporting
	Account int64             `placeholder:"ID" help:"ID of the Account; needed if there are several Accounts."`
	Set     map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"An attribute of the API; may be repeated."`
}

// oneDefinition are the flags that choose a record.
type oneDefinition struct {
	reporting
	ID int64 `arg:"" help:"ID of the record."`
}

// allDefinitions are the flags that list records.
type allDefinitions struct {
	reporting
	Account int64 `placeholder:"ID" help:"ID of an Account: list only its records."`
}

type editDefinition struct {
	oneDefinition
	Set map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"An attribute of the API; may be repeated."`
}

func (c *editDefinition) Run(ctx context.Context, out *console, s *app.App, d definition,
	caller *enlist.Caller) error {
	return d.edit(ctx, out, s, caller, &c.oneDefinition, c.Set, nil)
}

type listDefinitions struct{ allDefinitions }

func (c *listDefinitions) Run(ctx context.Context, out *console, s *app.App, d definition) error {
	return d.list(ctx, out, s, &c.allDefinitions)
}

type showDefinition struct{ oneDefinition }

func (c *showDefinition) Run(ctx context.Context, out *console, s *app.App, d definition,
	caller *enlist.Caller) error {
	return d.show(ctx, out, s, caller, &c.oneDefinition)
}

type deleteDefinition struct {
	oneDefinition
	Yes bool `help:"Do not ask before the ${noun} is deleted."`
}

func (c *deleteDefinition) Run(ctx context.Context, out *console, s *app.App, d definition,
	caller *enlist.Caller) error {
	return d.remove(ctx, out, s, caller, &c.oneDefinition, c.Yes)
}

// add adds a record.
func (k *definitions[T, ID]) add(ctx context.Context, out *console, s *app.App, f *newDefinition,
	more moreDetails) error {
	c, err := operator(ctx, s, f.Account)
	if err != nil {
		return err
	}
	given, err := k.details(c, f.Set, more)
	if err != nil {
		return err
	}
	id, err := k.calls(s).add(ctx, c, given)
	if err != nil {
		return err
	}
	r, err := k.calls(s).find(ctx, c, id)
	if err != nil {
		return err
	}
	also := ""
	if k.added != nil {
		also = k.added(r)
	}
	return f.one(out.stdout, recordOf(k.whole, r), "added %s %d%s", k.noun, id, also)
}

// details returns the details of --set after those of more.
func (k *definitions[T, ID]) details(c *enlist.Caller, set map[string]string,
	more moreDetails) (given []enlist.Detail, err error) {
	if err := known(k.whole, set); err != nil {
		return nil, err
	}
	if more != nil {
		given, err = more(c)
	}
	return append(given, details(set)...), err
}

// edit changes a record.
func (k *definitions[T, ID]) edit(ctx context.Context, out *console, s *app.App, c *enlist.Caller, f *oneDefinition,
	set map[string]string, more moreDetails) error {
	given, err := k.details(c, set, more)
	if err != nil {
		return err
	}
	if len(given) == 0 {
		return usage("nothing to change: give --set KEY=VALUE")
	}
	if _, err := k.calls(s).edit(ctx, c, ID(f.ID), given); err != nil {
		return err
	}
	r, err := k.calls(s).find(ctx, c, ID(f.ID))
	if err != nil {
		return err
	}
	return f.one(out.stdout, recordOf(k.whole, r), "changed %s %d", k.noun, f.ID)
}

// list lists the records of all Accounts, or of one.
func (k *definitions[T, ID]) list(ctx context.Context, out *console, s *app.App, f *allDefinitions) error {
	rows, err := inAccounts(ctx, s, f.Account, func(c *enlist.Caller) ([]record, error) {
		found, err := k.calls(s).search(ctx, c, enlist.Query{})
		return records(found, func(r *T) record { return recordOf(k.inList, r) }), err
	})
	if err != nil {
		return err
	}
	return f.list(out.stdout, rows, k.columns...)
}

// show prints all attributes of a record.
func (k *definitions[T, ID]) show(ctx context.Context, out *console, s *app.App, c *enlist.Caller,
	f *oneDefinition) error {
	r, err := k.calls(s).find(ctx, c, ID(f.ID))
	if err != nil {
		return err
	}
	return f.show(out.stdout, append(recordOf(k.whole, r), value{"account_id", c.Account.ID}))
}

// remove deletes a record.
func (k *definitions[T, ID]) remove(ctx context.Context, out *console, s *app.App, c *enlist.Caller,
	f *oneDefinition, yes bool) error {
	if err := out.confirm(yes, fmt.Sprintf("Delete the %s %d?", k.noun, f.ID)); err != nil {
		return err
	}
	if err := k.calls(s).remove(ctx, c, ID(f.ID)); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "deleted %s %d\n", k.noun, f.ID)
	return nil
}

// owner returns a Caller with all rights in the Account that has the record.
func (k *definitions[T, ID]) owner(ctx context.Context, s *app.App, id int64) (owner *enlist.Caller, err error) {
	err = eachAccount(ctx, s, func(c *enlist.Caller) error {
		if owner != nil {
			return nil
		}
		_, err := k.calls(s).find(ctx, c, ID(id))
		switch {
		case err == nil:
			owner = c
		case enlist.KindOf(err) != k.absent: // not a record of another Account
			return err
		}
		return nil
	})
	if err == nil && owner == nil {
		err = next(enlist.Refuse(k.absent, "no %s with ID %d", k.noun, id), k.hint)
	}
	return owner, err
}
