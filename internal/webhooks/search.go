package webhooks

import (
	"context"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file returns webhooks to callers. A key that is restricted to some Lists may access only
// the webhooks of those Lists, and no webhook of all Lists.

// Webhook returns one webhook. Errors: Denied, and InvalidParameters for an unknown ID.
func (s *Service) Webhook(ctx context.Context, c *enlist.Caller, id enlist.WebhookID) (*enlist.Webhook, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*enlist.Webhook, error) { return LoadWebhook(tx, c, id) })
}

// SearchWebhooks returns the matching webhooks that the key may access. Errors: InvalidSearch.
func (s *Service) SearchWebhooks(ctx context.Context, c *enlist.Caller, q enlist.Query) ([]enlist.Webhook, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]enlist.Webhook, error) {
		webhooks, err := visibleWebhooks(tx, c)
		if err != nil {
			return nil, err
		}
		return enlist.SearchRecords(WebhookAttributes, webhooks, q)
	})
}

func visibleWebhooks(tx *db.Tx, c *enlist.Caller) ([]enlist.Webhook, error) {
	ofAccount, err := Webhooks(tx, c.Account.ID)
	return slices.DeleteFunc(slices.Clone(ofAccount), func(w enlist.Webhook) bool { return !c.Key.Allows(w.ListID) }), err
}

// LoadWebhook returns a webhook, if the caller may access its List. reference.md: auth.restricted; decisions.md: 52
func LoadWebhook(tx *db.Tx, c *enlist.Caller, id enlist.WebhookID) (*enlist.Webhook, error) {
	ofAccount, err := Webhooks(tx, c.Account.ID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(ofAccount, func(w enlist.Webhook) bool { return w.ID == id })
	if i < 0 {
		return nil, enlist.Refuse(enlist.InvalidParameters, "the Account has no webhook with this ID")
	}
	return &ofAccount[i], checkWebhookList(tx, c, ofAccount[i].ListID)
}

// checkWebhookList refuses a List that the caller may not access. 0 means all Lists.
func checkWebhookList(tx *db.Tx, c *enlist.Caller, list enlist.ListID) error {
	if list == 0 {
		return enlist.RequireWholeAccount(c)
	}
	_, err := lists.Load(tx, c, list)
	return err
}
