package audience

import (
	"context"
	"slices"

	"enlist/internal/address"
)

// This file finds everything that an Account stores about the person with an address.

// PersonSection names one kind of the data about a person. Each section has the rows of one table.
type PersonSection string

// The sections, in the order of an export.
const (
	PersonContacts      PersonSection = "contacts"
	PersonConsents      PersonSection = "consents"       // all rows of the ledger
	PersonUnsubscribed  PersonSection = "unsubscribed"   // entries of the Unsubscriber List
	PersonMails         PersonSection = "mails"          // requests to confirm, and mails of autoresponders
	PersonBatchMails    PersonSection = "batch_mails"    // mails of Batches
	PersonBatchEvents   PersonSection = "batch_events"   // opens, clicks, bounces and so on
	PersonWebhookEvents PersonSection = "webhook_events" // that wait
	PersonJobs          PersonSection = "jobs"           // that wait, or have failed
)

var personSections = []PersonSection{PersonContacts, PersonConsents, PersonUnsubscribed, PersonMails, PersonBatchMails,
	PersonBatchEvents, PersonWebhookEvents, PersonJobs}

// PersonValue is a value of a row, with the name of its column. The value is an int64, a string, a bool, JSON
// (jsontext.Value or json.RawMessage), or another list of PersonValues.
type PersonValue struct {
	Name  string
	Value any
}

// PersonWriter receives the data about a person. A row is valid only during the call.
type PersonWriter interface {
	// Begin is called before the first section, and again if the export starts over.
	Begin() error
	// Section begins a section. Each section comes once, also if it has no row.
	Section(s PersonSection) error
	// Row receives a row of the section.
	Row(values []PersonValue) error
}

// PersonKeys says by what the rows about a person are found.
type PersonKeys struct {
	Account   AccountID
	Lists     []ListID    // of the Account
	Contacts  []PersonKey // with the address
	Keys      []string    // normalised forms of the address
	Others    []string    // normalised forms of the Contacts' other addresses
	Addresses []string    // spellings of the address, in lower case
	known     map[PersonKey]bool
}

// PersonKey identifies a Contact of the person.
type PersonKey struct {
	List    ListID
	Contact ContactID
}

// Has reports whether a Contact has the address.
func (k *PersonKeys) Has(list ListID, contact ContactID) bool {
	return k.known[PersonKey{list, contact}]
}

// ExportPerson sends everything to w that the Account stores about an email address or a mobile number, from one
// snapshot: the Contacts that have the address in any List, what belongs to them, the entries of the Unsubscriber
// List, and mails that went to the address before a Contact got another one. It reads all mails of the Account, so it
// takes long if there are many. Errors: Denied for a key restricted to Lists, InvalidParameters if the text is no
// address, and Busy if too many streams run. decisions.md: 90
func (s *Service) ExportPerson(ctx context.Context, c *Caller, text string, w PersonWriter) error {
	if err := requireWholeAccount(c); err != nil {
		return err
	}
	return s.store.ViewPrimary(c.with(ctx), confirmed(c, func(tx Tx) error {
		keys, contacts, err := findPerson(tx, c, text)
		if err != nil {
			return err
		}
		if err := w.Begin(); err != nil {
			return err
		}
		for _, section := range personSections {
			if err := w.Section(section); err != nil {
				return err
			}
			n := 0
			err := tx.PersonRows(section, keys, func(row []PersonValue) error {
				if section == PersonContacts {
					row = append(row, contacts[n]...)
				}
				n++
				return w.Row(row)
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// findPerson returns the keys of a person, and for each of its Contacts the values that only the List can name.
func findPerson(tx Tx, c *Caller, text string) (*PersonKeys, [][]PersonValue, error) {
	_, email, isEmail := address.ParseEmail(text)
	if !isEmail && address.NormaliseMobile(text, DefaultCountryCode) == "" {
		return nil, nil, invalid("address", "address is neither an email nor a mobile address")
	}
	keys, _ := address.Keys(text)
	k := &PersonKeys{Account: c.Account.ID, known: make(map[PersonKey]bool)}
	k.Addresses = []string{address.LowerASCII(text)}
	if isEmail {
		keys, k.Addresses = append(keys, email), append(k.Addresses, email)
	}
	k.Keys = fewKeys(keys)
	lists, err := tx.Lists(c.Account.ID)
	if err != nil {
		return nil, nil, err
	}
	var contacts [][]PersonValue
	for _, list := range lists {
		k.Lists = append(k.Lists, list.ID)
		schema, err := tx.Schema(list.ID)
		if err != nil {
			return nil, nil, err
		}
		mobile := ""
		if !isEmail {
			mobile = address.NormaliseMobile(text, list.CountryCode)
		}
		found, err := contactsOfPerson(tx, list.ID, email, mobile)
		if err != nil {
			return nil, nil, err
		}
		for i := range found {
			key := PersonKey{list.ID, found[i].ID}
			k.Contacts, k.known[key] = append(k.Contacts, key), true
			k.Others = append(k.Others, found[i].Key, found[i].Mobile)
			contacts = append(contacts, namedValues(schema, &found[i]))
		}
	}
	return k, contacts, nil
}

// contactsOfPerson returns the Contacts of a List with an address, in order of ID.
func contactsOfPerson(tx ContactTx, list ListID, email, mobile string) (all []Contact, err error) {
	for after, more := ContactID(0), true; more; {
		page, err := tx.ContactsByAddress(list, email, mobile, after, rowPage)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		more = len(page) == rowPage
		if more {
			after = page[len(page)-1].ID
		}
	}
	return all, nil
}

// namedValues returns the name of the Contact's List, the Contact's values by the names of their Fields, and its
// answers by the names of the preferences.
func namedValues(schema *Schema, c *Contact) []PersonValue {
	var values, answers []PersonValue
	for i := range schema.Fields {
		f := &schema.Fields[i]
		values = append(values, PersonValue{f.Name, c.Values.Get(f.ID)})
	}
	for _, p := range schema.Preferences {
		if agree, answered := c.Prefs[p.ID]; answered {
			answers = append(answers, PersonValue{p.Name, agree})
		}
	}
	return slices.Clip([]PersonValue{{"list_name", schema.List.Name}, {"values", values}, {"preferences", answers}})
}

// PersonTx reads what is stored about a person, in a transaction.
type PersonTx interface {
	// PersonRows calls each for the rows of a section. The rows of PersonContacts are in the order of k.Contacts.
	PersonRows(section PersonSection, k *PersonKeys, each func(row []PersonValue) error) error
}
