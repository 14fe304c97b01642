package audience

import (
	"context"
	"errors"
	"strings"

	"enlist/internal/address"
)

// This file has unsubscribeContact and unsubscribeContactByID, which unsubscribe Contacts by
// address or by ID. Links in mails call the same functions (link_view.go).

// Unsubscribe unsubscribes every Contact of the List that has the given email or mobile
// address, and returns the List's ID. It is not an error if no Contact has the address. For
// List 0 it changes no Contact, but adds the address to the Unsubscriber List, so that no Batch
// sends mail to it (batch_suppress.go). If very many
// Contacts have the address, it works in steps. A call that fails can have unsubscribed some
// Contacts. A repeated call unsubscribes the others. Errors: NoList, Denied, and InvalidParameters if
// the List is 0 and the text is not an address.
func (s *Service) Unsubscribe(ctx context.Context, c *Caller, list ListID, text string) (ListID, error) {
	if list == 0 {
		return updateUnrestricted(ctx, s, c, func(tx Tx, now int64) (ListID, error) {
			return 0, addUnsubscriber(tx, c, text, now)
		})
	}
	by := origin{method: "unsubscribeContact", key: c.Key.ID}
	return s.unsubscribeAddress(ctx, c, unsubscribeStep{list: list, address: text, by: by})
}

// unsubscribeAddress unsubscribes the Contacts of a List with an address, in steps if they are many.
func (s *Service) unsubscribeAddress(ctx context.Context, c *Caller, step unsubscribeStep) (ListID, error) {
	for {
		id, err := update(ctx, s, c, func(tx Tx, now int64) (ListID, error) {
			_, more, err := step.run(tx, c, now, false)
			if more {
				err = errMoreSteps
			}
			return step.list, err
		})
		if !errors.Is(err, errMoreSteps) {
			return id, err
		}
		// Only the transaction of the last step, in update above, stores the result of the
		// call. So a repeated call after a crash finds no result and continues.
		var last ContactID
		err = s.store.Update(ctx, confirmed(c, func(tx Tx) (err error) {
			last, _, err = step.run(tx, c, s.now().Unix(), true)
			return err
		}))
		if err != nil {
			return 0, err
		}
		step.after = last // not inside the transaction, which can run twice or fail
	}
}

// errMoreSteps ends an Update that needs more than one step.
var errMoreSteps = errors.New("too many records for one transaction")

// maxUnsubscribe is the largest number of Contacts and jobs together that one transaction
// stores.
const maxUnsubscribe = 500

// unsubscribeStep is the next step of a call.
type unsubscribeStep struct {
	list    ListID
	address string // as it was sent
	by      origin
	after   ContactID // the Contacts with this ID or a lower ID are done
}

// run unsubscribes the next Contacts with the address. more is true if these are too many for
// one step. In that case run unsubscribes the Contacts of one step if partly is true, and no
// Contact if partly is false. last is the ID of the last Contact of the step.
func (b *unsubscribeStep) run(tx Tx, c *Caller, now int64, partly bool) (last ContactID, more bool, err error) {
	schema, err := loadList(tx, c, b.list)
	if err != nil {
		return 0, false, err
	}
	_, key, isEmail := address.ParseEmail(b.address)
	mobile, kind, field := "", AddressEmail, schema.Email()
	if !isEmail {
		mobile = address.NormaliseMobile(b.address, schema.List.CountryCode)
		kind, field = AddressMobile, schema.Mobile()
	}
	if field == nil {
		return 0, false, nil // the List has no mobile numbers
	}
	jobs := 1 + strings.Count(schema.List.OnUnsubscribe, ",") + len(schema.Autoresponders) + len(schema.Webhooks)
	size := max(1, maxUnsubscribe/(1+jobs)) // a Contact causes at most this many jobs
	contacts, err := tx.ContactsByAddress(b.list, key, mobile, b.after, size+1)
	more = len(contacts) > size
	if err != nil || more && !partly {
		return 0, more, err
	}
	for i := range contacts[:min(len(contacts), size)] {
		last = contacts[i].ID
		if contacts[i].Values.Get(field.ID) == "" {
			continue // the number is of a deleted Field; a job will remove it
		}
		if err := unsubscribe(tx, schema, &contacts[i], kind, b.by, now); err != nil {
			return 0, false, err
		}
	}
	return last, more, nil
}

// addUnsubscriber adds an address to the Unsubscriber List, unless it was erased and so has an entry. The entry belongs
// to no List.
func addUnsubscriber(tx UnsubscriberTx, c *Caller, text string, now int64) error {
	u := Unsubscriber{AddressType: AddressEmail, Time: now}
	var ok bool
	u.Address, u.AddressKey, ok = address.ParseEmail(text)
	if !ok {
		u.AddressType, u.Address, u.AddressKey = AddressMobile, text, address.NormaliseMobile(text, DefaultCountryCode)
	}
	if u.AddressKey == "" {
		return invalid("address", "address is neither an email nor a mobile address")
	}
	erased, err := tx.ErasedEntries(c.Account.ID, []string{u.AddressKey})
	if err != nil || len(erased) > 0 {
		return err
	}
	return tx.AddUnsubscriber(c.Account.ID, &u)
}

// UnsubscribeByID unsubscribes one Contact and returns the List's ID. Errors:
// NoList, Denied, NoContact.
func (s *Service) UnsubscribeByID(ctx context.Context, c *Caller, list ListID, id ContactID) (ListID, error) {
	return update(ctx, s, c, func(tx Tx, now int64) (ListID, error) {
		schema, contact, err := loadContact(tx, c, list, id)
		if err != nil {
			return 0, err
		}
		by := origin{method: "unsubscribeContactById", key: c.Key.ID}
		return list, unsubscribe(tx, schema, contact, schema.addressType(contact), by, now)
	})
}

// addressType returns AddressEmail if the Contact has an email address, else AddressMobile.
func (s *Schema) addressType(c *Contact) AddressType {
	if c.Values.Get(s.email.ID) == "" {
		return AddressMobile
	}
	return AddressEmail
}

// unsubscribe sets a Contact's flag, adds its address of the given kind to the Unsubscriber
// List, and stores the ledger row and the jobs that the unsubscription causes. If the Contact is already
// unsubscribed, it changes nothing.
func unsubscribe(tx Tx, schema *Schema, contact *Contact, kind AddressType, by origin, now int64) error {
	if contact.IsUnsubscribed {
		return nil
	}
	contact.IsUnsubscribed = true
	if err := storeAndPublish(tx, schema, contact, now, WebhookUnsubscribed); err != nil {
		return err
	}
	u := Unsubscriber{ContactID: contact.ID, ListID: contact.ListID, AddressType: kind, Time: now,
		Address: contact.Values.Get(schema.Email().ID), AddressKey: contact.Key}
	if kind == AddressMobile {
		u.Address, u.AddressKey = contact.Values.Get(schema.Mobile().ID), contact.Mobile
	}
	if err := tx.AddUnsubscriber(schema.List.AccountID, &u); err != nil {
		return err
	}
	if err := by.record(tx, contact, now); err != nil {
		return err
	}
	return emit(tx, schema, contact.ID, EventUnsubscribe, now)
}
