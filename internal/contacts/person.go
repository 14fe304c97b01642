package contacts

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file finds the Contacts of one person.

// OfPerson is a Contact with its List. The Schema must not be changed.
type OfPerson struct {
	Schema  *enlist.Schema
	Contact enlist.ByID
}

// maxOfPerson is the largest number of Contacts that Person returns of a List. A List that allows duplicates can have
// an address many times.
const maxOfPerson = 20

// Person returns the Contacts with an email address or a mobile number in all Lists that the caller may access, from
// one snapshot, and the entries of the Unsubscriber List with the address that belong to these Lists or to none.
// Errors: InvalidParameters if the text is no address.
func (s *Service) Person(ctx context.Context, c *enlist.Caller, text string) (found []OfPerson, left []Unsubscriber,
	err error) {
	_, email, isEmail := address.ParseEmail(text)
	if !isEmail && address.NormaliseMobile(text, enlist.DefaultCountryCode) == "" {
		return nil, nil, enlist.Invalid("address", "this is neither an e-mail address nor a mobile number")
	}
	err = s.db.InView(ctx, c, func(tx *db.Tx) error {
		found, left = nil, nil
		all, err := lists.Defined(tx, c.Account.ID)
		if err != nil {
			return err
		}
		allowed, byKey := []enlist.ListID{0}, map[string][]enlist.ListID{email: nil}
		for i := range all {
			if c.Key.Allows(all[i].ID) {
				allowed = append(allowed, all[i].ID)
				key := email
				if !isEmail {
					key = address.NormaliseMobile(text, all[i].CountryCode)
				}
				byKey[key] = append(byKey[key], all[i].ID)
			}
		}
		keys := slices.Collect(maps.Keys(byKey))
		if found, err = contactsOf(tx, byKey, email); err != nil {
			return err
		}
		return Unsubscribers(tx, &UnsubscriberSearch{Account: c.Account.ID, Lists: allowed, Keys: FewKeys(keys)},
			func(u *Unsubscriber) error {
				if u.AddressKey != "" {
					left = append(left, *u)
				}
				return nil
			})
	})
	return found, left, err
}

// contactsOf returns the Contacts of a person in Lists, by the key of the address in each: email, or a mobile number.
func contactsOf(tx *db.Tx, byKey map[string][]enlist.ListID, email string) (found []OfPerson, err error) {
	for key, in := range byKey {
		mobile := ""
		if key != email {
			mobile = key
		}
		with, err := ListsOf(tx, in, email, mobile)
		if err != nil {
			return nil, err
		}
		for _, id := range with {
			schema, err := lists.Schema(tx, id)
			if err != nil {
				return nil, err
			}
			page, err := ByAddress(tx, id, email, mobile, 0, maxOfPerson)
			if err != nil {
				return nil, err
			}
			for i := range page {
				found = append(found, OfPerson{schema, page[i]})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b OfPerson) int { return cmp.Compare(a.Contact.ListID, b.Contact.ListID) })
	return found, nil
}
