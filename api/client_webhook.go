// This file has the operations on webhooks, and the events that a webhook receives.

package api

import "context"

// Webhook is the record of a webhook. When the event happens, the server sends a
// POST to the URL. specification: Webhooks
type Webhook struct {
	ID               int64  `json:"id"`
	ListID           int64  `json:"list_id"` // 0: all Lists of the Account
	Object           string `json:"object"`  // list or contact
	Event            string `json:"event"`   // such as created
	URL              string `json:"url"`
	CreationTime     int64  `json:"creation_time"`
	LastModifiedTime int64  `json:"last_modified_time"`
	IsFailing        bool   `json:"is_failing"` // true: the server stores events, but sends none until a caller edits the webhook
	LastError        string `json:"last_error"` // error of the last attempt; "" if the attempt succeeded
	Secret           string `json:"secret"`     // only GetWebhookByID returns the secret
}

// WebhookEvent is one event. The body of a POST to a webhook's URL is an array of
// events, oldest first. specification: Webhooks
type WebhookEvent struct {
	ListID    int64  `json:"list_id"`
	ContactID int64  `json:"contact_id"` // 0 for an event of a List or a Batch
	BatchID   int64  `json:"batch_id"`   // 0 for an event that no Batch caused
	Object    string `json:"object"`     // list, contact or batch
	Event     string `json:"event"`
	Timestamp int64  `json:"timestamp"` // time of the event in Unix seconds
}

// AddWebhook creates a webhook and returns its ID. details must contain at least
// object, event and url.
func (c *Client) AddWebhook(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addWebhook", details)
}

// EditWebhook changes attributes of a webhook and returns its ID. details contain
// the new values, and the ID of the webhook as "id". The server then sends the
// waiting events of the webhook without further delay.
func (c *Client) EditWebhook(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editWebhook", details)
}

// DeleteWebhook deletes a webhook and its waiting events.
func (c *Client) DeleteWebhook(ctx context.Context, webhook int64) error {
	return c.Call(ctx, "deleteWebhook", []any{webhook}, nil)
}

// GetWebhookByID returns one webhook with its secret.
func (c *Client) GetWebhookByID(ctx context.Context, webhook int64) (*Webhook, error) {
	return callOne[Webhook](ctx, c, "getWebhookById", webhook)
}

// SearchWebhooks returns the webhooks that match the query, without their secrets.
func (c *Client) SearchWebhooks(ctx context.Context, q Query) ([]Webhook, error) {
	return call[[]Webhook](ctx, c, "searchWebhooks", q.params()...)
}

// CountWebhooks returns the number of webhooks that match the criteria.
func (c *Client) CountWebhooks(ctx context.Context, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countWebhooks", criteria.param())
}
