package batches

import (
	"context"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the call that returns the mails to a Contact: the sent mails and the failed mails.

// SentMessage is a Delivery as callers see it.
type SentMessage struct {
	messages.Delivery
	Autoresponder enlist.AutoresponderID // 0: the mail is the request to confirm the subscription
	Name          string                 // of the Message; "" if the Message was deleted
}

// SentMessageAttributes are the keys of a SentMessage record, in their order on the wire.
var SentMessageAttributes = []enlist.Attribute[SentMessage]{
	enlist.ReadOnlyInt("message_id", func(m *SentMessage) enlist.MessageID { return m.MessageID }),
	enlist.ReadOnlyInt("autoresponder_id", func(m *SentMessage) enlist.AutoresponderID { return m.Autoresponder }),
	enlist.ReadOnlyText("name", func(m *SentMessage) string { return m.Name }),
	enlist.ReadOnlyText("subject", func(m *SentMessage) string { return m.Subject }),
	enlist.ReadOnlyText("address", func(m *SentMessage) string { return m.Address }),
	enlist.ReadOnlyInt("time", func(m *SentMessage) int64 { return m.SentTime }),
	enlist.ReadOnlyText("status", func(m *SentMessage) messages.DeliveryStatus { return m.Status }),
	enlist.ReadOnlyText("detail", func(m *SentMessage) string { return m.Detail }),
}

// MessagesSentToContact returns the mails that were sent to a Contact and the mails that failed,
// newest first. Errors: NoList, Denied, NoContact, and Busy if too many streams run.
// decisions.md: 54
func (s *Service) MessagesSentToContact(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.ContactID,
	w enlist.RowWriter[SentMessage]) error {
	return s.contacts.InPhases(ctx, c, func(tx *db.Tx, p contacts.Phase) error {
		if _, _, err := contacts.Load(tx, c, list, id); err != nil {
			return err
		}
		names, err := MessageNames(tx, c)
		if err != nil {
			return err
		}
		rows := &enlist.PagedRows[SentMessage]{RowWriter: w, Streaming: p == contacts.Streaming}
		if err := rows.Begin(rows.Streaming); err != nil {
			return err
		}
		return EachDelivery(tx, list, id, enlist.RowPage, func(d *messages.Delivery) (more bool, err error) {
			return true, rows.Row(&SentMessage{*d, d.Autoresponder(), names[d.MessageID]})
		})
	})
}

// MessageNames returns the names of the Account's Messages.
func MessageNames(tx *db.Tx, c *enlist.Caller) (map[enlist.MessageID]string, error) {
	messages, err := messages.Messages(tx, c.Account.ID)
	if err != nil {
		return nil, err
	}
	names := make(map[enlist.MessageID]string, len(messages))
	for i := range messages {
		names[messages[i].ID] = messages[i].Name
	}
	return names, nil
}
