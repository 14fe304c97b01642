package rpc

import (
	"strconv"

	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the methods that show a Message as a mail, or send it to addresses of the caller.

// previewMessage returns the mail that a Contact would get. reference.md: previewMessage
func previewMessage(c *call) error {
	message, list, contact := enlist.MessageID(c.id(1)), c.list(2), c.contact(3)
	if c.err != nil {
		return c.err
	}
	m, err := c.service.Messages.PreviewMessage(c.ctx, c.caller, message, list, contact)
	if err != nil {
		return err
	}
	b := append(c.reply.buf, '{')
	for _, member := range []struct{ name, text string }{{"subject", m.Subject}, {"from", m.From}, {"to", m.To},
		{"reply_to", m.ReplyTo}, {"headers", m.Headers}, {"html", m.HTML}, {"text", m.Text}} {
		b = append(appendString(append(appendString(b, member.name), ':'), member.text), ',')
	}
	b = append(strconv.AppendInt(append(b, `"size":`...), m.Size, 10), `,"findings":[`...)
	for i, finding := range m.Findings {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, finding)
	}
	c.reply.buf = append(b, "]}"...)
	return nil
}

// sendTestMessage returns true. reference.md: sendTestMessage
func sendTestMessage(c *call) error {
	r := messages.TestRequest{Message: enlist.MessageID(c.id(1)), Addresses: c.addresses(2), List: c.optionalList(3)}
	if !c.at(4).IsBlank() && c.id(4) != 0 {
		r.Contact = c.contact(4)
	}
	if c.err != nil {
		return c.err
	}
	return writeTrue(c, c.service.Messages.SendTestMessage(c.ctx, c.caller, r))
}

// addresses reads an array of email addresses, or one address.
func (p *params) addresses(i int) (all []string) {
	v := p.at(i)
	items := v.Items
	if v.IsScalar() && !v.IsBlank() {
		items = []enlist.Input{*v}
	}
	for j := range items {
		if items[j].Kind != enlist.InputText {
			p.refusePart(i, "an array of strings", &items[j])
			return nil
		}
		all = append(all, items[j].Text)
	}
	return all
}
