package rpc

import (
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/reports"
)

// This file has methods that read Messages and sent mails. Each method reads its parameters, calls
// the service and writes the result.

// getMessageByID returns an array of one Message. It returns the contents only if the caller asks
// for them, because they can be several MiB long.
func getMessageByID(c *call) error {
	id, withContents := enlist.MessageID(c.id(1)), c.flag(2)
	if c.err != nil {
		return c.err
	}
	attributes := messages.MessageAttributes
	if withContents {
		attributes = messages.WholeMessageAttributes
	}
	message, err := c.service.Messages.Message(c.ctx, c.caller, id)
	return writeRecord(c, encoder(attributes), message, err)
}

// getTheme returns the theme of the Account.
func getTheme(c *call) error {
	t, err := c.service.Messages.Theme(c.ctx, c.caller)
	return writeObject(c, encoder(messages.ThemeAttributes), t, err)
}

// setTheme changes the theme of the Account.
func setTheme(c *call) error {
	details := c.recordDetails(1)
	if c.err != nil {
		return c.err
	}
	return writeTrue(c, c.service.Messages.SetTheme(c.ctx, c.caller, details))
}

// getContactDeliveries returns the mails to a Contact, newest first. It includes the mails
// that failed or bounced.
func getContactDeliveries(c *call) error {
	list, contact := c.list(1), c.contact(2)
	if c.err != nil {
		return c.err
	}
	each := encoder(reports.ContactDeliveryAttributes)
	return writeRows(c, each, func(w enlist.RowWriter[reports.ContactDelivery]) error {
		return c.service.Reports.ContactDeliveries(c.ctx, c.caller, list, contact, w)
	})
}

// getMessagesSentToContact returns the Messages that were sent to a Contact, newest first.
func getMessagesSentToContact(c *call) error {
	r := reports.SentRequest{List: c.list(1), Contact: c.contact(2), Type: c.text(3), From: c.amount(4, 0),
		To: c.amount(5, 0)}
	if c.err != nil {
		return c.err
	}
	each := encoder(reports.SentMessageAttributes)
	return writeRows(c, each, func(w enlist.RowWriter[reports.SentMessage]) error {
		return c.service.Reports.MessagesSentToContact(c.ctx, c.caller, r, w)
	})
}
