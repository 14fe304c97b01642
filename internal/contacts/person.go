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
		all = slices.DeleteFunc(all, func(l enlist.List) bool { return !c.Key.Allows(l.ID) })
		byKey := KeysIn(all, text)
		keys := append(slices.Collect(maps.Keys(byKey)), email)
		if found, err = contactsOf(tx, byKey, email); err != nil {
			return err
		}
		allowed := append(lists.IDs(all), 0)
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

// KeysIn groups Lists by the normalised form of a person's address: the email address, or the mobile number, which
// without its country is another one in each country.
func KeysIn(all []enlist.List, text string) map[string][]enlist.ListID {
	byKey := make(map[string][]enlist.ListID)
	_, email, isEmail := address.ParseEmail(text)
	for i := range all {
		key := email
		if !isEmail {
			key = address.NormaliseMobile(text, all[i].CountryCode)
		}
		byKey[key] = append(byKey[key], all[i].ID)
	}
	return byKey
}

// PersonList is a List that has Contacts of a person. ByAddress finds them by the email address or the mobile number.
type PersonList struct {
	ID            enlist.ListID
	Email, Mobile string // normalised; one of them is ""
}

// ListsOfPerson returns those of the Lists that have a Contact with their key, email or a mobile number, in the order
// of their IDs.
func ListsOfPerson(tx *db.Tx, byKey map[string][]enlist.ListID, email string) (found []PersonList, err error) {
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
			found = append(found, PersonList{id, email, mobile})
		}
	}
	slices.SortFunc(found, func(a, b PersonList) int { return cmp.Compare(a.ID, b.ID) })
	return found, nil
}

// contactsOf returns the Contacts of a person in Lists, by the key of the address in each.
func contactsOf(tx *db.Tx, byKey map[string][]enlist.ListID, email string) (found []OfPerson, err error) {
	in, err := ListsOfPerson(tx, byKey, email)
	if err != nil {
		return nil, err
	}
	for _, l := range in {
		schema, err := lists.Schema(tx, l.ID)
		if err != nil {
			return nil, err
		}
		page, err := ByAddress(tx, l.ID, l.Email, l.Mobile, 0, maxOfPerson)
		if err != nil {
			return nil, err
		}
		for i := range page {
			found = append(found, OfPerson{schema, page[i]})
		}
	}
	return found, nil
}
