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
	Contact enlist.Contact
}

// maxOfPerson is the largest number of Contacts that Person returns of a List. A List that allows duplicates can have
// an address many times.
const maxOfPerson = 20

// PersonQuery asks for the Contacts of a person in some of the Lists that have any.
type PersonQuery struct {
	Address     string        // an email address or a mobile number
	First       enlist.ListID // this List comes first, the others in the order of their IDs
	Skip, Limit int           // the Lists to leave out before the first one, and the most Lists to return
}

// FoundPerson is what is stored about a person.
type FoundPerson struct {
	Lists    int // that have Contacts of the person
	Contacts []OfPerson
	Left     []Unsubscriber // entries of the Unsubscriber List with the address
}

// Person returns what is stored about a person in the Lists that the caller may access, from one snapshot: Contacts in
// some of these Lists, and the entries of the Unsubscriber List that belong to any of them or to none.
// Errors: InvalidParameters if the address is none.
func (s *Service) Person(ctx context.Context, c *enlist.Caller, q *PersonQuery) (*FoundPerson, error) {
	_, email, isEmail := address.ParseEmail(q.Address)
	if !isEmail && address.NormaliseMobile(q.Address, enlist.DefaultCountryCode) == "" {
		return nil, enlist.Invalid("address", "this is neither an email address nor a mobile number")
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*FoundPerson, error) {
		allowedLists, err := lists.Defined(tx, c.Account.ID)
		if err != nil {
			return nil, err
		}
		allowedLists = slices.DeleteFunc(allowedLists, func(l enlist.List) bool { return !c.Key.Allows(l.ID) })
		in, err := ListsOfPerson(tx, allowedLists, q.Address)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(in, func(l PersonList) bool { return l.ID == q.First }); i > 0 {
			in = slices.Concat(in[i:i+1], in[:i], in[i+1:])
		}
		person := &FoundPerson{Lists: len(in)}
		in = in[min(q.Skip, len(in)):]
		if person.Contacts, err = contactsOf(tx, in[:min(q.Limit, len(in))]); err != nil {
			return nil, err
		}
		keys := append(slices.Collect(maps.Keys(keysIn(allowedLists, q.Address))), email)
		allowed := append(lists.IDs(allowedLists), 0)
		return person, Unsubscribers(tx, &UnsubscriberSearch{Account: c.Account.ID, Lists: allowed, Keys: FewKeys(keys)},
			func(u *Unsubscriber) error {
				if u.AddressKey != "" {
					person.Left = append(person.Left, *u)
				}
				return nil
			})
	})
}

// keysIn groups Lists by the normalised form of a person's address: the email address, or the mobile number, which
// without its country is another one in each country.
func keysIn(among []enlist.List, text string) map[string][]enlist.ListID {
	byKey := make(map[string][]enlist.ListID)
	_, email, isEmail := address.ParseEmail(text)
	for i := range among {
		key := email
		if !isEmail {
			key = address.NormaliseMobile(text, among[i].CountryCode)
		}
		byKey[key] = append(byKey[key], among[i].ID)
	}
	return byKey
}

// PersonList is a List that has Contacts of a person. ByAddress finds them by the email address or the mobile number.
type PersonList struct {
	ID            enlist.ListID
	Email, Mobile string // normalised; one of them is ""
}

// ListsOfPerson returns those of the Lists that have a Contact with the email address or the mobile number, in the order
// of their IDs.
func ListsOfPerson(tx *db.Tx, among []enlist.List, text string) (theirs []PersonList, err error) {
	_, email, _ := address.ParseEmail(text)
	for key, in := range keysIn(among, text) {
		mobile := ""
		if key != email {
			mobile = key
		}
		with, err := ListsOf(tx, in, email, mobile)
		if err != nil {
			return nil, err
		}
		for _, id := range with {
			theirs = append(theirs, PersonList{id, email, mobile})
		}
	}
	slices.SortFunc(theirs, func(a, b PersonList) int { return cmp.Compare(a.ID, b.ID) })
	return theirs, nil
}

func contactsOf(tx *db.Tx, in []PersonList) (contacts []OfPerson, err error) {
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
			contacts = append(contacts, OfPerson{schema, page[i]})
		}
	}
	return contacts, nil
}
