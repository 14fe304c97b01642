package contacts

import (
	"context"
	"errors"
	"strings"

	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
)

// This file has unsubscribeContact and unsubscribeContactById, which unsubscribe Contacts by
// address or by ID. Links in mails call the same functions (sending/link_view.go).

// UnsubscribeRequest is a call of unsubscribeContact.
type UnsubscribeRequest struct {
	List    enlist.ListID // 0: all mail of the Account
	Address string
	IP      string // as in Consent
}

// Unsubscribe unsubscribes every Contact of the List that has the given email or mobile address, and returns the List's
// ID. It is not an error if no Contact has the address. For List 0 it changes no Contact, but adds the address to the
// Unsubscriber List, so that no Batch and no autoresponder sends mail to it (unsubscriber_suppress.go); the ledger of
// each Contact with the address gets a row. If very many Contacts have the address, it works in steps. A call that
// fails can have unsubscribed some Contacts. A repeated call unsubscribes the others. Errors: NoList, Denied, and
// InvalidParameters if the IP address is none, or if the List is 0 and the text is not an address.
func (s *Service) Unsubscribe(ctx context.Context, c *enlist.Caller, r UnsubscribeRequest) (enlist.ListID, error) {
	step := UnsubscribeStep{List: r.List, Address: r.Address,
		By: Origin{Method: "unsubscribeContact", Key: c.Key.ID, IP: r.IP}}
	if r.List == 0 {
		step.By.Method = MethodUnsubscribeAll
		if err := enlist.RequireWholeAccount(c); err != nil {
			return 0, err
		}
	}
	return s.UnsubscribeAddress(ctx, c, step)
}

// UnsubscribeAddress unsubscribes the Contacts of a List with an address, in steps if they are many.
func (s *Service) UnsubscribeAddress(ctx context.Context, c *enlist.Caller,
	step UnsubscribeStep) (enlist.ListID, error) {
	for {
		id, err := db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.ListID, error) {
			_, more, err := step.run(tx, c, now, false)
			if more {
				err = db.ErrMoreSteps
			}
			return step.List, err
		})
		if !errors.Is(err, db.ErrMoreSteps) {
			return id, err
		}
		// Only the transaction of the last step, in update above, stores the result of the
		// call. So a repeated call after a crash finds no result and continues.
		var last enlist.PersonKey
		err = s.db.Update(ctx, s.db.Confirmed(c, func(tx *db.Tx) (err error) {
			last, _, err = step.run(tx, c, s.db.Now().Unix(), true)
			return err
		}))
		if err != nil {
			return 0, err
		}
		step.after = last // not inside the transaction, which can run twice or fail
	}
}

// MaxUnsubscribe is the largest number of Contacts and jobs together that one transaction
// stores.
const MaxUnsubscribe = 500

// UnsubscribeStep is the next step of a call.
type UnsubscribeStep struct {
	List    enlist.ListID
	Address string // as it was sent
	By      Origin
	after   enlist.PersonKey // the Contacts up to this one are done, in order of List and Contact
}

// run unsubscribes the next Contacts with the address. more is true if these are too many for
// one step. In that case run unsubscribes the Contacts of one step if partly is true, and no
// Contact if partly is false. last is the last Contact of the step.
func (b *UnsubscribeStep) run(tx *db.Tx, c *enlist.Caller, now int64,
	partly bool) (last enlist.PersonKey, more bool, err error) {
	if b.List == 0 {
		return b.runAll(tx, c, now)
	}
	schema, err := lists.Load(tx, c, b.List)
	if err != nil {
		return last, false, err
	}
	by := b.By
	if err := by.checkIP(); err != nil {
		return last, false, err
	}
	jobs := 1 + strings.Count(schema.List.OnUnsubscribe, ",") + len(schema.Autoresponders) + len(schema.Webhooks)
	size := max(1, MaxUnsubscribe/(1+jobs)) // a Contact causes at most this many jobs
	contacts, kind, err := b.contacts(tx, schema, size+1)
	more = len(contacts) > size
	if err != nil || more && !partly {
		return last, more, err
	}
	for i := range contacts[:min(len(contacts), size)] {
		last = enlist.PersonKey{List: b.List, Contact: contacts[i].ID}
		if !schema.HasAddress(&contacts[i], kind) {
			continue
		}
		if err := Unsubscribe(tx, schema, &contacts[i], kind, by, now); err != nil {
			return last, false, err
		}
	}
	return last, more, nil
}

// runAll adds a row to the ledger of the next Contacts with the address, in all Lists. The last step also adds the
// address to the Unsubscriber List. If more is true, the caller either keeps the rows and continues after last, or
// rolls back.
func (b *UnsubscribeStep) runAll(tx *db.Tx, c *enlist.Caller, now int64) (last enlist.PersonKey, more bool, err error) {
	by := b.By
	if err := by.checkIP(); err != nil {
		return last, false, err
	}
	ofAccount, err := lists.Defined(tx, c.Account.ID)
	if err != nil {
		return last, false, err
	}
	in, err := ListsOfPerson(tx, ofAccount, b.Address)
	if err != nil {
		return last, false, err
	}
	room := MaxUnsubscribe
	for i := range in {
		if in[i].ID < b.after.List {
			continue
		}
		schema, err := lists.Schema(tx, in[i].ID)
		if err != nil {
			return last, false, err
		}
		contacts, kind, err := b.contacts(tx, schema, room+1)
		if err != nil {
			return last, false, err
		}
		for j := range contacts {
			if room == 0 {
				return last, true, nil
			}
			room, last = room-1, enlist.PersonKey{List: in[i].ID, Contact: contacts[j].ID}
			if !schema.HasAddress(&contacts[j], kind) {
				continue
			}
			if err := by.Record(tx, &contacts[j], now); err != nil {
				return last, false, err
			}
		}
	}
	return last, false, addUnsubscriber(tx, c, b.Address, now)
}

// contacts returns the next Contacts of a List with the address, and the kind of the address.
func (b *UnsubscribeStep) contacts(tx *db.Tx, schema *enlist.Schema,
	limit int) ([]enlist.Contact, enlist.AddressType, error) {
	after := enlist.ContactID(0)
	if schema.List.ID == b.after.List {
		after = b.after.Contact
	}
	_, key, isEmail := address.ParseEmail(b.Address)
	if isEmail {
		page, err := ByAddress(tx, schema.List.ID, key, "", after, limit)
		return page, enlist.AddressEmail, err
	}
	if schema.Mobile() == nil {
		return nil, enlist.AddressMobile, nil // the List has no mobile numbers
	}
	mobile := address.NormaliseMobile(b.Address, schema.List.CountryCode)
	page, err := ByAddress(tx, schema.List.ID, key, mobile, after, limit)
	return page, enlist.AddressMobile, err
}

// addUnsubscriber adds an address to the Unsubscriber List, unless it was erased and so has an entry. The entry belongs
// to no List.
func addUnsubscriber(tx *db.Tx, c *enlist.Caller, text string, now int64) error {
	u := Unsubscriber{AddressType: enlist.AddressEmail, Time: now}
	var ok bool
	u.Address, u.AddressKey, ok = address.ParseEmail(text)
	if !ok {
		u.AddressType, u.Address, u.AddressKey = enlist.AddressMobile, text, address.NormaliseMobile(text,
			enlist.DefaultCountryCode)
	}
	if u.AddressKey == "" {
		return enlist.Invalid("address", "address is neither an email nor a mobile address")
	}
	erased, err := ErasedEntries(tx, c.Account.ID, []string{u.AddressKey})
	if err != nil || len(erased) > 0 {
		return err
	}
	return AddUnsubscriber(tx, c.Account.ID, &u)
}

// UnsubscribeByID unsubscribes one Contact and returns the List's ID. Errors:
// NoList, Denied, NoContact, InvalidParameters.
func (s *Service) UnsubscribeByID(ctx context.Context, c *enlist.Caller, r ContactRequest) (enlist.ListID, error) {
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.ListID, error) {
		schema, contact, err := Load(tx, c, r.List, r.Contact)
		if err != nil {
			return 0, err
		}
		by := Origin{Method: "unsubscribeContactById", Key: c.Key.ID, IP: r.IP}
		if err := by.checkIP(); err != nil {
			return 0, err
		}
		return r.List, Unsubscribe(tx, schema, contact, schema.AddressType(contact), by, now)
	})
}

// Unsubscribe sets a Contact's flag, adds its address of the given kind to the Unsubscriber
// List, and stores the ledger row and the jobs that the unsubscription causes. If the Contact is already
// unsubscribed, it changes nothing.
func Unsubscribe(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact, kind enlist.AddressType, by Origin,
	now int64) error {
	if contact.IsUnsubscribed {
		return nil
	}
	contact.IsUnsubscribed, contact.IsComplaint = true, by.Method == MethodComplaint
	if err := storeAndPublish(tx, schema, contact, now, enlist.WebhookUnsubscribed); err != nil {
		return err
	}
	u := Unsubscriber{ContactID: contact.ID, ListID: contact.ListID, AddressType: kind, Time: now,
		Address: contact.Values.Get(schema.Email().ID), AddressKey: contact.Key}
	if kind == enlist.AddressMobile {
		u.Address, u.AddressKey = contact.Values.Get(schema.Mobile().ID), contact.Mobile
	}
	if err := AddUnsubscriber(tx, schema.List.AccountID, &u); err != nil {
		return err
	}
	if err := by.Record(tx, contact, now); err != nil {
		return err
	}
	return events.Emit(tx, schema, contact.ID, enlist.EventUnsubscribe, now)
}
