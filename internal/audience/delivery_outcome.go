package audience

import (
	"context"
	"errors"
	"fmt"
)

// This file stores the result of a mail that package mail has tried to send.

// Undelivered says why a mail was not sent. Package mail creates it. Its consequences are
// decided in RecordNotSent and, for further attempts, in package jobs.
type Undelivered struct {
	Permanent bool   // another attempt cannot succeed
	Recipient bool   // the mail server refused the recipient's address
	Code      int    // the reply code of the mail server, 0 without a reply
	Detail    string // the text of the reply, or a description of the failure
	Err       error  // the cause, for the log
}

// Error is what operators and callers see of the failure.
func (u *Undelivered) Error() string {
	switch {
	case u.Code != 0:
		return fmt.Sprintf("the mail server answered %d %s", u.Code, u.Detail)
	case u.Err != nil && u.Detail != "":
		return u.Detail + ": " + u.Err.Error()
	case u.Err != nil:
		return u.Err.Error()
	}
	return u.Detail
}

func (u *Undelivered) Unwrap() error { return u.Err }

// ErrSendingPaused says that a mail was not tried, because the mail server does not answer.
// While it does not, package mail lets one mail at a time test it and refuses the others.
var ErrSendingPaused = errors.New("sending is paused: the mail server does not answer")

// RecordSent stores that a mail was sent, with the subject that was sent, and raises the
// Contact's last_message_time.
func (s *Service) RecordSent(ctx context.Context, m *OutgoingMail, subject string) error {
	return s.store.Update(ctx, func(tx Tx) error {
		now := s.now().Unix()
		if err := putSent(tx, m.delivery(subject, now, DeliverySent, "")); err != nil {
			return err
		}
		return tx.RaiseContactTimes(m.Delivery.List, m.Delivery.Contact, now, 0, 0)
	})
}

// RecordNotSent stores that a mail was refused permanently, or failed in all attempts. A
// permanent refusal of the address counts as a bounce of the Contact.
func (s *Service) RecordNotSent(ctx context.Context, m *OutgoingMail, why *Undelivered) error {
	return s.store.Update(ctx, func(tx Tx) error {
		now := s.now().Unix()
		if why.Permanent && why.Recipient {
			return putBounced(tx, m.delivery("", now, DeliveryBounced, why.Error()), now)
		}
		return tx.PutDelivery(m.delivery("", now, DeliveryFailed, why.Error()))
	})
}

// delivery returns the record of a mail. Without a subject, as before composing has
// succeeded, the record has that of the Message, with its merge fields as they are.
func (m *OutgoingMail) delivery(subject string, now int64, status DeliveryStatus, detail string) *Delivery {
	d := &Delivery{DeliveryKey: m.Delivery, Address: m.Address, Subject: subject, SentTime: now, Status: status,
		Detail: detail}
	if m.Message != nil {
		d.MessageID = m.Message.ID
		if subject == "" {
			d.Subject = m.Message.Subject
		}
	}
	return d
}

// putSent stores that a delivery was sent, unless a bounce or a complaint is stored already:
// the report can arrive before the process that sent the mail has stored its result.
func putSent(tx DeliveryTx, d *Delivery) error {
	before, err := tx.Delivery(d.DeliveryKey)
	if ignoreKind(NotFound, err) != nil {
		return err
	}
	if err == nil && (before.Status == DeliveryBounced || before.Status == DeliveryComplained) {
		d.Status, d.Detail = before.Status, before.Detail
	}
	return tx.PutDelivery(d)
}
