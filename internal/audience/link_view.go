package audience

import (
	"context"
	"slices"
	"strings"
)

// LinkView is what somebody meets who follows a link from a mail: the Contact for
// whom it was made, as it is now. Whoever has the link may do what it says;
// no key is asked for. decisions.md: 48
type LinkView struct {
	Schema  *Schema  // nil: the List is gone, and the Contact with it
	Contact *Contact // nil: the Contact is gone
	Moved   bool     // the mail went to another address than the Contact has now

	// Subscribed is whether the Contact is, or on a List that has addresses more
	// than once another Contact with the address: there is somebody to unsubscribe.
	Subscribed bool
}

// Address is the address that a visitor knows: the Contact's Email, "" when it
// has none or has another by now.
func (v *LinkView) Address() string {
	if v.Contact == nil || v.Moved {
		return ""
	}
	return v.email()
}

func (v *LinkView) email() string { return v.Contact.Values.Get(v.Schema.Email().ID) }

// Confirmation says what a link that confirms a subscription can still do.
type Confirmation int

// What there may be to confirm, the first one that is true.
const (
	ConfirmationGone  Confirmation = iota // no List or no Contact any more
	ConfirmationEnded                     // the Contact has unsubscribed
	ConfirmationMoved                     // another address than the one that was asked would be confirmed
	ConfirmationDone                      // confirmed already
	ConfirmationOpen
)

// Confirmation returns what a link that confirms can do for this Contact.
func (v *LinkView) Confirmation() Confirmation {
	switch {
	case v.Contact == nil:
		return ConfirmationGone
	case v.Contact.IsUnsubscribed:
		return ConfirmationEnded
	case v.Moved:
		return ConfirmationMoved
	case v.Contact.DoubleOptIn:
		return ConfirmationDone
	}
	return ConfirmationOpen
}

// Visit returns what a link leads to and changes nothing. That List or Contact
// are gone is no error.
func (s *Service) ViewLink(ctx context.Context, d DeliveryKey) (v *LinkView, err error) {
	err = s.store.View(ctx, func(tx Tx) error {
		v, err = visit(tx, d)
		return err
	})
	return v, err
}

func visit(tx Tx, d DeliveryKey) (v *LinkView, err error) {
	v = new(LinkView)
	if v.Schema, err = tx.Schema(d.List); err != nil {
		return v, ignoreKind(NoList, err)
	}
	if v.Contact, err = tx.Contact(d.List, d.Contact); err != nil {
		return v, ignoreKind(NoContact, err)
	}
	delivery, err := tx.Delivery(d)
	if err != nil && KindOf(err) != NotFound {
		return v, err
	}
	if err == nil {
		_, key, ok := ParseEmail(delivery.Address)
		v.Moved = ok && key != v.Contact.Key
	}
	v.Subscribed, err = subscribedStill(tx, v)
	return v, err
}

func subscribedStill(tx Tx, v *LinkView) (bool, error) {
	if !v.Contact.IsUnsubscribed || v.Schema.List.DisallowDuplicates || v.email() == "" {
		return !v.Contact.IsUnsubscribed, nil
	}
	others, err := tx.ContactsByAddress(v.Schema.List.ID, v.Contact.Key, "", 0, unsubscribeStep)
	return slices.ContainsFunc(others, func(c Contact) bool { return !c.IsUnsubscribed }), err
}

// UnsubscribeByLink unsubscribes the Contact, and where a List has the address
// more than once all who have it. Done a second time it changes nothing, and
// that List or Contact are gone is no error. decisions.md: 48
func (s *Service) UnsubscribeByLink(ctx context.Context, d DeliveryKey) (*LinkView, error) {
	v, err := s.ViewLink(ctx, d)
	if err != nil || v.Contact == nil {
		return v, err
	}
	operator := &Caller{Account: &Account{ID: v.Schema.List.AccountID}, Key: new(Key)}
	_, err = s.UnsubscribeByID(ctx, operator, d.List, d.Contact)
	if err == nil && v.email() != "" && !v.Schema.List.DisallowDuplicates {
		_, err = s.Unsubscribe(ctx, operator, d.List, v.email())
	}
	return v, ignoreKind(NoContact, ignoreKind(NoList, err))
}

// ConfirmByLink confirms the subscription if there is one to confirm. The Visit
// is as it is after that. decisions.md: 48
func (s *Service) ConfirmByLink(ctx context.Context, d DeliveryKey) (v *LinkView, err error) {
	err = s.store.Update(ctx, func(tx Tx) error {
		if v, err = visit(tx, d); err != nil || v.Confirmation() != ConfirmationOpen {
			return err
		}
		return confirmSubscription(tx, v.Schema, v.Contact, s.now().Unix())
	})
	return v, err
}

// ContactPageLife is for how long after the event those who were notified of it
// can look at the Contact, in seconds. decisions.md: 48
const ContactPageLife = 30 * 24 * 60 * 60

// ContactPage is what those who were notified see of a Contact.
type ContactPage struct {
	LinkView
	Expired bool       // longer than ContactPageLife after the event: the rest is empty
	Consent *LedgerRow // the newest; nil when there is none
}

// ViewContactPage returns a Contact for those who were notified of an event. That
// List or Contact are gone is no error.
func (s *Service) ViewContactPage(ctx context.Context, d DeliveryKey) (v *ContactPage, err error) {
	if s.now().Unix() > d.Time+ContactPageLife {
		return &ContactPage{Expired: true}, nil
	}
	err = s.store.View(ctx, func(tx Tx) error {
		found, err := visit(tx, d)
		if err != nil {
			return err
		}
		v = &ContactPage{LinkView: *found}
		if v.Contact == nil {
			return nil
		}
		ledger, err := tx.LedgerRows(d.List, d.Contact, 1, 0)
		if err == nil && len(ledger) > 0 {
			v.Consent = &ledger[0]
		}
		return err
	})
	return v, err
}

// LinkURL returns where a link of a Message leads, with the Contact's values
// where it has merge fields, or with none when the Contact is gone. It is always
// an http or https URL. NoLink when the Message is gone or the values make no
// such URL.
func (s *Service) LinkURL(ctx context.Context, l Link) (url string, err error) {
	err = s.store.View(ctx, func(tx Tx) error {
		_, target, err := tx.LinkTarget(l.Target)
		if err != nil {
			return err
		}
		v, err := visit(tx, l.DeliveryKey)
		if err != nil {
			return err
		}
		if v.Schema == nil {
			v.Schema = NewSchema(List{}, nil, nil)
		}
		if v.Contact == nil {
			v.Contact = new(Contact)
		}
		merged, ok := v.Schema.mergeURL(target, v.Contact)
		if !ok || !onTheWeb(merged) {
			return ErrNoLink
		}
		url = merged
		return nil
	})
	return url, err
}

// onTheWeb reports whether a URL is one of http or https.
func onTheWeb(url string) bool {
	scheme, rest, ok := strings.Cut(url, "://")
	return ok && rest != "" && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// Opened notes that a mail was opened, if the List wants to know.
// decisions.md: 49
func (s *Service) Opened(ctx context.Context, d DeliveryKey) error { return s.seen(ctx, d, false) }

// Clicked notes that a link was followed, if the List wants to know. Who follows
// a link has opened the mail. decisions.md: 49
func (s *Service) Clicked(ctx context.Context, d DeliveryKey) error { return s.seen(ctx, d, true) }

// seen asks for a write only when it would change something: images are fetched
// often, and one link can be fetched by anybody who has it.
func (s *Service) seen(ctx context.Context, d DeliveryKey, clicked bool) error {
	now := s.now().Unix()
	var open, click int64
	err := s.store.View(ctx, func(tx Tx) error {
		open, click = 0, 0
		v, err := visit(tx, d)
		if err != nil || v.Contact == nil {
			return err
		}
		if v.Schema.List.TrackOpens && v.Contact.LastOpenTime < now {
			open = now
		}
		if clicked && v.Schema.List.TrackClicks && v.Contact.LastClickTime < now {
			click = now
		}
		return nil
	})
	if err != nil || open == 0 && click == 0 {
		return err
	}
	return s.store.Update(ctx, func(tx Tx) error { return tx.RaiseContactTimes(d.List, d.Contact, 0, open, click) })
}
