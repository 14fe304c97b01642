package privacy

import (
	"context"
	"slices"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/imports"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file finds everything that an Account stores about the person with an address.

// PersonSection names one kind of the data about a person. Each section has the rows of one table.
type PersonSection string

// The sections, in the order of an export.
const (
	PersonContacts      PersonSection = "contacts"
	PersonConsents      PersonSection = "consents"       // all rows of the ledger
	PersonDepartures    PersonSection = "departures"     // why the person has unsubscribed
	PersonUnsubscribed  PersonSection = "unsubscribed"   // entries of the Unsubscriber List
	PersonMails         PersonSection = "mails"          // requests to confirm, and mails of autoresponders
	PersonBatchMails    PersonSection = "batch_mails"    // mails of Batches
	PersonBatchEvents   PersonSection = "batch_events"   // opens, clicks, bounces and so on
	PersonWebhookEvents PersonSection = "webhook_events" // that wait
	PersonJobs          PersonSection = "jobs"           // that wait, or have failed
	PersonImports       PersonSection = "imports"        // results of the rows of Imports
	PersonSavedResults  PersonSection = "saved_results"  // of calls with an Idempotency-Key, which are kept for a day
	PersonAudit         PersonSection = "audit_log"      // rows that contain the address or its hash
)

// personRows calls each for the rows about a person.
type personRows func(tx *db.Tx, p *enlist.Person, each func([]PersonValue) error) error

// personSections has the function of the subject that answers for each section. A test holds the tables against them.
var personSections = []struct {
	name PersonSection
	rows personRows
}{
	{PersonContacts, contacts.PersonContacts.Rows},
	{PersonConsents, contacts.PersonConsents.Rows},
	{PersonDepartures, contacts.PersonDepartures.Rows},
	{PersonUnsubscribed, contacts.EntriesOfPerson},
	{PersonMails, messages.PersonMails.Rows},
	{PersonBatchMails, batches.PersonMails.Rows},
	{PersonBatchEvents, batches.PersonEvents.Rows},
	{PersonWebhookEvents, events.PersonEvents.Rows},
	{PersonJobs, db.JobsOfPerson},
	{PersonImports, imports.OfPerson},
	{PersonSavedResults, accounts.RetriesOfPerson},
	{PersonAudit, accounts.AuditOfPerson},
}

// PersonValue is a value of a row.
type PersonValue = enlist.PersonValue

// PersonWriter receives the data about a person. A row is valid only during the call.
type PersonWriter interface {
	// Begin is called before the first section, and again if the export starts over.
	Begin() error
	// Section begins a section. Each section comes once, also if it has no row.
	Section(s PersonSection) error
	// Row receives a row of the section.
	Row(values []PersonValue) error
}

// personKeys has a person, and the normalised forms of the address that identify the person: none for a number without
// its country.
type personKeys struct {
	enlist.Person
	own []string
}

// ExportPerson sends everything to w that the Account stores about an email address or a mobile number, from one
// snapshot: the Contacts that have the address in any List, what belongs to them, the entries of the Unsubscriber
// List, and mails that went to the address before a Contact got another one. It reads all mails of the Account, so it
// takes long if there are many. Errors: Denied for a key restricted to Lists, InvalidParameters if the text is no
// address, and Busy if too many streams run. decisions.md: 90
func (s *Service) ExportPerson(ctx context.Context, c *enlist.Caller, text string, w PersonWriter) error {
	if err := enlist.RequireWholeAccount(c); err != nil {
		return err
	}
	if err := s.auditPersonExport(ctx, c, text); err != nil {
		return err
	}
	return s.db.ViewPrimary(c.Context(ctx), s.db.Confirmed(c, func(tx *db.Tx) error {
		keys, contacts, err := findPerson(tx, c, text)
		if err != nil {
			return err
		}
		return exportPerson(tx, keys, contacts, w)
	}))
}

// exportPerson sends everything about a person to w. contacts has the values of keys.Contacts.
func exportPerson(tx *db.Tx, keys *personKeys, contacts [][]PersonValue, w PersonWriter) error {
	if err := w.Begin(); err != nil {
		return err
	}
	for _, section := range personSections {
		if err := w.Section(section.name); err != nil {
			return err
		}
		n := 0
		row := func(row []PersonValue) error {
			if section.name == PersonContacts {
				row = append(row, contacts[n]...)
			}
			n++
			return w.Row(row)
		}
		if err := section.rows(tx, &keys.Person, row); err != nil {
			return err
		}
	}
	return nil
}

// newPersonKeys returns the keys of a person that the text alone gives.
func newPersonKeys(c *enlist.Caller, text string) (*personKeys, error) {
	_, email, isEmail := address.ParseEmail(text)
	if !isEmail && address.NormaliseMobile(text, enlist.DefaultCountryCode) == "" {
		return nil, enlist.Invalid("address", "address is neither an email nor a mobile address")
	}
	keys, _ := address.Keys(text)
	k := &personKeys{Person: enlist.Person{Account: c.Account.ID}}
	switch {
	case isEmail:
		keys, k.own = append(keys, email), []string{email}
	case strings.HasPrefix(strings.TrimSpace(text), "+"):
		k.own = []string{address.NormaliseMobile(text, enlist.DefaultCountryCode)}
	}
	k.Addresses = enlist.Spellings(text, strings.Join(k.own, ""))
	k.Keys = contacts.FewKeys(keys)
	return k, nil
}

// findPerson returns the keys of a person, and for each of its Contacts the values that only the List can name.
func findPerson(tx *db.Tx, c *enlist.Caller, text string) (*personKeys, [][]PersonValue, error) {
	k, err := newPersonKeys(c, text)
	if err != nil {
		return nil, nil, err
	}
	ofAccount, err := lists.Defined(tx, c.Account.ID)
	if err != nil {
		return nil, nil, err
	}
	k.Lists = lists.IDs(ofAccount)
	erased, err := contacts.ReadErasedKeys(tx, k.Account)
	if err != nil {
		return nil, nil, err
	}
	for _, key := range k.Keys {
		k.Hashes = append(k.Hashes, erased.Of(key))
	}
	in, err := contacts.ListsOfPerson(tx, ofAccount, text)
	if err != nil {
		return nil, nil, err
	}
	var values [][]PersonValue
	for i := range in {
		some, err := k.findContacts(tx, &in[i])
		if err != nil {
			return nil, nil, err
		}
		values = append(values, some...)
	}
	return k, values, k.findFormer(tx)
}

// findContacts adds the Contacts of the person in a List to the keys, and returns the values of each.
func (k *personKeys) findContacts(tx *db.Tx, in *contacts.PersonList) (values [][]PersonValue, err error) {
	schema, err := lists.Schema(tx, in.ID)
	if err != nil {
		return nil, err
	}
	theirs, err := contactsOfPerson(tx, in)
	for i := range theirs {
		key := enlist.PersonKey{List: in.ID, Contact: theirs[i].ID}
		k.Add(key)
		k.Others = append(k.Others, theirs[i].Key, theirs[i].Mobile)
		spelling := address.LowerASCII(theirs[i].Values.Get(schema.Email().ID))
		if in.Email != "" && !slices.Contains(k.Addresses, spelling) {
			k.Addresses = append(k.Addresses, spelling)
		}
		values = append(values, namedValues(schema, &theirs[i]))
	}
	return values, err
}

// findFormer finds the Contacts that had the address when they unsubscribed, and that were deleted. The ledger keeps
// their rows.
func (k *personKeys) findFormer(tx *db.Tx) error {
	var former []enlist.PersonKey
	err := contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: k.Account, Keys: k.Keys},
		func(u *contacts.Unsubscriber) error {
			key := enlist.PersonKey{List: u.ListID, Contact: u.ContactID}
			if u.ContactID != 0 && !k.Has(key.List, key.Contact) && !slices.Contains(former, key) {
				former = append(former, key)
			}
			return nil
		})
	for _, key := range former {
		if _, gone := contacts.ByID(tx, key.List, key.Contact); enlist.KindOf(gone) == enlist.NoContact {
			k.Former = append(k.Former, key)
		} else if gone != nil {
			return gone
		}
	}
	return err
}

// contactsOfPerson returns the Contacts of a person in a List, in order of ID.
func contactsOfPerson(tx *db.Tx, in *contacts.PersonList) (theirs []enlist.Contact, err error) {
	for after, more := enlist.ContactID(0), true; more; {
		page, err := contacts.ByAddress(tx, in.ID, in.Email, in.Mobile, after, enlist.RowPage)
		if err != nil {
			return nil, err
		}
		theirs = append(theirs, page...)
		more = len(page) == enlist.RowPage
		if more {
			after = page[len(page)-1].ID
		}
	}
	return theirs, nil
}

// namedValues returns the name of the Contact's List, the Contact's values by the names of their Fields, and its
// answers by the names of the preferences.
func namedValues(schema *enlist.Schema, c *enlist.Contact) []PersonValue {
	var values, answers []PersonValue
	for i := range schema.Fields {
		f := &schema.Fields[i]
		values = append(values, PersonValue{Name: f.Name, Value: c.Values.Get(f.ID)})
	}
	for _, p := range schema.Preferences {
		if agree, answered := c.Prefs[p.ID]; answered {
			answers = append(answers, PersonValue{Name: p.Name, Value: agree})
		}
	}
	return slices.Clip([]PersonValue{{Name: "list_name", Value: schema.List.Name}, {Name: "values", Value: values},
		{Name: "preferences", Value: answers}})
}
