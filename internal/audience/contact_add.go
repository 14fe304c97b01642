package audience

import (
	"context"
	"time"
)

// AddRequest is a call of addContacts.
type AddRequest struct {
	List      ListID
	Contacts  [][]Detail // MaxRows at most; keys as in SubscribeRequest
	Overwrite bool       // one whose address the List has changes the first Contact with it
	Skip      int64      // remove_unsubscribers: one of the constants below
}

// Which addresses AddContacts leaves out.
const (
	SkipNone                = iota
	SkipUnsubscribed        // those that unsubscribed from this List
	SkipUnsubscribedFromAny // those on the Account's Unsubscriber List
)

// AddContacts adds Contacts to a List, without events of a subscription, and
// returns the ID of each that was added or overwritten; 0 for one that was left
// out: because it is invalid, is there already, has unsubscribed, or found no
// room because others took it meanwhile. Errors: NoList, Denied,
// InvalidParameters, ContactLimit, after which nothing has been added; another
// one may come when a part of them has been. decisions.md: 53
func (s *Service) AddContacts(ctx context.Context, c *Caller, r AddRequest) ([]ContactID, error) {
	a := addition{AddRequest: r, caller: c, rows: rows{sent: r.Contacts}, left: make([]bool, len(r.Contacts))}
	a.rows.readEarly(s, c, r.List)
	if err := a.lookEarly(ctx, s); err != nil {
		return nil, err
	}
	done, err := inSteps(ctx, s, c, a.step)
	s.ignored.Add(a.rows.ignored())
	return done.IDs, err
}

// addition is one call on its way into the store.
type addition struct {
	AddRequest
	caller *Caller
	rows   rows
	left   []bool // those that are left out, as was seen before
}

// lookStep is how many rows one View looks at.
const lookStep = 500

// lookEarly finds out before the writer is asked who is there already or has
// unsubscribed: to look costs half as much as to add, and a call may be about
// nobody else. Who goes meanwhile was there when the call looked.
func (a *addition) lookEarly(ctx context.Context, s *Service) error {
	for first := 0; first < len(a.Contacts); first += lookStep {
		err := s.view(ctx, a.caller, func(tx Tx) error {
			schema, err := a.allowed(tx)
			switch {
			case err != nil && KindOf(err) != Internal:
				return nil // for the step to say, once it knows that this is no retry
			case err != nil:
				return err
			}
			if a.Skip == SkipNone && (a.Overwrite || !schema.List.DisallowDuplicates) {
				return nil
			}
			today := Today(s.now(), a.caller.Account.TimeZone)
			for i := first; i < min(first+lookStep, len(a.Contacts)); i++ {
				existing, skip, err := a.find(tx, a.rows.at(i, schema, today))
				if err != nil {
					return err
				}
				a.left[i] = skip || existing != nil && !a.Overwrite
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// added is how far it is.
type added struct {
	IDs []ContactID `json:"ids"` // of the rows that are done, 0 for one that was left out
	telling
}

func (a *addition) step(tx Tx, now int64, p *added) (done bool, err error) {
	schema, err := a.allowed(tx)
	if err != nil {
		return false, err
	}
	today := Today(time.Unix(now, 0), a.caller.Account.TimeZone)
	if len(p.IDs) == 0 {
		if err := a.fits(tx, schema, today); err != nil {
			return false, err
		}
	}
	if err := tx.LockListForBulk(a.List); err != nil {
		return false, err
	}
	put, events := 0, []happening(nil)
	for step := stepFor(schema, EventAPIUpload); len(p.IDs) < len(a.Contacts) && put < step; {
		if a.left[len(p.IDs)] {
			p.IDs = append(p.IDs, 0)
			continue
		}
		id, event, err := a.put(tx, a.rows.at(len(p.IDs), schema, today), now)
		if err != nil {
			return false, err
		}
		if p.IDs = append(p.IDs, id); id != 0 {
			put++
		}
		if event != "" {
			events = append(events, happening{id, event})
		}
	}
	return len(p.IDs) == len(a.Contacts), p.tell(tx, schema, now, put, events)
}

// allowed returns the List if the caller may do this with it.
func (a *addition) allowed(tx Tx) (*Schema, error) {
	schema, err := loadList(tx, a.caller, a.List)
	if err != nil {
		return nil, err
	}
	if a.Skip < SkipNone || a.Skip > SkipUnsubscribedFromAny {
		return nil, &Error{Kind: InvalidParameters, Field: "remove_unsubscribers", Detail: "remove_unsubscribers must be 0, 1 or 2"}
	}
	if a.Skip == SkipUnsubscribedFromAny {
		return schema, wholeAccount(a.caller)
	}
	return schema, nil
}

// fits refuses the call when the Account has no room for all that it would add.
// decisions.md: 42
func (a *addition) fits(tx Tx, schema *Schema, today string) error {
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
		if a.left[i] {
			continue
		}
		read := a.rows.at(i, schema, today)
		existing, skip, err := a.find(tx, read)
		if err != nil {
			return err
		}
		if skip || existing != nil || seen[read.key] {
			continue
		}
		seen[read.key] = a.unique(schema)
		if room--; room < 0 {
			return Refuse(ContactLimit, "the Account may store %d Contacts and has %d; nothing was added", limit, stored)
		}
	}
	return nil
}

// unique reports whether the call adds no Contact whose address is there.
func (a *addition) unique(schema *Schema) bool {
	return a.Overwrite || schema.List.DisallowDuplicates
}

// find looks for the Contact whose place a row would take, and reports whether
// the row is left out whatever is there.
func (a *addition) find(tx Tx, read *reading) (existing *Contact, skip bool, err error) {
	if read.err != nil {
		return nil, true, nil
	}
	if a.Skip != SkipNone {
		list := a.List
		if a.Skip == SkipUnsubscribedFromAny {
			list = 0
		}
		if skip, err = tx.HasUnsubscribed(a.caller.Account.ID, list, read.key, read.mobile); skip || err != nil {
			return nil, skip, err
		}
	}
	if a.unique(read.schema) {
		existing, err = tx.ContactByKey(a.List, read.key)
	}
	return existing, false, ignoreKind(NoContact, err)
}

// put stores one row and returns the Contact's ID, 0 when it is left out, and
// what webhooks may hear of it. In some engines another process can insert the
// same address in between: then it is there at the second look.
func (a *addition) put(tx Tx, read *reading, now int64) (ContactID, WebhookEventType, error) {
	for {
		existing, skip, err := a.find(tx, read)
		switch {
		case err != nil || skip || existing != nil && !a.Overwrite:
			return 0, "", err
		case existing != nil:
			return a.overwrite(tx, read, existing, now)
		}
		if err := hasRoom(tx, a.caller.Account); err != nil {
			return 0, "", ignoreKind(ContactLimit, err)
		}
		contact := Contact{ListID: a.List, Created: now, Modified: now, IsActive: true, SubscribedVia: "bulk_upload"}
		inserted, err := read.insertInto(tx, &contact)
		if err != nil {
			return 0, "", err
		}
		if inserted {
			if err := a.record(tx, contact.ID, now); err != nil {
				return 0, "", err
			}
			return contact.ID, WebhookCreated, emit(tx, read.schema, contact.ID, EventAPIUpload, now)
		}
	}
}

// overwrite changes what was sent of a Contact that is there, and none of its flags.
func (a *addition) overwrite(tx Tx, read *reading, contact *Contact, now int64) (id ContactID, event WebhookEventType, err error) {
	if read.apply(contact) {
		contact.Modified, event = now, WebhookUpdated
		if err := tx.UpdateContact(contact); err != nil {
			return 0, "", err
		}
	}
	return contact.ID, event, a.record(tx, contact.ID, now)
}

// record writes the ledger: an upload says nothing of consent. decisions.md: 27
func (a *addition) record(tx Tx, id ContactID, now int64) error {
	return tx.AddLedgerRow(&LedgerRow{ListID: a.List, ContactID: id, Time: now, Method: "addContacts", Type: ConsentNotRecorded, KeyID: a.caller.Key.ID})
}
