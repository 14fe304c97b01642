package audience

import (
	"context"
	"slices"
	"time"
)

// Notification returns what a message to one of a List's addresses tells, nil
// when the List is gone.
func (s *Service) Notification(ctx context.Context, e Notify) (n *Notification, err error) {
	err = s.store.View(ctx, func(tx Tx) error {
		n = nil
		schema, err := tx.Schema(e.List)
		if err != nil {
			return ignoreKind(NoList, err)
		}
		found := Notification{Notify: e, Schema: schema}
		if found.Details, err = tx.Contact(e.List, e.Contact); ignoreKind(NoContact, err) != nil {
			return err
		}
		ledger, err := tx.LedgerRows(e.List, e.Contact, consentsLookedAt, 0)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(ledger, func(r LedgerRow) bool { return r.Time <= e.Time }); i >= 0 && e.Event == EventSubscribe {
			found.Consent = &ledger[i]
		}
		n = &found
		return nil
	})
	return n, err
}

// consentsLookedAt bounds how far back the consent of an event is looked for.
const consentsLookedAt = 100

// AutoresponderMail returns what an autoresponder is to send to a Contact now:
// nil when there is nothing to send, because it was sent already, or the Contact,
// the List, the autoresponder or the Message is gone, or the Contact is not to
// receive it any more. decisions.md: 46
func (s *Service) AutoresponderMail(ctx context.Context, e Autorespond) (*OutgoingMail, error) {
	key := DeliveryKey{List: e.List, Contact: e.Contact, Time: e.Time, Cause: CauseAutoresponder(e.Autoresponder)}
	return s.letter(ctx, key, func(tx Tx, l *OutgoingMail) (bool, error) {
		i := slices.IndexFunc(l.Schema.Autoresponders, func(a Autoresponder) bool { return a.ID == e.Autoresponder })
		if i < 0 {
			return false, nil
		}
		a := &l.Schema.Autoresponders[i]
		if !a.IsActive || !l.Contact.receives(l.Schema, a.Event) {
			return false, nil
		}
		var err error
		l.Message, err = tx.Message(a.AccountID, a.MessageID)
		return err == nil && l.Message.Type == MessageEmail, ignoreKind(NoMessage, err)
	})
}

// ConfirmationMail returns the request to confirm a subscription, nil when
// there is no need to ask any more.
func (s *Service) ConfirmationMail(ctx context.Context, e RequestConfirmation) (*OutgoingMail, error) {
	key := DeliveryKey{List: e.List, Contact: e.Contact, Time: e.Time, Cause: CauseConfirmation}
	return s.letter(ctx, key, func(tx Tx, l *OutgoingMail) (bool, error) {
		return l.Contact.IsActive && !l.Contact.IsUnsubscribed && !l.Contact.DoubleOptIn, nil
	})
}

func (s *Service) letter(ctx context.Context, key DeliveryKey, prepare func(Tx, *OutgoingMail) (bool, error)) (letter *OutgoingMail, err error) {
	err = s.store.View(ctx, func(tx Tx) error {
		letter = nil
		switch sent, err := tx.Delivery(key); {
		case err != nil && KindOf(err) != NotFound:
			return err
		case err == nil && sent.Status != DeliveryFailed && sent.Status != DeliveryBounced:
			return nil // what was refused may be tried again by hand
		}
		var err error
		l := OutgoingMail{Delivery: key}
		if l.Schema, err = tx.Schema(key.List); err != nil {
			return ignoreKind(NoList, err)
		}
		if l.Contact, err = tx.Contact(key.List, key.Contact); err != nil {
			return ignoreKind(NoContact, err)
		}
		if l.Address = l.Contact.Values.Get(l.Schema.Email().ID); l.Address == "" {
			return nil
		}
		if send, err := prepare(tx, &l); err != nil || !send {
			return err
		}
		letter = &l
		return nil
	})
	return letter, err
}

// receives reports whether a Contact is to receive a Message because of an
// event. What answers an unsubscription goes to those who still are
// unsubscribed, everything else to those who are not. Nothing goes to an address
// whose owner was to confirm and did not: it may be somebody else's. decisions.md: 46, 47
func (c *Contact) receives(schema *Schema, event Event) bool {
	if !c.IsActive || schema.List.DoubleOptIn && !c.DoubleOptIn {
		return false
	}
	return c.IsUnsubscribed == (event == EventUnsubscribe)
}

// RecordSent notes that a letter was sent, with its subject as it went out.
func (s *Service) RecordSent(ctx context.Context, l *OutgoingMail, subject string) error {
	return s.store.Update(ctx, func(tx Tx) error {
		now := s.now().Unix()
		if err := sent(tx, l.record(subject, now, DeliverySent, "")); err != nil {
			return err
		}
		return tx.RaiseContactTimes(l.Delivery.List, l.Delivery.Contact, now, 0, 0)
	})
}

// RecordNotSent notes that a letter was refused for good, or given up on. Where the
// address was refused it counts as a bounce of the Contact.
func (s *Service) RecordNotSent(ctx context.Context, l *OutgoingMail, why *Undelivered) error {
	return s.store.Update(ctx, func(tx Tx) error {
		now := s.now().Unix()
		if why.Permanent && why.Recipient {
			return bounced(tx, l.record("", now, DeliveryBounced, why.Error()), now)
		}
		return tx.PutDelivery(l.record("", now, DeliveryFailed, why.Error()))
	})
}

func (l *OutgoingMail) record(subject string, now int64, status DeliveryStatus, detail string) *Delivery {
	d := &Delivery{DeliveryKey: l.Delivery, Address: l.Address, Subject: subject, SentTime: now, Status: status, Detail: detail}
	if l.Message != nil {
		d.MessageID = l.Message.ID
		if subject == "" {
			d.Subject = l.Message.Subject
		}
	}
	return d
}

// Until returns how long it is until a time in Unix seconds, not above 0 when
// that has come.
func (s *Service) Until(at int64) time.Duration { return time.Unix(at, 0).Sub(s.now()) }
