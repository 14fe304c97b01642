package api

import "context"

// Webhook is a webhook's record: what is posted to a URL when something
// happens. specification: Webhooks
type Webhook struct {
	ID               int64  `json:"id"`
	ListID           int64  `json:"list_id"` // 0: all Lists of the Account
	Object           string `json:"object"`  // list or contact
	Event            string `json:"event"`   // such as created
	URL              string `json:"url"`
	CreationTime     int64  `json:"creation_time"`
	LastModifiedTime int64  `json:"last_modified_time"`
	IsFailing        bool   `json:"is_failing"` // given up on, until it is edited; its events are kept
	LastError        string `json:"last_error"` // of the last try, "" when that went well
	Secret           string `json:"secret"`     // only GetWebhookByID shows it
}

// WebhookEvent is one thing that happened: a POST to a webhook's URL carries an
// array of them, oldest first. specification: Webhooks
type WebhookEvent struct {
	ListID    int64  `json:"list_id"`
	ContactID int64  `json:"contact_id"` // 0 for an event of a List
	Object    string `json:"object"`     // list or contact
	Event     string `json:"event"`
	Timestamp int64  `json:"timestamp"` // when it happened, Unix seconds
}

// AddWebhook makes a webhook, of which details give at least object, event and
// url, and returns its ID.
func (c *Client) AddWebhook(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addWebhook", details)
}

// EditWebhook changes what details name, of the webhook whose ID is in them, and
// returns the ID. What waits for the webhook is tried again at once.
func (c *Client) EditWebhook(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editWebhook", details)
}

// DeleteWebhook removes a webhook with what waits for it.
func (c *Client) DeleteWebhook(ctx context.Context, webhook int64) error {
	return c.Call(ctx, "deleteWebhook", []any{webhook}, nil)
}

// GetWebhookByID returns one webhook with its secret.
func (c *Client) GetWebhookByID(ctx context.Context, webhook int64) (*Webhook, error) {
	return callOne[Webhook](ctx, c, "getWebhookById", webhook)
}

// SearchWebhooks returns the webhooks that match, without their secrets.
func (c *Client) SearchWebhooks(ctx context.Context, q Query) ([]Webhook, error) {
	return call[[]Webhook](ctx, c, "searchWebhooks", q.params()...)
}

// CountWebhooks counts the webhooks that match.
func (c *Client) CountWebhooks(ctx context.Context, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countWebhooks", criteria.param())
}
