package sending

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file stores the result of a mail that package mail has tried to send.

// ErrSendingPaused means that package mail did not try to send a mail, because the mail server
// does not answer. Until the server answers, package mail tries one mail at a time. For all other
// mails it returns this error.
var ErrSendingPaused = errors.New("sending is paused: the mail server does not answer")

// Sent returns the delivery of a mail that was sent now, for RecordSent. subject is the subject that was
// sent. Unlike the mail, the delivery needs little memory.
func (s *Service) Sent(m *messages.OutgoingMail, subject string) messages.Delivery {
	return *delivery(m, subject, s.db.Now().Unix(), messages.DeliverySent, "")
}

// RecordSent stores deliveries that Sent returned, in one transaction, and raises the last_message_time of
// the Contacts. It sorts the deliveries, so that all transactions lock Contacts in the same order.
func (s *Service) RecordSent(ctx context.Context, sent []messages.Delivery) error {
	slices.SortFunc(sent, func(a, b messages.Delivery) int {
		return cmp.Or(cmp.Compare(a.List, b.List), cmp.Compare(a.Contact, b.Contact))
	})
	return s.db.Update(ctx, func(tx *db.Tx) error {
		for i := range sent {
			d := &sent[i]
			err := errors.Join(d.PutSent(tx), contacts.RaiseTimes(tx, d.List, d.Contact, d.SentTime, 0,
				0))
			if err != nil {
				return err
			}
		}
		return countSent(tx, sent)
	})
}

// RecordNotSent stores that a mail was refused permanently or that all attempts failed. It
// treats a permanent refusal of the address as a bounce.
func (s *Service) RecordNotSent(ctx context.Context, m *messages.OutgoingMail, why *messages.Undelivered) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		now := s.db.Now().Unix()
		d := delivery(m, "", now, messages.DeliveryFailed, why.Error())
		if why.Permanent && why.Recipient {
			d.Status = messages.DeliveryBounced
		}
		if err := d.Put(tx); err != nil {
			return err
		}
		recipient, counts, err := countNotSent(tx, d)
		if err != nil {
			return err
		}
		if d.Status == messages.DeliveryBounced {
			if err := batches.PublishMail(tx, m.Delivery, now, enlist.WebhookBounced); err != nil {
				return err
			}
			if err := countBounce(tx, d.DeliveryKey, recipient, &counts, now); err != nil {
				return err
			}
		}
		if recipient == nil {
			return nil
		}
		if err := batches.AddToBatch(tx, recipient.Batch, counts, now); err != nil || counts.Bounced == 0 {
			return err
		}
		var domains recipients.DomainChanges
		n := domains.Because(d.Address, d.Detail)
		n.Refused, n.Bounced = 1, 1
		return domains.Store(tx, recipient.Batch)
	})
}

// delivery returns the record of a mail. If the mail could not be composed, subject is "".
// Then the record has the subject of the Message, whose merge fields are not filled.
func delivery(m *messages.OutgoingMail, subject string, now int64, status messages.DeliveryStatus,
	detail string) *messages.Delivery {
	d := &messages.Delivery{DeliveryKey: m.Delivery, Address: m.Address, Subject: subject, SentTime: now,
		Status: status,
		Detail: detail, Unmeasured: m.Unmeasured()}
	if m.Message != nil {
		d.MessageID = m.Message.ID
		if subject == "" {
			d.Subject = m.Message.Subject
		}
	}
	return d
}
