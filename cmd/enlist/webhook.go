package main

import (
	"context"

	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/webhooks"

	"github.com/alecthomas/kong"
)

// enlist webhook: adds, edits, lists, shows and deletes webhooks.

type webhookCommand struct {
	Add    webhookAdd       `cmd:"" help:"Add a webhook, which posts events to a URL."`
	Edit   editDefinition   `cmd:"" help:"Change a webhook. A failing one posts again."`
	List   listDefinitions  `cmd:"" help:"List the webhooks."`
	Show   showDefinition   `cmd:"" help:"Show a webhook with its secret."`
	Delete deleteDefinition `cmd:"" set:"noun=webhook" help:"Delete a webhook and its events that wait."`
}

func (webhookCommand) BeforeApply(k *kong.Context) error { return bindDefinition(k, &allWebhooks) }

var allWebhooks = definitions[enlist.Webhook, enlist.WebhookID]{
	noun: "webhook", hint: "enlist webhook list prints them", absent: enlist.InvalidParameters,
	columns: []string{"id", "account_id", "list_id", "object", "event", "url", "is_failing", "last_error"},
	inList:  webhooks.WebhookAttributes, whole: webhooks.WholeWebhookAttributes,
	calls: func(s *app.App) recordCalls[enlist.Webhook, enlist.WebhookID] {
		w := s.Webhooks
		return recordCalls[enlist.Webhook, enlist.WebhookID]{find: w.Webhook, search: w.SearchWebhooks, add: w.AddWebhook,
			edit: w.EditWebhook, remove: w.DeleteWebhook}
	},
}

type webhookAdd struct {
	newDefinition
	Object string `required:"" help:"list, contact or batch."`
	Event  string `required:"" help:"Event of the object, such as subscribed."`
	URL    string `required:"" placeholder:"URL" help:"URL to post to."`
	List   string `placeholder:"ID" help:"ID of a List; without it: all Lists."`
}

func (c *webhookAdd) Run(ctx context.Context, out *console, s *app.App) error {
	return allWebhooks.add(ctx, out, s, &c.newDefinition, func(*enlist.Caller) ([]enlist.Detail, error) {
		named := []value{{"object", c.Object}, {"event", c.Event}, {"url", c.URL}}
		if c.List != "" {
			named = append(named, value{"list_id", c.List})
		}
		return details(nil, named...), nil
	})
}
