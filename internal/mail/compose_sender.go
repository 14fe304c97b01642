package mail

import (
	"cmp"
	"context"
	"errors"

	"enlist/internal/address"
	"enlist/internal/messages"
)

// This file fills the sender and the address for replies of a mail with the values of its Contact.

// fillSender sets the addresses of a header. A sender that depends on the Contact is checked for each mail, with the
// addresses that its name shows: the checks of the Batch do not know it. decisions.md: 128
func (c *composer) fillSender(ctx context.Context, l *messages.OutgoingMail, h *header) error {
	from, replyTo, err := l.FillSender()
	if err != nil {
		return err
	}
	h.from, h.replyTo = cmp.Or(from, h.from), replyTo
	if !messages.HasMergeFields(l.Message.FromAddress) || c.domains == nil {
		return nil
	}
	for _, sender := range append(address.Shown(oneLine(h.fromName)), h.from) {
		why, err := c.domains.RefusedDomain(ctx, h.account, address.Domain(sender))
		switch {
		case err != nil:
			return &messages.Undelivered{Detail: "check the sender", Err: err}
		case why != "":
			return unsendable("the merge fields of from_address make a sender that is refused", errors.New(why))
		}
	}
	return nil
}
