package main

import (
	"context"

	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/webhooks"
)

// enlist webhook: adds, edits, lists, shows and deletes webhooks.

type webhookCommand struct {
	Add    webhookAdd    `cmd:"" help:"Add a webhook, which posts events to a URL."`
	Edit   webhookEdit   `cmd:"" help:"Change a webhook. A failing one posts again."`
	List   webhookList   `cmd:"" help:"List the webhooks."`
	Show   webhookShow   `cmd:"" help:"Show a webhook with its secret."`
	Delete webhookDelete `cmd:"" help:"Delete a webhook and its events that wait."`
}

var webhookDefinitions = definitions[enlist.Webhook]{
	noun: "webhook", command: "webhook", absent: enlist.InvalidParameters,
	columns: []string{"id", "account_id", "list_id", "object", "event", "url", "is_failing", "last_error"},
	inList:  webhooks.WebhookAttributes, all: webhooks.WholeWebhookAttributes,
	find: func(ctx context.Context, s *app.App, c *enlist.Caller, id int64) (*enlist.Webhook, error) {
		return s.Webhooks.Webhook(ctx, c, enlist.WebhookID(id))
	},
	search: func(ctx context.Context, s *app.App, c *enlist.Caller) ([]enlist.Webhook, error) {
		return s.Webhooks.SearchWebhooks(ctx, c, enlist.Query{})
	},
	add: func(ctx context.Context, s *app.App, c *enlist.Caller, d []enlist.Detail) (int64, error) {
		id, err := s.Webhooks.AddWebhook(ctx, c, d)
		return int64(id), err
	},
	edit: func(ctx context.Context, s *app.App, c *enlist.Caller, id int64, d []enlist.Detail) error {
		_, err := s.Webhooks.EditWebhook(ctx, c, enlist.WebhookID(id), d)
		return err
	},
	remove: func(ctx context.Context, s *app.App, c *enlist.Caller, id int64) error {
		return s.Webhooks.DeleteWebhook(ctx, c, enlist.WebhookID(id))
	},
}

type webhookAdd struct {
	newDefinition
	Object string `required:"" help:"list, contact or batch."`
	Event  string `required:"" help:"Event of the object, such as subscribed."`
	URL    string `required:"" placeholder:"URL" help:"URL to post to."`
	List   string `placeholder:"ID" help:"ID of a List; without it: all Lists."`
}

func (c *webhookAdd) Run(ctx context.Context, out *console) error {
	return webhookDefinitions.runAdd(ctx, out, &c.newDefinition,
		func(*app.App, *enlist.Caller) ([]enlist.Detail, error) {
			all := details(nil, value{"object", c.Object}, value{"event", c.Event}, value{"url", c.URL})
			if c.List != "" {
				all = append(all, details(nil, value{"list_id", c.List})...)
			}
			return all, nil
		})
}

type webhookEdit struct {
	oneDefinition
	Set map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"An attribute of the API; may be repeated."`
}

// Run changes the webhook.
func (c *webhookEdit) Run(ctx context.Context, out *console) error {
	return webhookDefinitions.runEdit(ctx, out, &c.oneDefinition, c.Set, noDetails)
}

type webhookList struct{ allDefinitions }

func (c *webhookList) Run(ctx context.Context, out *console) error {
	return webhookDefinitions.runList(ctx, out, &c.allDefinitions)
}

type webhookShow struct{ oneDefinition }

func (c *webhookShow) Run(ctx context.Context, out *console) error {
	return webhookDefinitions.runShow(ctx, out, &c.oneDefinition)
}

type webhookDelete struct {
	oneDefinition
	Yes bool `help:"Do not ask before the webhook is deleted."`
}

func (c *webhookDelete) Run(ctx context.Context, out *console) error {
	return webhookDefinitions.runDelete(ctx, out, &c.oneDefinition, c.Yes)
}
