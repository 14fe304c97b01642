package contacts

import (
	"context"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
)

// This file has subscribeContact, which subscribes one Contact. Subscribe calls run, and run
// calls most of the functions below it. parse.go reads the details that the caller sent.

// SubscribeRequest is a call of subscribeContact.
type SubscribeRequest struct {
	List    enlist.ListID
	Details []enlist.Detail // keys are Field names or field_<id>; other keys are ignored
	Consent Consent
	Form    enlist.FormID // that the person has sent; 0: another program subscribes the person
	// Language of the page on which the person subscribes; "": it is not known.
	Language string
	Ticked   *TrackingDecision // of the person who has sent the Form; nil: none. Check has accepted it.
	ByLink   bool              // the person uses the page with the settings of another subscription
	ByUser   bool              // a user adds the person on a page, and changes no Contact with the address
	Again    bool              // the user says that the person, who has left, asked to be subscribed again
}

// Subscribe adds a Contact to a List and returns its ID. If the List disallows duplicates and
// a Contact has the address already, Subscribe updates that Contact instead. Errors, checked in this
// order: NoList, Denied, InvalidConsent, ConsentRequired, InvalidEmail, InvalidParameters,
// ContactLimit. With ByUser also ErrHasLeft, without Again.
// reference.md: subscribeContact; decisions.md: 23, 24, 27
func (s *Service) Subscribe(ctx context.Context, c *enlist.Caller,
	r SubscribeRequest) (id enlist.ContactID, err error) {
	call := subscribeCall{SubscribeRequest: r, service: s, caller: c}
	// On SQLite all transactions that write run one after another. So parse before the
	// transaction, to keep it short.
	if schema, cached := s.db.Cache().Schema(r.List); cached {
		call.parse(schema, enlist.Today(s.db.Now(), c.Account.TimeZone))
	}
	run := db.Idempotent(s.db, c, &id, call.run)
	if call.onlyInserts() {
		err = s.db.UpdateInBatch(ctx, db.Address{List: r.List, Key: call.parsed.Key}, run)
	} else {
		err = s.db.Update(ctx, run)
	}
	return id, err
}

// subscribeCall is one call of subscribeContact, with its parsed details.
type subscribeCall struct {
	SubscribeRequest
	service *Service
	caller  *enlist.Caller
	parsed  *ParsedContact
}

// run carries out the call in a transaction. The transaction may run again.
func (call *subscribeCall) run(tx *db.Tx, now int64) (enlist.ContactID, error) {
	schema, err := lists.Load(tx, call.caller, call.List)
	if err != nil {
		return 0, err
	}
	parsed := call.parse(schema, enlist.Today(time.Unix(now, 0), call.caller.Account.TimeZone))
	if parsed.err != nil {
		return 0, parsed.err
	}
	sub := subscription{ParsedContact: parsed, service: call.service, tx: tx, caller: call.caller, now: now}
	contact := parsed.NewContact("api", now)
	if call.Form != 0 {
		contact.SubscribedVia, contact.WebformID = "web_form", int64(call.Form)
		sub.form, sub.ticked = call.Form, call.Ticked
	}
	if call.ByLink {
		contact.SubscribedVia, sub.byLink = "other", true
	}
	if call.ByUser {
		contact.SubscribedVia, sub.byUser, sub.again = "single_addition", true, call.Again
	}
	if call.Language != "" {
		contact.Language, sub.language = call.Language, call.Language
	}
	SetPreferences(&contact, schema, parsed.consent.Preferences)
	existing, err := sub.insertOrFind(&contact)
	switch {
	case err != nil:
		return 0, err
	case existing != nil && call.ByUser:
		return 0, enlist.Invalid(schema.AddressField(existing).Name, "the List has a Contact with this address already")
	case existing != nil:
		return existing.ID, sub.update(existing)
	}
	sub.isNew = true
	return contact.ID, sub.recordAndEmit(&contact, enlist.WebhookCreated, enlist.WebhookSubscribed)
}

// parse checks consent, address and values, in that order. It returns the last
// result if neither the Schema nor the day has changed. reference.md: errors.order
func (call *subscribeCall) parse(schema *enlist.Schema, today string) *ParsedContact {
	if call.parsed != nil && call.parsed.IsCurrent(schema, today) {
		return call.parsed
	}
	p, consent := &ParsedContact{Schema: schema, Today: today}, call.Consent
	call.parsed = p
	p.err = consent.Check(schema)
	if p.err != nil {
		return p
	}
	p.err = p.parse(call.Details)
	if p.err != nil {
		return p
	}
	p.consent, p.err = consent.Row(schema)
	return p
}

// onlyInserts reports whether the transaction will only insert a Contact, its ledger row and jobs, unless
// another Contact has the address.
func (call *subscribeCall) onlyInserts() bool {
	p := call.parsed
	if p == nil || p.err != nil || call.caller.Retry != nil ||
		call.caller.Account.ContactLimit != enlist.NoContactLimit {
		return false
	}
	list := &p.Schema.List
	return list.DisallowDuplicates && !list.DoubleOptIn && len(p.Schema.Webhooks) == 0 && call.Form == 0 && !call.ByUser &&
		p.tracking == nil && !p.Schema.SharesTracking
}

// subscription is a parsed call inside its transaction.
type subscription struct {
	*ParsedContact
	service *Service
	tx      *db.Tx
	caller  *enlist.Caller
	now     int64         // Unix time
	isNew   bool          // the transaction has inserted the Contact
	form    enlist.FormID // as in SubscribeRequest, like byLink, byUser and again
	byLink  bool
	byUser  bool
	again   bool

	language string            // as in SubscribeRequest
	ticked   *TrackingDecision // as in SubscribeRequest
}

// insertOrFind inserts a new Contact. If the List disallows duplicates and a Contact has the
// address, insertOrFind returns that Contact and inserts nothing. reference.md: limit.contacts; decisions.md: 24
func (sub *subscription) insertOrFind(contact *enlist.Contact) (existing *enlist.Contact, err error) {
	unique, account := sub.Schema.List.DisallowDuplicates, sub.caller.Account
	// A Form adds nothing at the limit, also for an address that a Contact has: its answer would show that one has.
	if sub.form != 0 {
		if err := requireRoom(sub.tx, account); err != nil {
			return nil, err
		}
	}
	// An update is allowed at the limit, so find the Contact first. A Form adds no duplicate, also where others may.
	if sub.form != 0 || sub.byUser || unique && account.ContactLimit != enlist.NoContactLimit {
		existing, err = ByKey(sub.tx, contact.ListID, contact.Key)
		if enlist.KindOf(err) != enlist.NoContact {
			return existing, err
		}
	}
	if sub.byUser {
		if err := sub.checkLeft(contact); err != nil {
			return nil, err
		}
	}
	err = requireRoom(sub.tx, account)
	if unique && enlist.KindOf(err) == enlist.ContactLimit {
		// While this call waited for the number of Contacts, another one may have added the Contact, or deleted one.
		existing, err = ByKey(sub.tx, contact.ListID, contact.Key)
		if enlist.KindOf(err) != enlist.NoContact {
			return existing, err
		}
		err = requireRoom(sub.tx, account)
	}
	if err != nil {
		return nil, err
	}
	if unique {
		return insertOrFind(sub.tx, contact)
	}
	_, err = insertOrDuplicate(contact, sub.tx, sub.Schema)
	return nil, err
}

// update stores the changes of the call in an existing Contact. An unsubscribed Contact
// becomes subscribed again, because the person has just asked for the subscription.
func (sub *subscription) update(contact *enlist.Contact) error {
	if sub.form != 0 {
		sub.distrust(contact)
	}
	changed := SetPreferences(contact, sub.Schema, sub.consent.Preferences)
	changed = sub.Apply(contact) || changed
	resubscribed := contact.IsUnsubscribed
	isOther := sub.speaks(contact)
	contact.IsUnsubscribed = false
	if changed || resubscribed {
		contact.Modified = sub.now
	}
	if changed || resubscribed || isOther {
		if err := Update(sub.tx, contact); err != nil {
			return err
		}
	}
	if resubscribed {
		return sub.recordAndEmit(contact, enlist.WebhookUpdated, enlist.WebhookSubscribed)
	}
	if err := sub.record(contact); err != nil {
		return err
	}
	if changed {
		if err := events.Publish(sub.tx, sub.Schema, contact.ID, sub.now, enlist.WebhookUpdated); err != nil {
			return err
		}
	}
	if sub.Schema.List.DoubleOptIn && !contact.DoubleOptIn {
		return AskToConfirm(sub.tx, contact, sub.now)
	}
	return nil
}

// recordAndEmit writes the ledger row and stores the jobs that a subscription
// causes. reference.md: Events
func (sub *subscription) recordAndEmit(contact *enlist.Contact, types ...enlist.WebhookEventType) error {
	if err := sub.record(contact); err != nil {
		return err
	}
	if err := events.Publish(sub.tx, sub.Schema, contact.ID, sub.now, types...); err != nil {
		return err
	}
	return emitSubscribed(sub.tx, sub.Schema, contact, sub.now)
}

// record writes the ledger row, and what a Form has ticked. Every successful call writes a row, even if it does not
// change the Contact. decisions.md: 27
func (sub *subscription) record(contact *enlist.Contact) error {
	row := &sub.consent
	row.ContactID, row.Time, row.KeyID, row.Method = contact.ID, sub.now, sub.caller.Key.ID, "subscribeContact"
	switch {
	case sub.form != 0:
		row.Method = MethodForm
	case sub.byLink:
		row.Method = MethodPreferences
	case sub.again:
		row.Method = methodAgain
	case sub.byUser:
		row.Method = MethodUser
	}
	add := AddLedgerRow
	if sub.isNew {
		add = addFirstLedgerRow
	}
	if err := add(sub.tx, row); err != nil {
		return err
	}
	if err := sub.decideTracking(contact); err != nil || sub.form == 0 {
		return err
	}
	return sub.service.above.FormSent(sub.tx, sub.Schema, sub.form, sub.now)
}
