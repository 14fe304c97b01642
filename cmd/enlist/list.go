package main

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// enlist list: adds Lists and shows them, and makes a List ask its people to confirm.

type listCommand struct {
	Add         listAdd         `cmd:"" help:"Add a List with its two address Fields."`
	Show        listShow        `cmd:"" help:"Show all Lists, or one List."`
	DoubleOptIn listDoubleOptIn `cmd:"" help:"Make a List ask its people to confirm, and say what happens to people who have not."`
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
		country := strconv.FormatInt(s.Accounts.Settings().Of(caller.Account.ID).ListCountry(), 10)
		id, err := s.Lists.AddList(ctx, caller, details(c.Set, value{"name", c.Name}, value{"country_code", country}))
		if err != nil {
			return err
		}
		l, err := s.Lists.List(ctx, caller, id)
		if err != nil {
			return err
		}
		return c.one(out.stdout, recordOf(lists.ListAttributes, l), "added List %d; telephone numbers without a country get +%d",
			id, l.CountryCode)
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

type listDoubleOptIn struct {
	config.Database
	format
	Statement string `xor:"waiting" placeholder:"TEXT" help:"They are confirmed: TEXT says when and how they agreed, and is kept as proof."`
	Ask       bool   `xor:"waiting" help:"They get a mail that asks to confirm."`
	Wait      bool   `xor:"waiting" help:"They get no mail until they confirm."`
	ID        int64  `arg:"" help:"ID of the List. It may ask already: then only its people change."`
}

// Run starts the change, which a server makes. Without a choice it says how many people need one.
func (c *listDoubleOptIn) Run(ctx context.Context, out *console) error {
	return withService(ctx, c.Database, func(s *app.App) error {
		list := enlist.ListID(c.ID)
		caller, err := operatorOfList(ctx, s, list)
		if err != nil {
			return err
		}
		n, err := s.Contacts.CountContacts(ctx, caller, list, contacts.Unconfirmed())
		switch {
		case err != nil:
			return err
		case n > 0 && c.Statement == "" && !c.Ask && !c.Wait:
			return usage("%d Contacts have not confirmed, and would get no mail: add --statement, --ask or --wait", n)
		case n == 0 || c.Wait:
			_, err := s.Lists.EditList(ctx, caller, list, details(map[string]string{"double_opt_in_required": "1"}))
			if err != nil {
				return err
			}
			return c.one(out.stdout, record{{"id", c.ID}, {"change_id", 0}, {"contacts", n}},
				"List %d asks people to confirm; %d Contacts wait", c.ID, n)
		}
		r := contacts.ChangeRequest{List: list, Criteria: contacts.Unconfirmed(), Action: contacts.ChangeConfirm,
			Value: c.Statement, Count: n, RequireConfirmation: true}
		done := "are confirmed"
		if c.Ask {
			r.Action, done = contacts.ChangeAsk, "are asked to confirm"
		}
		id, err := s.Contacts.StartChange(ctx, caller, r)
		if err != nil {
			return err
		}
		return c.one(out.stdout, record{{"id", c.ID}, {"change_id", id}, {"contacts", n}},
			"List %d asks people to confirm; the server begins: %d Contacts %s", c.ID, n, done)
	})
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
