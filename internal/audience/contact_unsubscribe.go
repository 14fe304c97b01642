package audience

import (
	"context"
	"errors"
	"strings"
)

// Unsubscribe unsubscribes every Contact of the List that has an email or
// mobile address, and returns the List's ID; that nobody has it is no error.
// Where very many have it they are done in steps: a call that fails may have
// done some, and goes on when it is repeated.
// For List 0 the address is only put on the Unsubscriber List. Errors: NoList,
// Denied, InvalidParameters for List 0 and what is no address.
func (s *Service) Unsubscribe(ctx context.Context, c *Caller, list ListID, address string) (ListID, error) {
	if list == 0 {
		return change(ctx, s, c, func(tx Tx, now int64) (ListID, error) { return 0, s.addUnsubscriber(tx, c, address, now) })
	}
	var after ContactID // those up to it are done
	for {
		id, err := change(ctx, s, c, func(tx Tx, now int64) (ListID, error) {
			_, more, err := unsubscribeSome(tx, c, list, address, after, now, false)
			if more {
				err = errMany
			}
			return list, err
		})
		if !errors.Is(err, errMany) {
			return id, err
		}
		// Very many Contacts have the address: the call is done with the last
		// ones, so that a retry after a crash goes on and does not take it for done.
		err = s.store.Update(ctx, confirmed(c, func(tx Tx) (err error) {
			after, _, err = unsubscribeSome(tx, c, list, address, after, s.now().Unix(), true)
			return err
		}))
		if err != nil {
			return 0, err
		}
	}
}

// errMany is why a change is made in steps.
var errMany = errors.New("more than one Update may do")

// unsubscribeStep is how much one Update does: Contacts, and messages about them.
const unsubscribeStep = 500

// unsubscribeSome unsubscribes the next Contacts with an address. When there are
// more than a step it does so only if it is to begin, and returns the last one.
func unsubscribeSome(tx Tx, c *Caller, list ListID, address string, after ContactID, now int64, begin bool) (last ContactID, more bool, err error) {
	schema, err := loadList(tx, c, list)
	if err != nil {
		return 0, false, err
	}
	_, key, isEmail := ParseEmail(address)
	mobile, kind, field := "", AddressEmail, schema.Email()
	if !isEmail {
		mobile, kind, field = MobileKey(address, schema.List.CountryCode), AddressMobile, schema.Mobile()
	}
	if field == nil {
		return 0, false, nil // nobody has a mobile number
	}
	step := max(1, unsubscribeStep/(2+strings.Count(schema.List.OnUnsubscribe, ",")+len(schema.Autoresponders)+len(schema.Webhooks)))
	contacts, err := tx.ContactsByAddress(list, key, mobile, after, step+1)
	if more = len(contacts) > step; err != nil || more && !begin {
		return 0, more, err
	}
	for i := range contacts[:min(len(contacts), step)] {
		last = contacts[i].ID
		if contacts[i].Values.Get(field.ID) == "" {
			continue // a number of a deleted Field, not yet forgotten
		}
		if err := unsubscribe(tx, schema, &contacts[i], kind, now); err != nil {
			return 0, false, err
		}
	}
	return last, more, nil
}

func (s *Service) addUnsubscriber(tx Tx, c *Caller, address string, now int64) error {
	if err := wholeAccount(c); err != nil {
		return err
	}
	u := Unsubscriber{AddressType: AddressEmail, Time: now}
	var ok bool
	if u.Address, u.AddressKey, ok = ParseEmail(address); !ok {
		u.AddressType, u.Address, u.AddressKey = AddressMobile, address, MobileKey(address, DefaultCountryCode)
	}
	if u.AddressKey == "" {
		return &Error{Kind: InvalidParameters, Field: "address", Detail: "address is neither an email nor a mobile address"}
	}
	return tx.AddUnsubscriber(c.Account.ID, &u)
}

// UnsubscribeByID unsubscribes one Contact and returns the List's ID. Errors:
// NoList, Denied, NoContact.
func (s *Service) UnsubscribeByID(ctx context.Context, c *Caller, list ListID, id ContactID) (ListID, error) {
	return change(ctx, s, c, func(tx Tx, now int64) (ListID, error) {
		schema, contact, err := loadContact(tx, c, list, id)
		if err != nil {
			return 0, err
		}
		kind := AddressEmail
		if contact.Values.Get(schema.Email().ID) == "" {
			kind = AddressMobile
		}
		return list, unsubscribe(tx, schema, contact, kind, now)
	})
}

// unsubscribe sets a Contact's flag, puts the address of the kind by which it
// was found on the Unsubscriber List and sets in motion what that causes. One
// who is unsubscribed already stays as it is.
func unsubscribe(tx Tx, schema *Schema, contact *Contact, kind AddressType, now int64) error {
	if contact.IsUnsubscribed {
		return nil
	}
	contact.IsUnsubscribed = true
	contact.Modified = now
	if err := tx.UpdateContact(contact); err != nil {
		return err
	}
	u := Unsubscriber{ContactID: contact.ID, ListID: contact.ListID, AddressType: kind, AddressKey: contact.Key, Time: now}
	if kind == AddressMobile {
		u.Address, u.AddressKey = contact.Values.Get(schema.Mobile().ID), contact.Mobile
	} else {
		u.Address = contact.Values.Get(schema.Email().ID)
	}
	if err := tx.AddUnsubscriber(schema.List.AccountID, &u); err != nil {
		return err
	}
	if err := publishWebhook(tx, schema, contact.ID, now, WebhookUnsubscribed); err != nil {
		return err
	}
	return emit(tx, schema, contact.ID, EventUnsubscribe, now)
}
