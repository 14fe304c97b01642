package main

import (
	"context"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// enlist field: adds a Field to a List and lists the Fields of a List.

type fieldCommand struct {
	Add  fieldAdd  `cmd:"" help:"Add a Field to a List."`
	List fieldList `cmd:"" help:"List the Fields of a List."`
}

type fieldAdd struct {
	config.Database
	format
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
	config.Database
	format
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
