package movein

import (
	"context"
	"slices"
	"strings"

	"enlist/internal/address"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file stores entries of the Unsubscriber List that move in from another service.

// storeUnsubscribers adds the entries that the Unsubscriber List does not have yet. Equal entries must be in one call:
// of n equal entries it stores as many as are missing. An address that is none is stored as it is, because it can only
// prevent mail. An address that was erased here has an entry already, with only a hash, and is left out. added and erased
// are numbers of entries.
func (m *Mover) storeUnsubscribers(ctx context.Context, records []Record) (added, erased int, err error) {
	err = m.step(ctx, func(w *writing) error {
		entries, err := w.unsubscribers(records)
		if err != nil {
			return err
		}
		keys := make([]string, len(entries))
		for i := range entries {
			keys[i] = entries[i].AddressKey
		}
		gone, err := contacts.ErasedEntries(w.tx, w.caller.Account.ID, keys)
		if err != nil {
			return err
		}
		entries = slices.DeleteFunc(entries, func(u contacts.Unsubscriber) bool { return gone[u.AddressKey] != "" })
		missing, err := missingUnsubscribers(w.tx, w.caller.Account.ID, entries, w.next.IDFactor != 0)
		if err != nil {
			return err
		}
		added, erased = len(missing), len(keys)-len(entries)
		for i := range missing {
			if err := contacts.AddUnsubscriber(w.tx, w.caller.Account.ID, &missing[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return added, erased, err
}

// unsubscribers reads the entries that have an address and a List.
func (w *writing) unsubscribers(records []Record) (entries []contacts.Unsubscriber, err error) {
	var unlisted []enlist.ContactID
	for _, record := range records {
		if record.value("list_id").Omitted() {
			unlisted = append(unlisted, enlist.ContactID(record.Int("contact_id")))
		}
	}
	listOf, err := contacts.ListsOfContacts(w.tx, unlisted)
	if err != nil {
		return nil, err
	}
	for _, record := range records {
		r := w.reader("unsubscriber", record)
		r.about.List, r.about.ID = enlist.ListID(record.Int("list_id")), record.Int("contact_id")
		u, ok, err := r.unsubscriber(w.tx, listOf)
		if err != nil {
			return nil, err
		}
		if ok {
			entries = append(entries, u)
		}
	}
	return entries, nil
}

// unsubscriber reads an entry. ok is false without an address or a List. An entry for all Lists has the list_id 0. One
// without list_id is of one List, which the other service does not say, so its Contact tells the List.
func (r *reader) unsubscriber(tx *db.Tx, listOf map[enlist.ContactID]enlist.ListID) (
	u contacts.Unsubscriber, ok bool, err error) {
	u = contacts.Unsubscriber{ContactID: enlist.ContactID(r.int("contact_id")), ListID: enlist.ListID(r.int("list_id")),
		Address: r.record.Text("address"), Time: r.int("time"), AddressType: enlist.AddressEmail}
	if r.record.value("list_id").Omitted() {
		if u.ListID = listOf[u.ContactID]; u.ListID == 0 {
			r.refuse("list_id", "the entry has no List, and no List has its Contact: "+
				"the address would get no mail of any List; to want that, call unsubscribeContact")
			return u, false, nil
		}
	}
	if enlist.AddressType(r.record.Text("address_type")) == enlist.AddressMobile {
		countryCode := int64(enlist.DefaultCountryCode)
		schema, err := lists.Schema(tx, u.ListID)
		if err == nil {
			countryCode = schema.List.CountryCode
		} else if enlist.KindOf(err) != enlist.NoList {
			return u, false, err
		}
		u.AddressType, u.AddressKey = enlist.AddressMobile, address.NormaliseMobile(u.Address, countryCode)
	} else {
		_, u.AddressKey, _ = address.ParseEmail(u.Address)
	}
	if u.AddressKey == "" {
		u.AddressKey = address.LowerASCII(strings.TrimSpace(u.Address))
	}
	if u.AddressKey == "" {
		r.refuse("", "the entry has no address")
		return u, false, nil
	}
	return u, true, nil
}

// missingUnsubscribers returns the entries that the Unsubscriber List does not have, in the order given. With anyTime,
// entries are equal also if their times differ.
func missingUnsubscribers(tx *db.Tx, account enlist.AccountID, entries []contacts.Unsubscriber, anyTime bool) (
	missing []contacts.Unsubscriber, err error) {
	if len(entries) == 0 {
		return nil, nil
	}
	keys := make([]string, len(entries))
	for i := range entries {
		keys[i] = entries[i].AddressKey
	}
	stored := make(map[contacts.Unsubscriber]int)
	identity := func(u contacts.Unsubscriber) contacts.Unsubscriber {
		if anyTime {
			u.Time = 0
		}
		return u
	}
	err = contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: account, Keys: keys},
		func(u *contacts.Unsubscriber) error {
			stored[identity(*u)]++
			return nil
		})
	for _, u := range entries {
		if stored[identity(u)] > 0 {
			stored[identity(u)]--
			continue
		}
		missing = append(missing, u)
	}
	return missing, err
}
