package audience

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the result of a mail that package mail has tried to send.

// Undelivered says why a mail was not sent. Package mail creates it. Package jobs decides
// whether to try again, and RecordNotSent stores a final failure.
type Undelivered struct {
	Permanent bool   // another attempt cannot succeed
	Recipient bool   // the mail server refused the recipient's address
	Unknown   bool   // the mail server may have accepted the mail
	Slower    bool   // the mail server asks for fewer mails
	Code      int    // the reply code of the mail server; 0 if it sent no reply
	Detail    string // the text of the reply, or a description of the failure
	Err       error  // the cause, for the log
}

// Error returns the text that operators and callers see.
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

// ErrSendingPaused means that package mail did not try to send a mail, because the mail server
// does not answer. Until the server answers, package mail tries one mail at a time. For all other
// mails it returns this error.
var ErrSendingPaused = errors.New("sending is paused: the mail server does not answer")

// Sent returns the delivery of a mail that was sent now, for RecordSent. subject is the subject that was
// sent. Unlike the mail, the delivery needs little memory.
func (s *Service) Sent(m *OutgoingMail, subject string) Delivery {
	return *m.delivery(subject, s.db.Now().Unix(), DeliverySent, "")
}

// RecordSent stores deliveries that Sent returned, in one transaction, and raises the last_message_time of
// the Contacts. It sorts the deliveries, so that all transactions lock Contacts in the same order.
func (s *Service) RecordSent(ctx context.Context, sent []Delivery) error {
	slices.SortFunc(sent, func(a, b Delivery) int {
		return cmp.Or(cmp.Compare(a.List, b.List), cmp.Compare(a.Contact, b.Contact))
	})
	return s.db.Update(ctx, func(tx *db.Tx) error {
		for i := range sent {
			d := &sent[i]
			err := errors.Join(PutSent(tx, d), RaiseContactTimes(tx, d.List, d.Contact, d.SentTime, 0, 0))
			if err != nil {
				return err
			}
		}
		return countSent(tx, sent)
	})
}

// RecordNotSent stores that a mail was refused permanently or that all attempts failed. It
// treats a permanent refusal of the address as a bounce.
func (s *Service) RecordNotSent(ctx context.Context, m *OutgoingMail, why *Undelivered) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		now := s.db.Now().Unix()
		d := m.delivery("", now, DeliveryFailed, why.Error())
		if why.Permanent && why.Recipient {
			d.Status = DeliveryBounced
		}
		if err := PutDelivery(tx, d); err != nil {
			return err
		}
		recipient, counts, err := countNotSent(tx, d)
		if err != nil {
			return err
		}
		if d.Status == DeliveryBounced {
			if err := publishMail(tx, m.Delivery, now, enlist.WebhookBounced); err != nil {
				return err
			}
			if err := countBounce(tx, d.DeliveryKey, recipient, &counts, now); err != nil {
				return err
			}
		}
		if recipient == nil {
			return nil
		}
		return AddToBatch(tx, recipient.Batch, counts, now)
	})
}

// delivery returns the record of a mail. If the mail could not be composed, subject is "".
// Then the record has the subject of the Message, whose merge fields are not filled.
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
