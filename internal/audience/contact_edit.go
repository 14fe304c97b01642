package audience

import (
	"context"
	"errors"
	"slices"
	"time"
)

// EditRequest is a call of editContacts.
type EditRequest struct {
	List     ListID
	Contacts []EditRow // MaxRows at most
	Trigger  bool      // what an update of a profile sets in motion
}

// EditRow is what is to change of one Contact.
type EditRow struct {
	ID      ContactID
	Details []Detail // keys as in SubscribeRequest; what is not sent stays
}

// EditContacts changes values of Contacts and says of each, once, in the order
// sent, whether all that was asked of it was done: not when the List does not
// have it, a value is invalid, it would be left without an address, or another
// Contact of a List that disallows duplicates has the address. Errors: NoList,
// Denied, and NothingUpdated when none could be changed; another one may come
// when a part of them has been. decisions.md: 53
func (s *Service) EditContacts(ctx context.Context, c *Caller, r EditRequest) ([]Outcome, error) {
	e := edition{EditRequest: r, caller: c, rows: rows{sent: make([][]Detail, len(r.Contacts)), edits: true}}
	for i := range r.Contacts {
		e.rows.sent[i] = r.Contacts[i].Details
	}
	e.rows.readEarly(s, c, r.List)
	done, err := inSteps(ctx, s, c, e.step)
	s.ignored.Add(e.rows.ignored())
	if err != nil {
		return nil, err
	}
	return r.outcomes(done.Refused), nil
}

// outcomes says what became of each Contact when some rows were refused.
func (r *EditRequest) outcomes(refused []int) []Outcome {
	all := make([]Outcome, 0, len(r.Contacts))
	place := make(map[ContactID]int, len(r.Contacts))
	for i := range r.Contacts {
		id := r.Contacts[i].ID
		_, no := slices.BinarySearch(refused, i)
		at, again := place[id]
		if !again {
			place[id] = len(all)
			all = append(all, Outcome{id, !no})
			continue
		}
		all[at].Done = all[at].Done && !no
	}
	return all
}

// edition is one call on its way into the store.
type edition struct {
	EditRequest
	caller *Caller
	rows   rows
}

// edited is how far it is.
type edited struct {
	Next    int         `json:"next"`    // row
	Refused []int       `json:"refused"` // rows
	Told    []ContactID `json:"told"`    // whose change has set something in motion
	telling
}

func (e *edition) step(tx Tx, now int64, p *edited) (done bool, err error) {
	schema, err := loadList(tx, e.caller, e.List)
	if err != nil {
		return false, err
	}
	if err := tx.LockListForBulk(e.List); err != nil {
		return false, err
	}
	step := bulkStep
	if e.Trigger {
		step = stepFor(schema, EventUpdateProfile)
	}
	today := Today(time.Unix(now, 0), e.caller.Account.TimeZone)
	var first error // why the first row was refused
	put, events := 0, []happening(nil)
	for ; p.Next < len(e.Contacts) && put < step; p.Next++ {
		id := e.Contacts[p.Next].ID
		changed, refused, err := e.edit(tx, e.rows.at(p.Next, schema, today), id, now)
		switch {
		case err != nil:
			return false, err
		case refused != nil:
			if p.Refused = append(p.Refused, p.Next); first == nil {
				first = refused
			}
			continue
		case changed:
			if err := e.happened(tx, schema, id, now, p); err != nil {
				return false, err
			}
			events = append(events, happening{id, WebhookUpdated})
		}
		put++
	}
	if len(p.Refused) > 0 && len(p.Refused) == len(e.Contacts) {
		return false, nothingUpdated(first)
	}
	return p.Next == len(e.Contacts), p.tell(tx, schema, now, put, events)
}

// nothingUpdated says why the first row was refused.
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

// edit changes one Contact, or returns why not.
func (e *edition) edit(tx Tx, read *reading, id ContactID, now int64) (changed bool, refused, err error) {
	if read.err != nil {
		return false, read.err, nil
	}
	contact, err := tx.Contact(e.List, id)
	if err != nil {
		return false, ErrNoContact, ignoreKind(NoContact, err)
	}
	if !read.apply(contact) {
		return false, nil, nil
	}
	left, refused, err := readdress(tx, read.schema, contact)
	if refused != nil || err != nil {
		return false, refused, err
	}
	contact.Modified = now
	if err := tx.UpdateContact(contact); err != nil {
		return false, nil, err
	}
	if left != "" {
		if err := tx.PromoteDuplicate(e.List, left); err != nil {
			return false, nil, err
		}
	}
	return true, nil, nil
}

// happened sets in motion what a change of a Contact causes, if it is to, once for
// all the rows that are about it.
func (e *edition) happened(tx Tx, schema *Schema, id ContactID, now int64, p *edited) error {
	if !e.Trigger || slices.Contains(p.Told, id) {
		return nil
	}
	p.Told = append(p.Told, id)
	return emit(tx, schema, id, EventUpdateProfile, now)
}

// readdress sets a Contact's Key by the addresses that it has now, and returns
// the one of which it was the first and is not any more. decisions.md: 23, 24
func readdress(tx Tx, schema *Schema, contact *Contact) (left string, refused, err error) {
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

// addressKey returns the comparison form of a Contact's address: the email's,
// or without one the mobile's; "" when it has none.
func (s *Schema) addressKey(c *Contact) string {
	if _, key, ok := ParseEmail(c.Values.Get(s.email.ID)); ok {
		return key
	}
	if s.mobile != nil && c.Values.Get(s.mobile.ID) != "" {
		return c.Mobile
	}
	return "" // a number of a deleted Field, not yet forgotten, is none
}
