package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// enlist list: adds Lists and shows them, and makes a List ask its people to confirm. enlist field: adds a Field to a List
// and lists the Fields of a List.

type listCommand struct {
	Add         listAdd         `cmd:"" help:"Add a List with its two address Fields."`
	Show        listShow        `cmd:"" help:"Show all Lists, or one List."`
	DoubleOptIn listDoubleOptIn `cmd:"" help:"Make a List ask its people to confirm, and say what happens to people who have not."`
}

var allLists = definitions[enlist.List, enlist.ListID]{
	noun: "List", hint: "enlist list show prints the Lists", absent: enlist.NoList,
	columns: []string{"id", "account_id", "name", "contact_count", "is_gdpr_compliant", "folder_name"},
	inList:  lists.ListAttributes, whole: lists.ListAttributes,
	added: func(l *enlist.List) string {
		return fmt.Sprintf("; telephone numbers without a country get +%d", l.CountryCode)
	},
	calls: func(s *app.App) recordCalls[enlist.List, enlist.ListID] {
		return recordCalls[enlist.List, enlist.ListID]{find: s.Lists.List, search: s.Lists.SearchLists, add: s.Lists.AddList}
	},
}

type listAdd struct {
	reporting
	Name    string            `required:"" help:"Name of the List."`
	Account int64             `placeholder:"ID" help:"ID of the List's Account; needed if there are several Accounts."`
	Set     map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"A setting of the API; may be repeated."`
}

func (c *listAdd) Run(ctx context.Context, out *console, s *app.App) error {
	flags := newDefinition{reporting: c.reporting, Account: c.Account, Set: c.Set}
	return allLists.add(ctx, out, s, &flags, func(caller *enlist.Caller) ([]enlist.Detail, error) {
		country := strconv.FormatInt(s.Accounts.Settings().Of(caller.Account.ID).ListCountry(), 10)
		return details(nil, value{"name", c.Name}, value{"country_code", country}), nil
	})
}

type listShow struct {
	reporting
	ID      int64 `arg:"" optional:"" help:"ID of the List; by default all Lists."`
	Account int64 `placeholder:"ID" help:"ID of an Account: show only its Lists."`
}

func (c *listShow) Run(ctx context.Context, out *console, s *app.App) error {
	if c.ID != 0 {
		caller, err := operatorOfList(ctx, s, enlist.ListID(c.ID))
		if err != nil {
			return err
		}
		return allLists.show(ctx, out, s, caller, &oneDefinition{c.reporting, c.ID})
	}
	return allLists.list(ctx, out, s, &allDefinitions{c.reporting, c.Account})
}

type listDoubleOptIn struct {
	reporting
	Statement string `xor:"waiting" placeholder:"TEXT" help:"They are confirmed: TEXT says when and how they agreed, and is kept as proof."`
	Ask       bool   `xor:"waiting" help:"They get a mail that asks to confirm."`
	Wait      bool   `xor:"waiting" help:"They get no mail until they confirm."`
	ID        int64  `arg:"" help:"ID of the List. It may ask already: then only its people change."`
}

// Run starts the change, which a server makes. Without a choice it says how many people need one.
func (c *listDoubleOptIn) Run(ctx context.Context, out *console, s *app.App) error {
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

type fieldCommand struct {
	Add  fieldAdd  `cmd:"" help:"Add a Field to a List."`
	List fieldList `cmd:"" help:"List the Fields of a List."`
}

type fieldAdd struct {
	reporting
	List int64             `required:"" placeholder:"ID" help:"ID of the List to add the Field to."`
	Name string            `required:"" help:"Name of the Field."`
	Type string            `default:"text" help:"Type of the Field: ${types}."`
	Set  map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"An attribute of the API; may be repeated."`
}

func (c *fieldAdd) Run(ctx context.Context, out *console, s *app.App) error {
	caller, err := operatorOfList(ctx, s, enlist.ListID(c.List))
	if err != nil {
		return err
	}
	if err := known(lists.FieldAttributes, c.Set); err != nil {
		return err
	}
	id, err := s.Lists.AddField(ctx, caller, enlist.ListID(c.List),
		details(c.Set, value{"name", c.Name}, value{"type", c.Type}))
	if err != nil {
		return err
	}
	f, err := s.Lists.Field(ctx, caller, enlist.ListID(c.List), id)
	if err != nil {
		return err
	}
	return c.one(out.stdout, recordOf(lists.FieldAttributes, f), "added Field %d to List %d", id, c.List)
}

type fieldList struct {
	reporting
	List int64 `required:"" placeholder:"ID" help:"ID of the List."`
}

func (c *fieldList) Run(ctx context.Context, out *console, s *app.App) error {
	caller, err := operatorOfList(ctx, s, enlist.ListID(c.List))
	if err != nil {
		return err
	}
	fields, err := s.Lists.SearchFields(ctx, caller, enlist.ListID(c.List), enlist.Query{})
	if err != nil {
		return err
	}
	all := records(fields, func(f *enlist.Field) record { return recordOf(lists.FieldAttributes, f) })
	return c.list(out.stdout, all,
		"id", "name", "type", "address_type", "is_mandatory", "default_value", "values_array")
}
