package audience

import (
	"context"
	"slices"
	"time"

	"enlist/internal/address"
)

// The workers of package jobs call this file when a mail is due. It decides whether the mail
// must still be sent, and reads what the mail needs. After the job was stored, the Contact may
// have unsubscribed, and the List, the Message or the autoresponder may have been deleted.

// Notification returns the content of a notification of an event, or nil if the List is gone.
func (s *Service) Notification(ctx context.Context, e Notify) (*Notification, error) {
	return ownView(ctx, s, func(tx Tx) (*Notification, error) {
		schema, err := tx.Schema(e.List)
		if err != nil {
			return nil, ignoreKind(NoList, err)
		}
		n := &Notification{Notify: e, Schema: schema}
		n.Details, err = tx.Contact(e.List, e.Contact)
		if ignoreKind(NoContact, err) != nil {
			return nil, err
		}
		ledger, err := tx.Consents(e.List, e.Contact, maxConsentRows, 0)
		if err != nil {
			return nil, err
		}
		// Rows are newest first. So the row of the event is the first row that is not later.
		i := slices.IndexFunc(ledger, func(r LedgerRow) bool { return r.Time <= e.Time })
		if i >= 0 && e.Event == EventSubscribe {
			n.Consent = &ledger[i]
		}
		return n, nil
	})
}

// maxConsentRows is the largest number of ledger rows that Notification reads to find the consent
// of an event.
const maxConsentRows = 100

// AutoresponderMail returns the mail of an autoresponder to a Contact. It returns nil if there
// is nothing to send: the mail was sent already, the Contact must not receive it any more, or
// the Contact, List, autoresponder or Message is gone. decisions.md: 46
func (s *Service) AutoresponderMail(ctx context.Context, e Autorespond) (*OutgoingMail, error) {
	key := DeliveryKey{List: e.List, Contact: e.Contact, Time: e.Time, Cause: CauseAutoresponder(e.Autoresponder)}
	return s.prepareMail(ctx, key, func(tx Tx, m *OutgoingMail) (bool, error) {
		i := slices.IndexFunc(m.Schema.Autoresponders, func(a Autoresponder) bool { return a.ID == e.Autoresponder })
		if i < 0 {
			return false, nil
		}
		a := &m.Schema.Autoresponders[i]
		if !a.IsActive || !m.Contact.receives(m.Schema, a.Event) {
			return false, nil
		}
		var err error
		m.Message, err = tx.Message(a.AccountID, a.MessageID)
		if err != nil || m.Message.Type != MessageEmail {
			return false, ignoreKind(NoMessage, err)
		}
		m.Files, err = messageFiles(tx, m.Message)
		return err == nil, err
	})
}

// ConfirmationMail returns the request to confirm a subscription. It returns nil if the request
// was sent already, if there is no subscription to confirm any more, or if the address was asked
// less than confirmationInterval before. The link of the earlier request is then still valid.
func (s *Service) ConfirmationMail(ctx context.Context, e RequestConfirmation) (*OutgoingMail, error) {
	key := DeliveryKey{List: e.List, Contact: e.Contact, Time: e.Time, Cause: CauseConfirmation}
	return s.prepareMail(ctx, key, func(tx Tx, m *OutgoingMail) (bool, error) {
		if !m.Contact.IsActive || m.Contact.IsUnsubscribed || m.Contact.DoubleOptIn {
			return false, nil
		}
		asked, err := m.wasAsked(tx)
		return !asked, err
	})
}

// wasAsked reports whether an earlier request to confirm went to the address of m, for an event less
// than confirmationInterval before. Otherwise a caller who changes an address to and fro would flood
// it with mail. decisions.md: 47
func (m *OutgoingMail) wasAsked(tx DeliveryTx) (bool, error) {
	deliveries, err := tx.Deliveries(m.Delivery.List, m.Delivery.Contact, maxDeliveries, 0)
	return slices.ContainsFunc(deliveries, func(d Delivery) bool {
		_, to, ok := address.ParseEmail(d.Address)
		return d.Cause == CauseConfirmation && d.Status == DeliverySent && ok && isSameAddress(m.Contact.Key, to) &&
			d.Time > m.Delivery.Time-confirmationInterval && d.Time < m.Delivery.Time
	}), err
}

// prepareMail reads the data that every mail to a Contact needs. complete adds other data, and
// returns false if the mail must not be sent. Then prepareMail returns nil. It also returns nil
// if the mail was sent before, if the List or the Contact is gone, or if the Contact has no
// email address.
func (s *Service) prepareMail(ctx context.Context, key DeliveryKey,
	complete func(Tx, *OutgoingMail) (send bool, err error)) (*OutgoingMail, error) {
	return ownView(ctx, s, func(tx Tx) (*OutgoingMail, error) {
		stored, err := tx.Delivery(key)
		if ignoreKind(NotFound, err) != nil {
			return nil, err
		}
		// The operator may retry a failed job. A mail that was sent is never sent again.
		if err == nil && stored.Status != DeliveryFailed && stored.Status != DeliveryBounced {
			return nil, nil
		}
		m := &OutgoingMail{Delivery: key}
		m.Schema, err = tx.Schema(key.List)
		if err != nil {
			return nil, ignoreKind(NoList, err)
		}
		m.Contact, err = tx.Contact(key.List, key.Contact)
		if err != nil {
			return nil, ignoreKind(NoContact, err)
		}
		m.Address = m.Contact.Values.Get(m.Schema.Email().ID)
		if m.Address == "" {
			return nil, nil
		}
		if send, err := complete(tx, m); err != nil || !send {
			return nil, err
		}
		return m, nil
	})
}

// receives reports whether the server should send a Contact the Message for an event. A Message for
// the event unsubscribe goes only to Contacts that are still unsubscribed. Any other Message
// goes only to subscribed Contacts. With double opt-in, a Contact that has not confirmed
// receives no Message, because the address can belong to another person. decisions.md: 46, 47
func (c *Contact) receives(schema *Schema, event Event) bool {
	if !c.IsActive || schema.List.DoubleOptIn && !c.DoubleOptIn {
		return false
	}
	return c.IsUnsubscribed == (event == EventUnsubscribe)
}

// Until returns the duration from now to a time in Unix seconds. The duration is 0 or less if
// the time has passed.
func (s *Service) Until(at int64) time.Duration { return time.Unix(at, 0).Sub(s.now()) }
