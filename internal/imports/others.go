package imports

import (
	"maps"
	"slices"
	"strings"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file imports the other kinds of files: addresses that have unsubscribed, that reported a mail as spam, or that
// do not work. Such a file adds no Contacts. reference.md: import.as

// Reasons of results of such files.
const (
	reasonLeftBefore    = "the address has unsubscribed already"
	reasonListed        = "no Contact has this address; it is now on the Unsubscriber List"
	reasonNoContact     = "no Contact has this address"
	reasonBouncedBefore = "the Contact was deactivated already because of bounces"
)

// storeOthers decides what becomes of each row, and stores it. In a dry run it only decides.
func (s *importTx) storeOthers(rows []importRow) error {
	s.all = make([]*decision, len(rows))
	for n := range rows {
		s.all[n] = &decision{row: &rows[n]}
	}
	return s.leave(s.all)
}

// leave is storeOthers for some of the rows.
func (s *importTx) leave(rows []*decision) error {
	keys := make([]string, 0, len(rows))
	for _, d := range rows {
		if d.row.err == nil {
			keys = append(keys, d.row.parsed.Key)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	found, err := s.allWith(keys)
	if err != nil {
		return err
	}
	listed, err := contacts.UnsubscribedAmong(s.tx, s.i.AccountID, s.i.ListID, keys)
	if err != nil {
		return err
	}
	for _, d := range rows {
		if d.row.err != nil {
			d.outcome, d.reason = RowRefused, d.row.err.Error()
			continue
		}
		if s.i.Options.As == AsBounced {
			err = s.bounced(d, found[d.row.parsed.Key])
		} else {
			err = s.unsubscribed(d, found[d.row.parsed.Key], listed)
		}
		if err != nil {
			return err
		}
	}
	if s.i.Options.DryRun {
		return nil
	}
	return contacts.AddImportedRows(s.tx, s.ended)
}

// maxOfAddress is the largest number of Contacts with one address that a row changes, in a List with duplicates.
const maxOfAddress = 100

// allWith returns the Contacts with the addresses or mobile numbers, by address.
func (s *importTx) allWith(keys []string) (map[string][]*enlist.Contact, error) {
	found := make(map[string][]*enlist.Contact, len(keys))
	hasMobile := false
	for _, key := range keys {
		found[key] = nil
		hasMobile = hasMobile || !strings.Contains(key, "@")
	}
	if s.schema.Unique && !hasMobile { // one look-up finds all
		first, err := contacts.FirstContacts(s.tx, s.i.ListID, keys)
		for key, c := range first {
			found[key] = []*enlist.Contact{c}
		}
		return found, err
	}
	err := contacts.ContactsWithAddresses(s.tx, s.i.ListID, slices.Collect(maps.Keys(found)), func(c *enlist.Contact) {
		for _, key := range slices.Compact([]string{c.Key, c.Mobile}) {
			if all, wanted := found[key]; wanted && len(all) < maxOfAddress {
				found[key] = append(all, c)
			}
		}
	})
	return found, err
}

// unsubscribed unsubscribes the Contacts with the address of a row, and adds the address to the Unsubscriber List.
func (s *importTx) unsubscribed(d *decision, all []*enlist.Contact, listed map[string]bool) error {
	for _, c := range all {
		if c.IsUnsubscribed {
			continue
		}
		c.IsUnsubscribed, c.IsComplaint, c.Modified = true, s.i.Options.As == AsComplained, s.now
		d.outcome, d.contact = RowUpdated, c
		if err := s.change(c, enlist.WebhookUnsubscribed); err != nil {
			return err
		}
		s.ended = append(s.ended, enlist.LedgerRow{ListID: c.ListID, ContactID: c.ID, Time: s.now, Method: "import",
			KeyID: s.caller.Key.ID, ImportID: s.i.ID, ImportRow: d.row.number}) // decisions.md: 89
	}
	key := d.row.parsed.Key
	switch {
	case d.outcome == RowUpdated:
	case listed[key]:
		d.outcome, d.reason = RowUnchanged, reasonLeftBefore
		return nil
	case len(all) > 0:
		d.outcome, d.reason = RowUnchanged, reasonLeftBefore
	default:
		d.outcome, d.reason = RowAdded, reasonListed
	}
	listed[key] = true
	if s.i.Options.DryRun {
		return nil
	}
	u := s.unsubscriber(d)
	if d.contact != nil {
		u.ContactID = d.contact.ID
	}
	return contacts.AddUnsubscriber(s.tx, s.i.AccountID, u)
}

// bounced deactivates the Contacts with the address of a row.
func (s *importTx) bounced(d *decision, found []*enlist.Contact) error {
	if len(found) == 0 {
		d.outcome, d.reason = RowSkipped, reasonNoContact
		return nil
	}
	d.outcome, d.reason = RowUnchanged, reasonBouncedBefore
	for _, c := range found {
		if c.IsBounceDeactivated && !c.IsActive {
			continue
		}
		c.IsBounceDeactivated, c.IsActive, c.Modified = true, false, s.now
		d.outcome, d.reason, d.contact = RowUpdated, "", c
		if err := s.change(c, enlist.WebhookUpdated); err != nil {
			return err
		}
		if s.i.Options.DryRun {
			continue
		}
		if err := contacts.SetBouncesSince(s.tx, s.i.ListID, c.ID, s.now); err != nil {
			return err
		}
	}
	return nil
}

// change stores a Contact, and its event if the caller asked for webhooks.
func (s *importTx) change(c *enlist.Contact, event enlist.WebhookEventType) error {
	if s.i.Options.DryRun {
		return nil
	}
	if err := contacts.Update(s.tx, c); err != nil || !s.i.Options.Webhooks {
		return err
	}
	return s.i.Published.Publish(s.tx, s.schema, s.now, []contacts.ContactEvent{{Contact: c.ID, Event: event}})
}

// unsubscriber returns the entry of a row for the Unsubscriber List.
func (s *importTx) unsubscriber(d *decision) *contacts.Unsubscriber {
	p := d.row.parsed
	u := &contacts.Unsubscriber{ListID: s.i.ListID, AddressType: enlist.AddressEmail, AddressKey: p.Key, Time: s.now}
	field := s.schema.Email()
	if p.Key == p.Mobile && p.Mobile != "" {
		u.AddressType, field = enlist.AddressMobile, s.schema.Mobile()
	}
	for _, v := range p.Values {
		if v.Field == field {
			u.Address = v.Text
		}
	}
	if d.row.system.left != 0 {
		u.Time = d.row.system.left
	}
	return u
}
