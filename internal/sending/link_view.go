package sending

import (
	"context"
	"slices"

	"enlist/internal/address"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has what the pages of links show and do: unsubscribe, confirm a subscription, and
// show a Contact to the recipient of a notification. The signature of the link gives the
// permission, so no API key is needed. A link may be followed years later, so it is not an
// error if its List or Contact is gone.

// LinkView is the current state of the Contact that a link was made for. decisions.md: 48
type LinkView struct {
	Schema  *enlist.Schema  // nil: the List and the Contact are gone
	Contact *enlist.Contact // nil: the Contact is gone
	Moved   bool            // the Contact's address has changed since the mail was sent
	Unknown bool            // the address of the mail was removed, so it may be another one

	// Subscribed is true if the link can still unsubscribe a Contact: this Contact or, on a
	// List that allows duplicates, another Contact with the same address. If the Contact's
	// address has changed, it is true if the address of the mail can still be unsubscribed.
	Subscribed bool

	// Ticked is the row of the ledger about a tick for the recording of opens and clicks, which holds once the Contact
	// confirms; nil: there is none. Only ViewLink reads it.
	Ticked *enlist.LedgerRow

	sentTo string // the address that the mail went to; "" if it is not known
}

// Address returns the Contact's email address. It returns "" if the mail went to another
// address, because the visitor must not learn the new address.
func (v *LinkView) Address() string {
	if v.Contact == nil || v.Moved || v.Unknown {
		return ""
	}
	return v.email()
}

// Language returns the language in which the Contact subscribed, or "".
func (v *LinkView) Language() string {
	if v.Contact == nil {
		return ""
	}
	return v.Contact.Language
}

func (v *LinkView) email() string { return v.Contact.Values.Get(v.Schema.Email().ID) }

// Confirmation says what a link that confirms a subscription can still do.
type Confirmation int

// The states of a confirmation. If several states apply, Confirmation returns the first one
// in this list.
const (
	ConfirmationGone  Confirmation = iota // the List or the Contact is gone
	ConfirmationEnded                     // the Contact has unsubscribed
	ConfirmationMoved                     // the address has changed; no request was sent to the new one
	ConfirmationDone                      // confirmed already
	ConfirmationOpen                      // can be confirmed
)

// Confirmation returns the state of the subscription that a LinkConfirm would confirm.
func (v *LinkView) Confirmation() Confirmation {
	switch {
	case v.Contact == nil:
		return ConfirmationGone
	case v.Contact.IsUnsubscribed:
		return ConfirmationEnded
	case v.Moved, v.Unknown && !v.Contact.DoubleOptIn:
		return ConfirmationMoved
	case v.Contact.DoubleOptIn:
		return ConfirmationDone
	}
	return ConfirmationOpen
}

// ViewLink returns the state of the Contact that a link was made for. It changes nothing.
func (s *Service) ViewLink(ctx context.Context, d enlist.DeliveryKey) (*LinkView, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*LinkView, error) {
		v, err := loadLinkView(tx, d)
		if err == nil && v.Confirmation() == ConfirmationOpen && v.Schema.List.DoubleOptIn {
			v.Ticked, err = contacts.TickToConfirm(tx, v.Contact)
		}
		return v, err
	})
}

// loadLinkView reads the state of a link's Contact. If the List or the Contact is gone, Contact is
// nil in the result. If the List is gone, Schema is nil too.
func loadLinkView(tx *db.Tx, d enlist.DeliveryKey) (v *LinkView, err error) {
	v = new(LinkView)
	v.Schema, err = lists.Schema(tx, d.List)
	if err != nil {
		return v, enlist.IgnoreKind(enlist.NoList, err)
	}
	v.Contact, err = contacts.ByID(tx, d.List, d.Contact)
	if err != nil {
		return v, enlist.IgnoreKind(enlist.NoContact, err)
	}
	delivery, err := batches.LoadDelivery(tx, d)
	if err != nil && enlist.KindOf(err) != enlist.NotFound {
		return v, err
	}
	if err == nil && delivery.Address == contacts.ErasedAddress { // the link must not show a Contact that has another address now
		v.Contact = nil
		return v, nil
	}
	if err == nil {
		_, key, ok := address.ParseEmail(delivery.Address)
		v.Moved = ok && !contacts.IsSameAddress(v.Contact.Key, key)
		v.sentTo, v.Unknown = delivery.Address, delivery.HasNoTexts()
	}
	v.Subscribed, err = v.isAnySubscribed(tx)
	return v, err
}

// isAnySubscribed reports whether the link can still unsubscribe: see LinkView.Subscribed.
func (v *LinkView) isAnySubscribed(tx *db.Tx) (bool, error) {
	list, key := &v.Schema.List, v.Contact.Key
	switch {
	case v.Moved:
		_, key, _ = address.ParseEmail(v.sentTo)
		known, err := contacts.UnsubscribedAmong(tx, list.AccountID, list.ID, []string{key})
		if err != nil || !known[key] {
			return true, err
		}
	case !v.Contact.IsUnsubscribed || v.Schema.Unique || v.email() == "":
		return !v.Contact.IsUnsubscribed, nil
	}
	others, err := contacts.ByAddress(tx, list.ID, key, "", 0, contacts.MaxUnsubscribe)
	return slices.ContainsFunc(others, func(c enlist.Contact) bool { return !c.IsUnsubscribed }), err
}

// UnsubscribeByLink unsubscribes the Contact and all other Contacts of the List with its
// address. If the Contact's address has changed, it unsubscribes the address that
// the mail went to instead. A second call changes nothing. It returns the state before the call. ip is the
// visitor's address for the consent ledger, or "". decisions.md: 89
func (s *Service) UnsubscribeByLink(ctx context.Context, d enlist.DeliveryKey, ip string) (*LinkView, error) {
	v, err := s.ViewLink(ctx, d)
	if err != nil || v.Contact == nil {
		return v, err
	}
	// These methods need a Caller. This Caller may access every List of the Account.
	caller := &enlist.Caller{Account: &enlist.Account{ID: v.Schema.List.AccountID}, Key: new(enlist.Key)}
	step := contacts.UnsubscribeStep{List: d.List, By: contacts.Origin{Method: contacts.MethodUnsubscribeLink, IP: ip}}
	if v.Moved {
		step.Address = v.sentTo
		_, err = s.contacts.UnsubscribeAddress(ctx, caller, step)
		if err == nil {
			err = s.db.Update(ctx, func(tx *db.Tx) error {
				now := s.db.Now().Unix()
				if err := recordUnsubscribed(tx, &v.Schema.List, v.sentTo, now); err != nil {
					return err
				}
				return batches.CountUnsubscribed(tx, d, now)
			})
		}
		return v, enlist.IgnoreKind(enlist.NoList, err)
	}
	err = s.unsubscribeByMail(ctx, caller, d, step.By)
	if err == nil && v.email() != "" && !v.Schema.Unique {
		step.Address = v.email()
		_, err = s.contacts.UnsubscribeAddress(ctx, caller, step)
	}
	return v, enlist.IgnoreKind(enlist.NoContact, enlist.IgnoreKind(enlist.NoList, err))
}

// recordUnsubscribed adds an email address to the Unsubscriber List, unless it has an entry of this
// List already.
func recordUnsubscribed(tx *db.Tx, list *enlist.List, email string, now int64) error {
	u := contacts.Unsubscriber{ListID: list.ID, AddressType: enlist.AddressEmail, Time: now}
	u.Address, u.AddressKey, _ = address.ParseEmail(email)
	known, err := contacts.UnsubscribedAmong(tx, list.AccountID, list.ID, []string{u.AddressKey})
	if err != nil || known[u.AddressKey] {
		return err
	}
	return contacts.AddUnsubscriber(tx, list.AccountID, &u)
}

// unsubscribeByMail unsubscribes the Contact of a delivery, and counts this for a Batch.
func (s *Service) unsubscribeByMail(ctx context.Context, c *enlist.Caller, d enlist.DeliveryKey,
	by contacts.Origin) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		schema, contact, err := contacts.Load(tx, c, d.List, d.Contact)
		if err != nil || contact.IsUnsubscribed {
			return err
		}
		now := s.db.Now().Unix()
		if err := contacts.Unsubscribe(tx, schema, contact, schema.AddressType(contact), by, now); err != nil {
			return err
		}
		return batches.CountUnsubscribed(tx, d, now)
	})
}

// ConfirmByLink confirms the subscription if its state is ConfirmationOpen. It returns the
// state after the call. ip is the visitor's address for the consent ledger, or "". tracking is what the visitor decides
// about the recording of opens and clicks, or nil. decisions.md: 48, 89
func (s *Service) ConfirmByLink(ctx context.Context, d enlist.DeliveryKey, ip string,
	tracking *contacts.TrackingDecision) (*LinkView, error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*LinkView, error) {
		v, err := loadLinkView(tx, d)
		if err != nil || v.Confirmation() != ConfirmationOpen {
			return v, err
		}
		err = s.contacts.ConfirmSubscription(tx, v.Schema, v.Contact,
			contacts.Origin{Method: contacts.MethodConfirmLink, IP: ip, Text: v.Schema.List.ConsentText}, now)
		if err == nil && tracking != nil {
			err = contacts.DecideTracking(tx, v.Schema, v.Contact, tracking, now)
		}
		return v, err
	})
}

// ContactPageLife is how long after the event the link in a notification shows the Contact, in
// seconds.
const ContactPageLife = 30 * 24 * 60 * 60

// ContactPage is the data of a Contact that the recipient of a notification sees.
type ContactPage struct {
	LinkView
	Expired bool              // the event is older than ContactPageLife; all other fields are empty
	Consent *enlist.LedgerRow // the newest consent; nil if there is none
}

// ViewContactPage returns the Contact that a notification is about.
func (s *Service) ViewContactPage(ctx context.Context, d enlist.DeliveryKey) (*ContactPage, error) {
	if s.db.Now().Unix() > d.Time+ContactPageLife {
		return &ContactPage{Expired: true}, nil
	}
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*ContactPage, error) {
		view, err := loadLinkView(tx, d)
		if err != nil {
			return nil, err
		}
		v := &ContactPage{LinkView: *view}
		if v.Contact == nil {
			return v, nil
		}
		ledger, err := contacts.Consents(tx, d.List, d.Contact, 1, 0)
		if err == nil && len(ledger) > 0 {
			v.Consent = &ledger[0]
		}
		return v, err
	})
}
