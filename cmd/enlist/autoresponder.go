package main

import (
	"context"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/enlist"

	"github.com/alecthomas/kong"
)

// enlist autoresponder: adds, edits, lists, shows and deletes autoresponders.

type autoresponderCommand struct {
	Add    autoresponderAdd `cmd:"" help:"Add an autoresponder, which sends a Message after an event of a Contact."`
	Edit   editDefinition   `cmd:"" help:"Change an autoresponder."`
	List   listDefinitions  `cmd:"" help:"List the autoresponders."`
	Show   showDefinition   `cmd:"" help:"Show an autoresponder."`
	Delete deleteDefinition `cmd:"" set:"noun=autoresponder" help:"Delete an autoresponder. Mails that wait are not sent."`
}

func (autoresponderCommand) BeforeApply(k *kong.Context) error {
	return bindDefinition(k, &allAutoresponders)
}

var allAutoresponders = definitions[enlist.Autoresponder, enlist.AutoresponderID]{
	noun: "autoresponder", hint: "enlist autoresponder list prints them", absent: enlist.NoAutoresponder,
	columns: []string{"id", "account_id", "list_id", "message_id", "event_type", "is_active", "time_criteria_type"},
	inList:  batches.AutoresponderAttributes, whole: batches.AutoresponderAttributes,
	calls: func(s *app.App) recordCalls[enlist.Autoresponder, enlist.AutoresponderID] {
		b := s.Batches
		return recordCalls[enlist.Autoresponder, enlist.AutoresponderID]{find: b.Autoresponder, search: b.SearchAutoresponders,
			add: b.AddAutoresponder, edit: b.EditAutoresponder, remove: b.DeleteAutoresponder}
	},
}

type autoresponderAdd struct {
	newDefinition
	List    string `required:"" placeholder:"ID" help:"ID of the List."`
	Message string `required:"" placeholder:"ID" help:"ID of the Message."`
	Event   string `required:"" help:"subscribe, unsubscribe, update_profile, confirm or api_upload."`
}

func (c *autoresponderAdd) Run(ctx context.Context, out *console, s *app.App) error {
	return allAutoresponders.add(ctx, out, s, &c.newDefinition,
		func(*enlist.Caller) ([]enlist.Detail, error) {
			return details(nil, value{"list_id", c.List}, value{"message_id", c.Message}, value{"event_type", c.Event}),
				nil
		})
}
