package audience

import (
	"context"
	"errors"
	"slices"
	"time"

	"enlist/internal/address"
)

// This file has editContacts, which changes values of many Contacts in steps (transaction_steps.go).
// It also updates the Key of a Contact after its addresses change.

// EditRequest is a call of editContacts.
type EditRequest struct {
	List     ListID
	Contacts []EditRow // at most MaxRows
	Trigger  bool      // emit the event of an updated profile for each changed Contact
}

// EditRow contains the new values of one Contact.
type EditRow struct {
	ID      ContactID
	Details []Detail // keys as in SubscribeRequest; a Field without a sent value does not change
}

// EditContacts changes values of Contacts. It returns one Outcome for each ID, in the order
// of the request. A row is refused if the List does not have the Contact, a value is invalid,
// or the Contact would have no address. If the List disallows duplicates, a row is also
// refused if another Contact has the address. Errors: NoList, Denied, and NothingUpdated if
// all rows were refused. After an error in a step, the changes of the earlier steps stay
// stored.
// decisions.md: 53
func (s *Service) EditContacts(ctx context.Context, c *Caller, r EditRequest) ([]Outcome, error) {
	sent := make([][]Detail, len(r.Contacts))
	for i := range r.Contacts {
		sent[i] = r.Contacts[i].Details
	}
	call := editCall{EditRequest: r, service: s, caller: c, rows: newParsedRows(sent)}
	call.rows.partial = true
	done, err := runInSteps(ctx, s, c, steps[editProgress]{prepare: call.prepare, run: call.runStep})
	s.ignored.Add(call.rows.ignored())
	if err != nil {
		return nil, err
	}
	return r.outcomes(done.Refused), nil
}

// outcomes returns one Outcome for each Contact. Done is true if no row of the Contact was
// refused. refused are indexes of rows in ascending order.
func (r *EditRequest) outcomes(refused []int) []Outcome {
	all := make([]Outcome, 0, len(r.Contacts))
	position := make(map[ContactID]int, len(r.Contacts))
	for i := range r.Contacts {
		id := r.Contacts[i].ID
		_, isRefused := slices.BinarySearch(refused, i)
		at, again := position[id]
		if !again {
			position[id] = len(all)
			all = append(all, Outcome{id, !isRefused})
			continue
		}
		all[at].Done = all[at].Done && !isRefused
	}
	return all
}

// editCall is one call of editContacts, with its parsed rows.
type editCall struct {
	EditRequest
	service *Service
	caller  *Caller
	rows    parsedRows
}

// prepare parses all rows before the first transaction.
func (e *editCall) prepare(_ context.Context, p editProgress) error {
	e.rows.release(p.Next)
	if schema, cached := e.service.store.CachedSchema(e.List); cached && p.Next == 0 {
		e.rows.parse(0, len(e.Contacts), schema, Today(e.service.now(), e.caller.Account.TimeZone))
	}
	return nil
}

// editProgress says which rows of a call are done. It is stored under the Idempotency-Key.
type editProgress struct {
	Next    int         `json:"next"`    // index of the next row
	Refused []int       `json:"refused"` // indexes of rows
	Emitted []ContactID `json:"told"`    // Contacts for which the event was emitted
	notifier
}

// runStep changes the next rows in one transaction.
func (e *editCall) runStep(tx Tx, now int64, p *editProgress) (done bool, err error) {
	schema, err := loadList(tx, e.caller, e.List)
	if err != nil {
		return false, err
	}
	if err := tx.LockListForBulk(e.List); err != nil {
		return false, err
	}
	size := stepSize{most: bulkStep}
	if e.Trigger {
		size = newStepSize(schema, EventUpdateProfile)
	}
	if schema.List.DoubleOptIn {
		size.most = max(1, size.most*2/3) // each Contact may need a job that sends the request to confirm
	}
	today := Today(time.Unix(now, 0), e.caller.Account.TimeZone)
	var first error // why the first row was refused
	var events []contactEvent
	for ; p.Next < len(e.Contacts) && !size.full(); p.Next++ {
		id := e.Contacts[p.Next].ID
		row, err := e.edit(tx, e.rows.at(p.Next, schema, today), id, now)
		switch {
		case err != nil:
			return false, err
		case row.refused != nil:
			p.Refused = append(p.Refused, p.Next)
			if first == nil {
				first = row.refused
			}
			continue
		case row.changed:
			if err := e.emit(tx, schema, id, now, p); err != nil {
				return false, err
			}
			events = append(events, contactEvent{id, WebhookUpdated})
		}
		size.add(row.values)
	}
	if len(p.Refused) > 0 && len(p.Refused) == len(e.Contacts) {
		return false, nothingUpdated(first)
	}
	return p.Next == len(e.Contacts), p.publish(tx, schema, now, size.contacts, events)
}

// nothingUpdated returns the error of a call in which every row was refused. Its detail says
// why the first row was refused.
func nothingUpdated(why error) error {
	e := &Error{Kind: NothingUpdated}
	if first, ok := errors.AsType[*Error](why); ok {
		e.Field, e.Detail = first.Field, "the first one: "+first.Detail
		if first.Field != "" {
			e.Detail = "the first one: " + first.Field + ": " + first.Detail
		}
	}
	return e
}

// editedRow is the result of one row of editContacts.
type editedRow struct {
	refused error // why the row was refused
	changed bool
	values  int // of the Contact
}

// edit changes one Contact. If err is not nil, the transaction must end with err.
func (e *editCall) edit(tx Tx, parsed *parsedContact, id ContactID, now int64) (editedRow, error) {
	if parsed.err != nil {
		return editedRow{refused: parsed.err}, nil
	}
	contact, err := tx.Contact(e.List, id)
	if err != nil {
		return editedRow{refused: ErrNoContact}, ignoreKind(NoContact, err)
	}
	row := editedRow{changed: parsed.apply(contact), values: len(contact.Values)}
	if !row.changed {
		return row, nil
	}
	before := *contact
	left, refused, err := updateKey(tx, parsed.schema, contact)
	if refused != nil || err != nil {
		return editedRow{refused: refused}, err
	}
	moved := !isSameAddress(before.Key, contact.Key)
	if moved {
		contact.DoubleOptIn, contact.DoubleOptInTime = false, 0
	}
	contact.Modified = now
	if err := tx.UpdateContact(contact); err != nil {
		return row, err
	}
	if left != "" {
		if err := tx.PromoteDuplicate(e.List, left); err != nil {
			return row, err
		}
	}
	if moved {
		err = confirmNewAddress(tx, parsed.schema, contact, before.DoubleOptIn, now)
	}
	return row, err
}

// isSameAddress reports whether two Keys are the same address. The Key of an old Contact may have a
// form that ParseEmail no longer returns. decisions.md: 23
func isSameAddress(old, key string) bool {
	_, normalised, ok := address.ParseEmail(old)
	return old == key || ok && normalised == key
}

// emit stores the jobs of the event update_profile if the request has Trigger set. It stores
// them once for a Contact, even if several rows change the Contact.
func (e *editCall) emit(tx Tx, schema *Schema, id ContactID, now int64, p *editProgress) error {
	if !e.Trigger || slices.Contains(p.Emitted, id) {
		return nil
	}
	p.Emitted = append(p.Emitted, id)
	return emit(tx, schema, id, EventUpdateProfile, now)
}

// updateKey sets the Key of a Contact from its present addresses. If the Key has changed and the
// Contact was the first with the old Key, left is the old Key. decisions.md: 23, 24
func updateKey(tx ContactTx, schema *Schema, contact *Contact) (left string, refused, err error) {
	key := schema.addressKey(contact)
	if key == "" {
		return "", errNoAddress(schema), nil
	}
	if key == contact.Key {
		return "", nil, nil
	}
	if contact.IsFirst {
		left = contact.Key
	}
	_, err = tx.ContactByKey(schema.List.ID, key)
	if err != nil && KindOf(err) != NoContact {
		return "", nil, err
	}
	taken := err == nil
	if taken && schema.List.DisallowDuplicates {
		return "", Refuse(InvalidParameters, "another Contact has this address"), nil
	}
	contact.Key, contact.IsFirst = key, !taken
	return left, nil, nil
}

// addressKey returns the normalised address of a Contact: its email address or, if it has
// none, its mobile number. It returns "" if the Contact has neither.
func (s *Schema) addressKey(c *Contact) string {
	if _, key, ok := address.ParseEmail(c.Values.Get(s.email.ID)); ok {
		return key
	}
	if s.mobile != nil && c.Values.Get(s.mobile.ID) != "" {
		return c.Mobile
	}
	return "" // c.Mobile may still have a number of a deleted Field, until a job removes it
}
