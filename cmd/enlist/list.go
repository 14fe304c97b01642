package main

import (
	"context"
	"maps"
	"slices"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// enlist list: adds Lists and shows them.

type listCommand struct {
	Add  listAdd  `cmd:"" help:"Add a List with its two address Fields."`
	Show listShow `cmd:"" help:"Show all Lists, or one List."`
}

type listAdd struct {
	config.Database
	format
	Name    string            `required:"" help:"Name of the List."`
	Account int64             `placeholder:"ID" help:"ID of the List's Account; needed if there are several Accounts."`
	Set     map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"A setting of the API; may be repeated."`
}

func (c *listAdd) Run(ctx context.Context, out *console) error {
	return withService(ctx, c.Database, func(s *app.App) error {
		caller, err := operator(ctx, s, c.Account)
		if err != nil {
			return err
		}
		if err := known(lists.ListAttributes, c.Set); err != nil {
			return err
		}
		id, err := s.Lists.AddList(ctx, caller, details(c.Set, value{"name", c.Name}))
		if err != nil {
			return err
		}
		l, err := s.Lists.List(ctx, caller, id)
		if err != nil {
			return err
		}
		return c.one(out.stdout, recordOf(lists.ListAttributes, l), "added List %d", id)
	})
}

type listShow struct {
	config.Database
	format
	ID      int64 `arg:"" optional:"" help:"ID of the List; by default all Lists."`
	Account int64 `placeholder:"ID" help:"ID of an Account: show only its Lists."`
}

func (c *listShow) Run(ctx context.Context, out *console) error {
	return withService(ctx, c.Database, func(s *app.App) error {
		if c.ID != 0 {
			return c.showOne(ctx, s, out)
		}
		lists, err := c.find(ctx, s)
		if err != nil {
			return err
		}
		return c.list(out.stdout, lists,
			"id", "account_id", "name", "contact_count", "is_gdpr_compliant", "folder_name")
	})
}

// find returns the Lists of all Accounts, or of the Account that the operator chose.
func (c *listShow) find(ctx context.Context, s *app.App) ([]record, error) {
	var all []record
	err := eachAccount(ctx, s, func(caller *enlist.Caller) error {
		if c.Account != 0 && enlist.AccountID(c.Account) != caller.Account.ID {
			return nil
		}
		lists, err := s.Lists.SearchLists(ctx, caller, enlist.Query{})
		for i := range lists {
			all = append(all, listRecord(&lists[i]))
		}
		return err
	})
	return all, err
}

// showOne prints all attributes of one List.
func (c *listShow) showOne(ctx context.Context, s *app.App, out *console) error {
	caller, err := operatorOfList(ctx, s, enlist.ListID(c.ID))
	if err != nil {
		return err
	}
	l, err := s.Lists.List(ctx, caller, enlist.ListID(c.ID))
	if err != nil {
		return err
	}
	return c.show(out.stdout, listRecord(l))
}

// listRecord returns the attributes of a List with their names in the API, and the ID of its Account.
func listRecord(l *enlist.List) record {
	return append(recordOf(lists.ListAttributes, l), value{"account_id", l.AccountID})
}

// known returns an error if the API does not have a setting. The API ignores unknown
// settings, but on the command line an unknown setting is a spelling mistake.
func known[T any](attributes []enlist.Attribute[T], set map[string]string) error {
	for name := range set {
		i := slices.IndexFunc(attributes, func(a enlist.Attribute[T]) bool { return a.Name == name && a.Set != nil })
		if i < 0 {
			return usage("--set %s: there is no such setting", name)
		}
	}
	return nil
}

// details returns named values and settings in the form that the Service takes.
func details(set map[string]string, named ...value) []enlist.Detail {
	var all []enlist.Detail
	add := func(key string, text string) {
		all = append(all, enlist.Detail{Key: key, Value: enlist.TextInput(text)})
	}
	for _, v := range named {
		add(v.name, v.any.(string))
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		add(key, set[key])
	}
	return all
}
