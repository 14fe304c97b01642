// This file has the methods about Messages: each reads its parameters, calls the
// service and writes the result.

package rpc

import "enlist/internal/audience"

func addMessage(c *call) error {
	details := c.recordDetails(1)
	if c.err != nil {
		return c.err
	}
	id, err := c.service.AddMessage(c.ctx, c.caller, details)
	return writeInt(c, id, err)
}

func editMessage(c *call) error {
	details, message := c.recordDetails(1), audience.MessageID(c.recordID(1))
	if c.err != nil {
		return c.err
	}
	id, err := c.service.EditMessage(c.ctx, c.caller, message, details)
	return writeInt(c, id, err)
}

func deleteMessage(c *call) error {
	message := audience.MessageID(c.id(1))
	if c.err != nil {
		return c.err
	}
	return writeTrue(c, c.service.DeleteMessage(c.ctx, c.caller, message))
}

func searchMessages(c *call) error {
	q := c.query(1)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchMessages(c.ctx, c.caller, q)
	return writeRecords(c, encoder(audience.MessageAttributes), rows, err)
}

func countMessages(c *call) error {
	q := audience.Query{Criteria: c.criteria(1)}
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchMessages(c.ctx, c.caller, q)
	return writeInt(c, len(rows), err)
}

// getMessageByID returns the contents, which may have megabytes, only on request.
func getMessageByID(c *call) error {
	id, withContents := audience.MessageID(c.id(1)), c.flag(2)
	if c.err != nil {
		return c.err
	}
	attributes := audience.MessageAttributes
	if withContents {
		attributes = audience.WholeMessageAttributes
	}
	message, err := c.service.Message(c.ctx, c.caller, id)
	return writeRecord(c, encoder(attributes), message, err)
}

func getMessagesSentToContact(c *call) error {
	list, contact := c.list(1), c.contact(2)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.MessagesSentToContact(c.ctx, c.caller, list, contact)
	return writeRecords(c, encoder(audience.SentMessageAttributes), rows, err)
}
