package movein

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"time"

	"enlist/internal/address"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/lists"
)

// This file stores Contacts that move in from another service, page by page, and compares them with it.

// contactPage is a page of Contacts of a List, as the other service sent it.
type contactPage struct {
	List    enlist.ListID
	Records []Record
	// Whole says that the page has all Contacts with an ID above After and up to Upto. Contacts that are stored in this
	// range and are not in the page are removed.
	Whole       bool
	After, Upto enlist.ContactID
}

// storedPage says what a page has changed. Source and Stored are checksums of the Contacts as the other service sent
// them, after the rules of their Fields, and as they are stored now.
type storedPage struct {
	Contacts       int // of the page that are stored
	Added, Changed int
	Removed        int
	Erased         int  // of the page: left out, because the person was erased here
	Again          bool // too many Contacts were removed for one transaction: send the page again
	Source, Stored [sha256.Size]byte
}

// maxMoveRemovals is the largest number of Contacts that a page removes in one transaction.
const maxMoveRemovals = 500

// storePage stores the Contacts of a page that differ from the stored ones. A value that the rules refuse is left
// out and reported. A Contact whose two addresses are refused is left out, and so is a Contact with an address that was
// erased here. progress is stored with the page.
// Errors: NoList, ContactLimit.
func (m *Mover) storePage(ctx context.Context, p contactPage, progress movedState) (
	result storedPage, problems []Problem, err error) {
	problems, err = m.write(ctx, func(w *writing) (err error) {
		result, err = m.movePage(w, p)
		for _, record := range p.Records {
			w.next.LastContact = max(w.next.LastContact, enlist.ContactID(record.ID()))
		}
		w.next.Lists[p.List] = progress
		return err
	})
	return result, problems, err
}

func (m *Mover) movePage(w *writing, p contactPage) (result storedPage, err error) {
	tx, c := w.tx, w.caller
	schema, err := lists.Load(tx, c, p.List)
	if err != nil {
		return result, err
	}
	if err := tx.LockListForBulk(p.List); err != nil {
		return result, err
	}
	today := enlist.Today(time.Unix(w.now, 0), c.Account.TimeZone)
	moved := make([]*enlist.Contact, 0, len(p.Records))
	for _, record := range p.Records {
		r := w.reader("contact", record)
		r.about.List = p.List
		if contact := r.contact(schema, today, w.now); contact != nil {
			moved = append(moved, contact)
		}
	}
	moved, erased, err := withoutErased(tx, c.Account.ID, moved)
	if err != nil {
		return result, err
	}
	if p.Whole {
		result.Removed, result.Again, err = m.removeMissing(tx, w.now, p, erased)
		if err != nil || result.Again {
			return result, err
		}
	}
	ids := make([]enlist.ContactID, len(moved))
	for i, contact := range moved {
		ids[i] = contact.ID
	}
	result.Contacts, result.Erased = len(moved), len(erased)
	if len(moved) == 0 {
		return result, nil
	}
	if err := result.store(tx, c, w.now, moved, ids); err != nil {
		return result, err
	}
	return result, result.compare(tx, moved, ids)
}

// withoutErased returns the Contacts without those that have an address of an erased person, and the IDs of the latter.
func withoutErased(tx *db.Tx, account enlist.AccountID, all []*enlist.Contact) (
	kept []*enlist.Contact, erased map[enlist.ContactID]bool, err error) {
	var addresses []string
	for _, c := range all {
		addresses = append(addresses, c.Key, c.Mobile)
	}
	slices.Sort(addresses)
	entries, err := contacts.ErasedEntries(tx, account, slices.Compact(addresses))
	if err != nil {
		return nil, nil, err
	}
	erased = make(map[enlist.ContactID]bool)
	for _, c := range all {
		if entries[c.Key] != "" || entries[c.Mobile] != "" {
			erased[c.ID] = true
		} else {
			kept = append(kept, c)
		}
	}
	return kept, erased, nil
}

// store stores the Contacts that differ from the stored ones.
func (p *storedPage) store(tx *db.Tx, c *enlist.Caller, now int64, all []*enlist.Contact,
	ids []enlist.ContactID) error {
	old, err := contacts.ContactsToChange(tx, all[0].ListID, ids)
	if err != nil {
		return err
	}
	var changed []*enlist.Contact
	for _, contact := range all {
		before := old[contact.ID]
		switch {
		case before == nil:
			p.Added++
		case contactText(before) == contactText(contact):
			continue
		default:
			p.Changed++
			contact.Prefs, contact.Before = before.Prefs, before.Before
		}
		changed = append(changed, contact)
	}
	room, err := contacts.AccountRoom(tx, c.Account)
	if err != nil {
		return err
	}
	if int64(p.Added) > room {
		return enlist.Refuse(enlist.ContactLimit, "the Account may store %d Contacts: raise the limit with enlist account limit",
			c.Account.ContactLimit)
	}
	if err := contacts.Restore(tx, now, changed); err != nil {
		return err
	}
	for _, contact := range changed {
		if contact.TrackingConsent == enlist.TrackingUnknown {
			continue
		}
		err := contacts.SetTracking(tx, contact.ListID, []enlist.ContactID{contact.ID}, contact.TrackingConsent,
			contact.TrackingTime)
		if err != nil {
			return err
		}
	}
	return nil
}

// compare sets the checksums of the page.
func (p *storedPage) compare(tx *db.Tx, all []*enlist.Contact, ids []enlist.ContactID) error {
	stored, err := contacts.AllByID(tx, all[0].ListID, ids)
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b *enlist.Contact) int { return cmp.Compare(a.ID, b.ID) })
	source, here := sha256.New(), sha256.New()
	for _, c := range all {
		source.Write([]byte(contactText(c)))
	}
	for i := range stored {
		here.Write([]byte(contactText(&stored[i])))
	}
	source.Sum(p.Source[:0])
	here.Sum(p.Stored[:0])
	return nil
}

// contactText returns all that a move stores of a Contact in one page of Contacts. Two Contacts with the same text are
// equal. The answers to preferences are read separately.
func contactText(c *enlist.Contact) string {
	b := fmt.Appendf(nil, "%d %q %q %d %d %t %d %t %t %t %d %d %d %q %d", c.ID, c.Key, c.Mobile, c.Created, c.Modified,
		c.DoubleOptIn, c.DoubleOptInTime, c.IsActive, c.IsBounceDeactivated, c.IsUnsubscribed, c.LastClickTime,
		c.LastMessageTime, c.LastOpenTime, c.SubscribedVia, c.WebformID)
	if c.Language != "" {
		b = fmt.Appendf(b, " %q", c.Language)
	}
	if c.TrackingConsent != enlist.TrackingUnknown {
		b = fmt.Appendf(b, " %s %d", c.TrackingConsent, c.TrackingTime)
	}
	for _, v := range c.Values {
		b = strconv.AppendInt(append(b, ' '), int64(v.Field), 10)
		b = strconv.AppendQuote(append(b, '='), v.Text)
	}
	return string(append(b, '\n'))
}

// removeMissing removes the Contacts in the range of a whole page that the page does not have, and those of erased
// persons.
func (m *Mover) removeMissing(tx *db.Tx, now int64, p contactPage, erased map[enlist.ContactID]bool) (
	removed int, again bool, err error) {
	inPage := make(map[enlist.ContactID]bool, len(p.Records))
	for _, record := range p.Records {
		id := enlist.ContactID(record.ID())
		inPage[id] = !erased[id]
	}
	limit := len(p.Records) + maxMoveRemovals
	ids, err := contacts.IDsUpTo(tx, p.List, p.After, p.Upto, limit)
	if err != nil {
		return 0, false, err
	}
	again = len(ids) == limit
	gone := slices.DeleteFunc(ids, func(id enlist.ContactID) bool { return inPage[id] })
	if len(gone) == 0 {
		return 0, false, nil
	}
	_, err = m.Service.Contacts.RemoveContactsByID(tx, now, p.List, gone)
	return len(gone), again, err
}

// contact reads a Contact. It returns nil if the Contact would have no address.
func (r *reader) contact(schema *enlist.Schema, today string, now int64) *enlist.Contact {
	c := &enlist.Contact{
		ID: enlist.ContactID(r.record.ID()), ListID: schema.List.ID,
		Created: cmp.Or(r.int("creation_time"), now), Modified: cmp.Or(r.int("last_modified_time"), now),
		DoubleOptIn: r.flag("double_opt_in", false), DoubleOptInTime: r.int("double_opt_in_time"),
		IsActive: r.flag("is_active", true), IsBounceDeactivated: r.flag("is_bounce_deactivated", false),
		IsUnsubscribed: r.flag("is_unsubscribed", false), LastClickTime: r.int("last_click_time"),
		LastMessageTime: r.int("last_message_time"), LastOpenTime: r.int("last_open_time"),
		SubscribedVia: r.line("subscribed_via"), WebformID: r.int("webform_id"),
	}
	if schema.FieldCalled(enlist.KeyTrackingConsent) == nil { // a service without decisions has no such key
		c.TrackingConsent, _ = enlist.TrackingOf(r.record.Text(enlist.KeyTrackingConsent))
	}
	if c.TrackingConsent != enlist.TrackingUnknown {
		c.TrackingTime = r.int(enlist.KeyTrackingTime)
	}
	if schema.FieldCalled(enlist.KeyLanguage) == nil {
		c.Language, _ = language.Code(r.record.Text(enlist.KeyLanguage)) // another service has none
	}
	sent := contacts.MatchDetails(schema, r.record)
	for _, v := range sent {
		text, err := readMoved(v.Field, *v.Value, today)
		if err != nil {
			r.refuseValue(v.Field.Name, *v.Value, err.Error())
			continue
		}
		if text == "" {
			continue
		}
		c.Values = append(c.Values, enlist.FieldValue{Field: v.Field.ID, Text: text})
		switch v.Field.AddressType {
		case enlist.AddressEmail:
			_, c.Key, _ = address.ParseEmail(text)
		case enlist.AddressMobile:
			c.Mobile = address.NormaliseMobile(text, schema.List.CountryCode)
		}
	}
	slices.SortFunc(c.Values, func(a, b enlist.FieldValue) int { return cmp.Compare(a.Field, b.Field) })
	c.Key = cmp.Or(c.Key, c.Mobile)
	if c.Key == "" {
		r.refuse("", "the Contact has no valid email address and no mobile number, so it is left out")
		return nil
	}
	return c
}

// readMoved reads a value that another service stored. The date_validation is not applied, because it is for the day on
// which the value was sent.
func readMoved(f *enlist.Field, in enlist.Input, today string) (string, error) {
	if f.DateValidation != "" {
		plain := *f
		plain.DateValidation = ""
		f = &plain
	}
	in = in.Unbox()
	if in.Kind == enlist.InputArray && len(in.Items) == 0 {
		return "", nil
	}
	return f.ReadStrictly(in, today)
}
