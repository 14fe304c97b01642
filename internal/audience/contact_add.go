package audience

import (
	"context"
	"time"
)

// This file adds many Contacts in one call, addContacts. It parses the rows, looks up
// which rows to leave out, and inserts the other rows in steps (transaction_steps.go).

// AddRequest is a call of addContacts.
type AddRequest struct {
	List      ListID
	Contacts  [][]Detail // at most MaxRows; keys as in SubscribeRequest
	Overwrite bool       // if a Contact has the address of a row, the row changes the first such Contact
	Skip      int64      // remove_unsubscribers: one of the constants below
}

// The values of AddRequest.Skip. They say which addresses AddContacts leaves out.
const (
	SkipNone                = iota
	SkipUnsubscribed        // addresses that unsubscribed from this List
	SkipUnsubscribedFromAny // all addresses on the Account's Unsubscriber List
)

// AddContacts adds Contacts to a List without the events of a subscription. It returns an
// ID for each row: the Contact that was added or overwritten, or 0 if the row was left out.
// A row is left out if it is invalid, or if its address exists already or has unsubscribed.
// It is also left out if other calls added so many Contacts during this call that the Account
// reached its limit. Errors: NoList, Denied, InvalidParameters, ContactLimit. After an error in
// a step, the Contacts of the earlier steps stay stored. decisions.md: 53
func (s *Service) AddContacts(ctx context.Context, c *Caller, r AddRequest) ([]ContactID, error) {
	call := addCall{AddRequest: r, caller: c, rows: parsedRows{sent: r.Contacts},
		skipped: make([]bool, len(r.Contacts))}
	call.rows.parseEarly(s, c, r.List)
	if err := call.findEarly(ctx, s); err != nil {
		return nil, err
	}
	done, err := runInSteps(ctx, s, c, call.runStep)
	s.ignored.Add(call.rows.ignored())
	return done.IDs, err
}

// addCall is one call of addContacts, with its parsed rows and the results of findEarly.
type addCall struct {
	AddRequest
	caller  *Caller
	rows    parsedRows
	skipped []bool // rows that are left out
}

// viewBatch is the number of rows or IDs that one View looks up.
const viewBatch = 500

// findEarly looks up which rows are left out because of a Contact or an entry on the
// Unsubscriber List. It runs before the transactions that write, to keep them short: a
// look-up takes half as long as an insertion, and a call can contain thousands of rows that are
// left out. If a Contact is deleted after its look-up, the row is still left out.
func (a *addCall) findEarly(ctx context.Context, s *Service) error {
	for first := 0; first < len(a.Contacts); first += viewBatch {
		err := s.inView(ctx, a.caller, func(tx Tx) error {
			schema, err := a.allowed(tx)
			switch {
			case err != nil && KindOf(err) != Internal:
				return nil // runStep returns this refusal, unless the call repeats an earlier call
			case err != nil:
				return err
			}
			if a.Skip == SkipNone && (a.Overwrite || !schema.List.DisallowDuplicates) {
				return nil
			}
			today := Today(s.now(), a.caller.Account.TimeZone)
			for i := first; i < min(first+viewBatch, len(a.Contacts)); i++ {
				existing, skip, err := a.find(tx, a.rows.at(i, schema, today))
				if err != nil {
					return err
				}
				a.skipped[i] = skip || existing != nil && !a.Overwrite
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// addProgress says which rows of a call are done. It is stored under the Idempotency-Key.
type addProgress struct {
	IDs []ContactID `json:"ids"` // of the rows that are done; 0 for a row that was left out
	notifier
}

// runStep adds the next rows in one transaction.
func (a *addCall) runStep(tx Tx, now int64, p *addProgress) (done bool, err error) {
	schema, err := a.allowed(tx)
	if err != nil {
		return false, err
	}
	today := Today(time.Unix(now, 0), a.caller.Account.TimeZone)
	if len(p.IDs) == 0 {
		if err := a.checkRoom(tx, schema, today); err != nil {
			return false, err
		}
	}
	if err := tx.LockListForBulk(a.List); err != nil {
		return false, err
	}
	stored, events := 0, []contactEvent(nil)
	for size := stepSize(schema, EventAPIUpload); len(p.IDs) < len(a.Contacts) && stored < size; {
		if a.skipped[len(p.IDs)] {
			p.IDs = append(p.IDs, 0)
			continue
		}
		id, event, err := a.put(tx, a.rows.at(len(p.IDs), schema, today), now)
		if err != nil {
			return false, err
		}
		p.IDs = append(p.IDs, id)
		if id != 0 {
			stored++
		}
		if event != "" {
			events = append(events, contactEvent{id, event})
		}
	}
	return len(p.IDs) == len(a.Contacts), p.publish(tx, schema, now, stored, events)
}

// allowed returns the List, or an error if the caller may not make this call.
func (a *addCall) allowed(tx Tx) (*Schema, error) {
	schema, err := loadList(tx, a.caller, a.List)
	if err != nil {
		return nil, err
	}
	if a.Skip < SkipNone || a.Skip > SkipUnsubscribedFromAny {
		return nil, invalid("remove_unsubscribers", "remove_unsubscribers must be 0, 1 or 2")
	}
	if a.Skip == SkipUnsubscribedFromAny {
		return schema, requireWholeAccount(a.caller)
	}
	return schema, nil
}

// checkRoom refuses the call if it would add more Contacts than the Account's limit allows.
// decisions.md: 42
func (a *addCall) checkRoom(tx Tx, schema *Schema, today string) error {
	limit := a.caller.Account.ContactLimit
	if limit == NoContactLimit {
		return nil
	}
	stored, err := tx.AccountContacts(a.caller.Account.ID)
	room := max(limit-stored, 0)
	if err != nil || room >= int64(len(a.Contacts)) {
		return err
	}
	seen := make(map[string]bool)
	for i := range a.Contacts {
		if a.skipped[i] {
			continue
		}
		parsed := a.rows.at(i, schema, today)
		existing, skip, err := a.find(tx, parsed)
		if err != nil {
			return err
		}
		if skip || existing != nil || seen[parsed.key] {
			continue
		}
		seen[parsed.key] = a.unique(schema)
		room--
		if room < 0 {
			return Refuse(ContactLimit, "the Account may store %d Contacts and has %d; nothing was added",
				limit, stored)
		}
	}
	return nil
}

// unique reports whether the call must not add a second Contact with the same address.
func (a *addCall) unique(schema *Schema) bool {
	return a.Overwrite || schema.List.DisallowDuplicates
}

// find returns the Contact that has the address of a row, if the call must not add a second
// Contact with this address. skip is true if the row is invalid, or if its address has
// unsubscribed and the call leaves out such addresses.
func (a *addCall) find(tx Tx, parsed *parsedContact) (existing *Contact, skip bool, err error) {
	if parsed.err != nil {
		return nil, true, nil
	}
	if a.Skip != SkipNone {
		list := a.List
		if a.Skip == SkipUnsubscribedFromAny {
			list = 0
		}
		skip, err = tx.HasUnsubscribed(a.caller.Account.ID, list, parsed.key, parsed.mobile)
		if skip || err != nil {
			return nil, skip, err
		}
	}
	if a.unique(parsed.schema) {
		existing, err = tx.ContactByKey(a.List, parsed.key)
	}
	return existing, false, ignoreKind(NoContact, err)
}

// put stores one row. It returns the Contact's ID, or 0 if the row is left out, and the event
// for webhooks, or "" if there is none. On PostgreSQL another transaction can insert the
// address between find and insert. Then insert returns false, and find runs again.
func (a *addCall) put(tx Tx, parsed *parsedContact, now int64) (ContactID, WebhookEventType, error) {
	for {
		existing, skip, err := a.find(tx, parsed)
		switch {
		case err != nil || skip || existing != nil && !a.Overwrite:
			return 0, "", err
		case existing != nil:
			return a.overwrite(tx, parsed, existing, now)
		}
		if err := requireRoom(tx, a.caller.Account); err != nil {
			return 0, "", ignoreKind(ContactLimit, err)
		}
		contact := parsed.newContact("bulk_upload", now)
		inserted, err := contact.insert(tx, parsed.schema)
		if err != nil {
			return 0, "", err
		}
		if inserted {
			if err := a.record(tx, contact.ID, now); err != nil {
				return 0, "", err
			}
			return contact.ID, WebhookCreated, emit(tx, parsed.schema, contact.ID, EventAPIUpload, now)
		}
	}
}

// overwrite stores the sent values in an existing Contact. It does not change the flags of
// the Contact.
func (a *addCall) overwrite(tx Tx, parsed *parsedContact, contact *Contact,
	now int64) (id ContactID, event WebhookEventType, err error) {
	if parsed.apply(contact) {
		contact.Modified, event = now, WebhookUpdated
		if err := tx.UpdateContact(contact); err != nil {
			return 0, "", err
		}
	}
	return contact.ID, event, a.record(tx, contact.ID, now)
}

// record writes the ledger row of a Contact. The consent type is not_recorded, because an
// upload says nothing about consent. decisions.md: 27
func (a *addCall) record(tx ConsentTx, id ContactID, now int64) error {
	return tx.AddLedgerRow(&LedgerRow{ListID: a.List, ContactID: id, Time: now, Method: "addContacts",
		Type: ConsentNotRecorded, KeyID: a.caller.Key.ID})
}
