package contacts

import (
	"context"

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
		all, err := lists.OfAccount(tx, c.Account.ID)
		if err != nil {
			return err
		}
		allowed, keys := []enlist.ListID{0}, []string{email}
		for i := range all {
			if !c.Key.Allows(all[i].ID) {
				continue
			}
			allowed = append(allowed, all[i].ID)
			schema, err := lists.Schema(tx, all[i].ID)
			if err != nil {
				return err
			}
			mobile := ""
			if !isEmail {
				mobile = address.NormaliseMobile(text, all[i].CountryCode)
				keys = append(keys, mobile)
			}
			page, err := ByAddress(tx, all[i].ID, email, mobile, 0, maxOfPerson)
			if err != nil {
				return err
			}
			for k := range page {
				found = append(found, OfPerson{schema, page[k]})
			}
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
