package audience

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// SubscribeRequest is a call of subscribeContact.
type SubscribeRequest struct {
	List    ListID
	Details []Detail // keyed by Field name or field_<id>; other keys are ignored
	Consent Consent
}

// Subscribe adds a Contact to a List, or updates the one that has the address
// already, and returns its ID. Errors: NoList, Denied, InvalidConsent,
// ConsentRequired, InvalidEmail, InvalidParameters, ContactLimit, in that order.
// specification: subscribeContact; decisions.md: 13, 20 to 30
func (s *Service) Subscribe(ctx context.Context, c *Caller, r SubscribeRequest) (ContactID, error) {
	// Everybody waits for the writer: what was sent is read before it is asked,
	// against the List as it was last seen, and again only if that has changed.
	var early *reading
	if schema, known := s.store.CachedSchema(r.List); known {
		early = r.read(schema, Today(s.now(), c.Account.TimeZone))
	}
	ignored, id := 0, ContactID(0)
	fn := once(s, c, &id, func(tx Tx, now int64) (ContactID, error) {
		schema, err := loadList(tx, c, r.List)
		if err != nil {
			return 0, err
		}
		read, today := early, Today(time.Unix(now, 0), c.Account.TimeZone)
		if read == nil || read.schema != schema || read.today != today {
			read = r.read(schema, today)
		}
		ignored = read.ignored
		if read.err != nil {
			return 0, read.err
		}
		sub := subscription{reading: *read, tx: tx, caller: c, now: now}
		return sub.store()
	})
	var err error
	if early.onlyInserts(c) {
		err = s.store.UpdateTogether(ctx, r.List, early.key, fn)
	} else {
		err = s.store.Update(ctx, fn)
	}
	s.ignored.Add(int64(ignored)) // here: the function may run twice
	return id, err
}

// reading is what a call says, read against a List.
type reading struct {
	schema *Schema
	today  string // the Account's date
	edits  bool   // a Contact that is known otherwise: its address may be left out

	values  []readValue
	key     string // of the address: the email's, or without one the mobile's
	mobile  string
	row     LedgerRow
	ignored int   // keys that name no Field
	err     error // the first thing that is wrong
}

// readValue is a value that a Field has accepted. An empty text was sent too.
type readValue struct {
	field *Field
	text  string
}

// read reads a call in the order of its checks. decisions.md: 13
func (r *SubscribeRequest) read(schema *Schema, today string) *reading {
	read := &reading{schema: schema, today: today}
	consent := r.Consent
	if read.err = consent.check(schema); read.err != nil {
		return read
	}
	if read.err = read.details(r.Details); read.err != nil {
		return read
	}
	read.row, read.err = consent.row(schema)
	return read
}

// details takes the values that belong to Fields: first the address, then the rest.
func (read *reading) details(details []Detail) error {
	sent, ignored := read.schema.match(details)
	read.ignored = ignored
	read.values = make([]readValue, 0, len(sent))
	email, mobile := read.schema.Email(), read.schema.Mobile()
	for _, first := range []*Field{email, mobile} {
		if err := read.address(first, sent); err != nil {
			return err
		}
	}
	if read.key == "" && !read.edits {
		return errNoAddress(read.schema)
	}
	for _, v := range sent {
		if v.field == email || v.field == mobile {
			continue
		}
		text, err := v.field.Read(*v.value, read.today)
		if err != nil {
			return err
		}
		read.values = append(read.values, readValue{v.field, v.field.Stored(text)})
	}
	return nil
}

// errNoAddress refuses a Contact without an address. decisions.md: 23
func errNoAddress(schema *Schema) error {
	return &Error{Kind: InvalidEmail, Field: schema.Email().Name, Detail: "the Contact would have no email or mobile address"}
}

func (read *reading) address(f *Field, sent []sentValue) error {
	if f == nil {
		return nil
	}
	for _, v := range sent {
		if v.field != f {
			continue
		}
		text, err := f.Read(*v.value, read.today)
		if err != nil {
			return err
		}
		read.values = append(read.values, readValue{f, text})
		if text == "" {
			return nil
		}
		if f.AddressType == AddressEmail {
			_, read.key, _ = ParseEmail(text)
			return nil
		}
		if read.mobile = MobileKey(text, read.schema.List.CountryCode); read.key == "" {
			read.key = read.mobile
		}
	}
	return nil
}

// subscription is one call on its way into the store.
type subscription struct {
	reading
	tx     Tx
	caller *Caller
	now    int64
}

// store makes the Contact or changes the one with the address. In some engines
// another process can insert the same address in between: then it is there at
// the second look.
func (sub *subscription) store() (ContactID, error) {
	if storesAtOnce(sub.caller, sub.schema) {
		return sub.storeAtOnce()
	}
	for {
		if sub.schema.List.DisallowDuplicates {
			existing, err := sub.tx.ContactByKey(sub.schema.List.ID, sub.key)
			if err == nil {
				return existing.ID, sub.update(existing)
			}
			if KindOf(err) != NoContact {
				return 0, err
			}
		}
		if id, err := sub.insert(); id != 0 || err != nil {
			return id, err
		}
	}
}

// onlyInserts reports whether the call does no more than store a Contact, if the
// address is new.
func (read *reading) onlyInserts(c *Caller) bool {
	return read != nil && read.err == nil && c.Retry == nil && storesAtOnce(c, read.schema) && len(read.schema.Webhooks) == 0
}

// storesAtOnce reports whether there is room in any case, and one Contact for an
// address.
func storesAtOnce(c *Caller, schema *Schema) bool {
	return schema.List.DisallowDuplicates && c.Account.ContactLimit == NoContactLimit
}

// storeAtOnce stores the Contact without a look before: nearly all are new.
func (sub *subscription) storeAtOnce() (ContactID, error) {
	contact := sub.fresh()
	sub.prepare(&contact)
	existing, err := sub.tx.InsertOrFind(&contact)
	switch {
	case err != nil:
		return 0, err
	case existing != nil:
		return existing.ID, sub.update(existing)
	}
	return contact.ID, sub.recordAndTell(&contact, WebhookCreated, WebhookSubscribed)
}

// fresh is a Contact who has just subscribed.
func (sub *subscription) fresh() Contact {
	contact := Contact{ListID: sub.schema.List.ID, Created: sub.now, Modified: sub.now, IsActive: true, SubscribedVia: "api"}
	contact.setPreferences(sub.schema, sub.row.Preferences)
	return contact
}

// insert returns 0 when a Contact with the address has just come to be there.
func (sub *subscription) insert() (ContactID, error) {
	if err := hasRoom(sub.tx, sub.caller.Account); err != nil {
		return 0, err
	}
	contact := sub.fresh()
	inserted, err := sub.insertInto(sub.tx, &contact)
	if err != nil || !inserted {
		return 0, err
	}
	return contact.ID, sub.recordAndTell(&contact, WebhookCreated, WebhookSubscribed)
}

// insertInto stores a new Contact with what was read, unless another one has the
// address and the List disallows duplicates.
func (read *reading) insertInto(tx Tx, contact *Contact) (inserted bool, err error) {
	read.prepare(contact)
	inserted, err = tx.InsertContact(contact)
	if err == nil && !inserted && !read.schema.List.DisallowDuplicates {
		contact.IsFirst = false
		inserted, err = tx.InsertContact(contact)
	}
	return inserted, err
}

// prepare puts what was read into a new Contact, as the first with its address.
func (read *reading) prepare(contact *Contact) {
	contact.Key, contact.Mobile, contact.IsFirst = read.key, read.mobile, true
	contact.Values = make(Values, 0, len(read.schema.Fields))
	read.fill(contact)
}

// hasRoom refuses when the Account may store no further Contact. decisions.md: 42
func hasRoom(tx Tx, a *Account) error {
	if a.ContactLimit == NoContactLimit {
		return nil
	}
	n, err := tx.AccountContacts(a.ID)
	if err == nil && n >= a.ContactLimit {
		err = Refuse(ContactLimit, "the Account may store %d Contacts", a.ContactLimit)
	}
	return err
}

// fill puts in what was sent and, for Fields that were not, their defaults.
func (read *reading) fill(contact *Contact) {
	for i := range read.schema.Fields {
		f := &read.schema.Fields[i]
		text, sent := read.sent(f)
		if !sent {
			text = f.Default(read.today)
		}
		contact.Values = contact.Values.Set(f.ID, text)
	}
}

func (read *reading) sent(f *Field) (text string, sent bool) {
	for _, v := range read.values {
		if v.field == f {
			return v.text, true
		}
	}
	return "", false
}

// update changes what was sent of a Contact that is there, and subscribes again
// one who had unsubscribed: the person has just asked to be.
func (sub *subscription) update(contact *Contact) error {
	changed := contact.setPreferences(sub.schema, sub.row.Preferences)
	changed = sub.apply(contact) || changed
	again := contact.IsUnsubscribed
	contact.IsUnsubscribed = false
	if changed || again {
		contact.Modified = sub.now
		if err := sub.tx.UpdateContact(contact); err != nil {
			return err
		}
	}
	if again {
		return sub.recordAndTell(contact, WebhookUpdated, WebhookSubscribed)
	}
	if err := sub.record(contact.ID); err != nil {
		return err
	}
	if changed {
		if err := publishWebhook(sub.tx, sub.schema, contact.ID, sub.now, WebhookUpdated); err != nil {
			return err
		}
	}
	if sub.schema.List.DoubleOptIn && !contact.DoubleOptIn {
		return requestConfirmation(sub.tx, contact.ListID, contact.ID, sub.now)
	}
	return nil
}

// apply puts what was sent into a Contact, all but its Key, and reports whether
// a value is another by that.
func (read *reading) apply(contact *Contact) (changed bool) {
	for _, v := range read.values {
		if contact.Values.Get(v.field.ID) != v.text {
			contact.Values = contact.Values.Set(v.field.ID, v.text)
			changed = true
		}
		if v.field == read.schema.Mobile() {
			contact.Mobile = read.mobile
		}
	}
	return changed
}

// recordAndTell writes the ledger and sets in motion what a subscription causes.
// specification: Events
func (sub *subscription) recordAndTell(contact *Contact, events ...WebhookEventType) error {
	if err := sub.record(contact.ID); err != nil {
		return err
	}
	if err := publishWebhook(sub.tx, sub.schema, contact.ID, sub.now, events...); err != nil {
		return err
	}
	return emitSubscribed(sub.tx, sub.schema, contact, sub.now)
}

func (sub *subscription) record(id ContactID) error {
	sub.row.ContactID, sub.row.Time, sub.row.KeyID, sub.row.Method = id, sub.now, sub.caller.Key.ID, "subscribeContact"
	return sub.tx.AddLedgerRow(&sub.row)
}

// sentValue is a value that was sent for a Field.
type sentValue struct {
	field *Field
	value *Input
	byID  bool
}

// match finds the Fields that details are about, by name or as field_<id>,
// which wins over the name. decisions.md: 20
func (s *Schema) match(details []Detail) (sent []sentValue, ignored int) {
	sent = make([]sentValue, 0, len(details))
	for i := range details {
		field, byID := s.byName[details[i].Key], false
		if field == nil {
			field, byID = s.fieldByKey(details[i].Key), true
		}
		if field == nil {
			ignored++
			continue
		}
		sent = addSent(sent, sentValue{field, &details[i].Value, byID})
	}
	return sent, ignored
}

func addSent(sent []sentValue, v sentValue) []sentValue {
	for i := range sent {
		if sent[i].field == v.field {
			if v.byID {
				sent[i] = v
			}
			return sent
		}
	}
	return append(sent, v)
}

// fieldByKey finds a Field by a key of the form field_<id>, nil when there is none.
func (s *Schema) fieldByKey(key string) *Field {
	digits, ok := strings.CutPrefix(key, "field_")
	if !ok || digits == "" || digits[0] < '1' || digits[0] > '9' { // ParseInt takes +3 and 03
		return nil
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return nil
	}
	return s.byID[FieldID(id)]
}
