// This file has the methods about webhooks: each reads its parameters, calls the
// service and writes the result.

package rpc

import "enlist/internal/audience"

func addWebhook(c *call) error {
	details := c.recordDetails(1)
	if c.err != nil {
		return c.err
	}
	id, err := c.service.AddWebhook(c.ctx, c.caller, details)
	return writeInt(c, id, err)
}

func editWebhook(c *call) error {
	details, id := c.recordDetails(1), audience.WebhookID(c.recordID(1))
	if c.err != nil {
		return c.err
	}
	edited, err := c.service.EditWebhook(c.ctx, c.caller, id, details)
	return writeInt(c, edited, err)
}

func deleteWebhook(c *call) error {
	id := audience.WebhookID(c.id(1))
	if c.err != nil {
		return c.err
	}
	return writeTrue(c, c.service.DeleteWebhook(c.ctx, c.caller, id))
}

func getWebhookByID(c *call) error {
	id := audience.WebhookID(c.id(1))
	if c.err != nil {
		return c.err
	}
	webhook, err := c.service.Webhook(c.ctx, c.caller, id)
	return writeRecord(c, encoder(audience.WholeWebhookAttributes), webhook, err)
}

func searchWebhooks(c *call) error {
	q := c.query(1)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchWebhooks(c.ctx, c.caller, q)
	return writeRecords(c, encoder(audience.WebhookAttributes), rows, err)
}

func countWebhooks(c *call) error {
	q := audience.Query{Criteria: c.criteria(1)}
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchWebhooks(c.ctx, c.caller, q)
	return writeInt(c, len(rows), err)
}
