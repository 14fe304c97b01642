package main

import (
	"context"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// enlist autoresponder: adds, edits, lists, shows and deletes autoresponders.

type autoresponderCommand struct {
	Add    autoresponderAdd    `cmd:"" help:"Add an autoresponder, which sends a Message after an event of a Contact."`
	Edit   autoresponderEdit   `cmd:"" help:"Change an autoresponder."`
	List   autoresponderList   `cmd:"" help:"List the autoresponders."`
	Show   autoresponderShow   `cmd:"" help:"Show an autoresponder."`
	Delete autoresponderDelete `cmd:"" help:"Delete an autoresponder. Mails that wait are not sent."`
}

var autoresponderDefinitions = definitions[enlist.Autoresponder]{
	noun: "autoresponder", command: "autoresponder", absent: enlist.NoAutoresponder,
	columns: []string{"id", "account_id", "list_id", "message_id", "event_type", "is_active", "time_criteria_type"},
	inList:  batches.AutoresponderAttributes, all: batches.AutoresponderAttributes,
	find: func(ctx context.Context, s *app.App, c *enlist.Caller, id int64) (*enlist.Autoresponder, error) {
		return s.Batches.Autoresponder(ctx, c, enlist.AutoresponderID(id))
	},
	search: func(ctx context.Context, s *app.App, c *enlist.Caller) ([]enlist.Autoresponder, error) {
		return s.Batches.SearchAutoresponders(ctx, c, enlist.Query{})
	},
	add: func(ctx context.Context, s *app.App, c *enlist.Caller, d []enlist.Detail) (int64, error) {
		id, err := s.Batches.AddAutoresponder(ctx, c, d)
		return int64(id), err
	},
	edit: func(ctx context.Context, s *app.App, c *enlist.Caller, id int64, d []enlist.Detail) error {
		_, err := s.Batches.EditAutoresponder(ctx, c, enlist.AutoresponderID(id), d)
		return err
	},
	remove: func(ctx context.Context, s *app.App, c *enlist.Caller, id int64) error {
		return s.Batches.DeleteAutoresponder(ctx, c, enlist.AutoresponderID(id))
	},
}

type autoresponderAdd struct {
	newDefinition
	List    string `required:"" placeholder:"ID" help:"ID of the List."`
	Message string `required:"" placeholder:"ID" help:"ID of the Message."`
	Event   string `required:"" help:"subscribe, unsubscribe, update_profile, confirm or api_upload."`
}

func (c *autoresponderAdd) Run(ctx context.Context, out *console) error {
	return autoresponderDefinitions.runAdd(ctx, out, &c.newDefinition,
		func(*app.App, *enlist.Caller) ([]enlist.Detail, error) {
			return details(nil, value{"list_id", c.List}, value{"message_id", c.Message}, value{"event_type", c.Event}),
				nil
		})
}

type autoresponderEdit struct {
	oneDefinition
	Set map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"An attribute of the API; may be repeated."`
}

// Run changes the autoresponder.
func (c *autoresponderEdit) Run(ctx context.Context, out *console) error {
	return autoresponderDefinitions.runEdit(ctx, out, &c.oneDefinition, c.Set, noDetails)
}

type autoresponderList struct{ allDefinitions }

func (c *autoresponderList) Run(ctx context.Context, out *console) error {
	return autoresponderDefinitions.runList(ctx, out, &c.allDefinitions)
}

type autoresponderShow struct{ oneDefinition }

func (c *autoresponderShow) Run(ctx context.Context, out *console) error {
	return autoresponderDefinitions.runShow(ctx, out, &c.oneDefinition)
}

type autoresponderDelete struct {
	oneDefinition
	Yes bool `help:"Do not ask before the autoresponder is deleted."`
}

func (c *autoresponderDelete) Run(ctx context.Context, out *console) error {
	return autoresponderDefinitions.runDelete(ctx, out, &c.oneDefinition, c.Yes)
}
