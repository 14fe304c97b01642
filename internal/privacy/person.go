package privacy

import (
	"context"
	"slices"
	"strings"

	"enlist/internal/address"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/lists"
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

var personSections = []PersonSection{PersonContacts, PersonConsents, PersonDepartures,
	PersonUnsubscribed, PersonMails, PersonBatchMails,
	PersonBatchEvents, PersonWebhookEvents, PersonJobs, PersonImports, PersonSavedResults, PersonAudit}

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
	Account   enlist.AccountID
	Lists     []enlist.ListID    // of the Account
	Contacts  []enlist.PersonKey // with the address
	Former    []enlist.PersonKey // Contacts that were deleted; an entry of the Unsubscriber List has the address with them
	Own       []string           // normalised forms of the address that identify the person: none for a number without its country
	Keys      []string           // normalised forms of the address
	Others    []string           // normalised forms of the Contacts' other addresses
	Addresses []string           // spellings of the address, in lower case
	known     map[enlist.PersonKey]bool
}

// Has reports whether a Contact has the address.
func (k *PersonKeys) Has(list enlist.ListID, contact enlist.ContactID) bool {
	return k.known[enlist.PersonKey{List: list, Contact: contact}]
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
func exportPerson(tx *db.Tx, keys *PersonKeys, contacts [][]PersonValue, w PersonWriter) error {
	if err := w.Begin(); err != nil {
		return err
	}
	for _, section := range personSections {
		err := w.Section(section)
		if err != nil {
			return err
		}
		n := 0
		row := func(row []PersonValue) error {
			if section == PersonContacts {
				row = append(row, contacts[n]...)
			}
			n++
			return w.Row(row)
		}
		if section == PersonImports {
			err = importsOfPerson(tx, keys, row)
		} else {
			err = PersonRows(tx, section, keys, row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// newPersonKeys returns the keys of a person that the text alone gives.
func newPersonKeys(c *enlist.Caller, text string) (*PersonKeys, error) {
	_, email, isEmail := address.ParseEmail(text)
	if !isEmail && address.NormaliseMobile(text, enlist.DefaultCountryCode) == "" {
		return nil, enlist.Invalid("address", "address is neither an email nor a mobile address")
	}
	keys, _ := address.Keys(text)
	k := &PersonKeys{Account: c.Account.ID, known: make(map[enlist.PersonKey]bool)}
	switch {
	case isEmail:
		keys, k.Own = append(keys, email), []string{email}
	case strings.HasPrefix(strings.TrimSpace(text), "+"):
		k.Own = []string{address.NormaliseMobile(text, enlist.DefaultCountryCode)}
	}
	k.Addresses = spellings(text, strings.Join(k.Own, ""))
	k.Keys = contacts.FewKeys(keys)
	return k, nil
}

// findPerson returns the keys of a person, and for each of its Contacts the values that only the List can name.
func findPerson(tx *db.Tx, c *enlist.Caller, text string) (*PersonKeys, [][]PersonValue, error) {
	k, err := newPersonKeys(c, text)
	if err != nil {
		return nil, nil, err
	}
	all, err := lists.Defined(tx, c.Account.ID)
	if err != nil {
		return nil, nil, err
	}
	k.Lists = lists.IDs(all)
	in, err := contacts.ListsOfPerson(tx, all, text)
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
func (k *PersonKeys) findContacts(tx *db.Tx, in *contacts.PersonList) (values [][]PersonValue, err error) {
	schema, err := lists.Schema(tx, in.ID)
	if err != nil {
		return nil, err
	}
	found, err := contactsOfPerson(tx, in)
	for i := range found {
		key := enlist.PersonKey{List: in.ID, Contact: found[i].ID}
		k.Contacts, k.known[key] = append(k.Contacts, key), true
		k.Others = append(k.Others, found[i].Key, found[i].Mobile)
		spelling := address.LowerASCII(found[i].Values.Get(schema.Email().ID))
		if in.Email != "" && !slices.Contains(k.Addresses, spelling) {
			k.Addresses = append(k.Addresses, spelling)
		}
		values = append(values, namedValues(schema, &found[i]))
	}
	return values, err
}

// findFormer finds the Contacts that had the address when they unsubscribed, and that were deleted. The ledger keeps
// their rows.
func (k *PersonKeys) findFormer(tx *db.Tx) error {
	var all []enlist.PersonKey
	err := contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: k.Account, Keys: k.Keys},
		func(u *contacts.Unsubscriber) error {
			key := enlist.PersonKey{List: u.ListID, Contact: u.ContactID}
			if u.ContactID != 0 && !k.known[key] && !slices.Contains(all, key) {
				all = append(all, key)
			}
			return nil
		})
	for _, key := range all {
		if _, gone := contacts.ByID(tx, key.List, key.Contact); enlist.KindOf(gone) == enlist.NoContact {
			k.Former = append(k.Former, key)
		} else if gone != nil {
			return gone
		}
	}
	return err
}

// contactsOfPerson returns the Contacts of a person in a List, in order of ID.
func contactsOfPerson(tx *db.Tx, in *contacts.PersonList) (all []enlist.ByID, err error) {
	for after, more := enlist.ContactID(0), true; more; {
		page, err := contacts.ByAddress(tx, in.ID, in.Email, in.Mobile, after, enlist.RowPage)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		more = len(page) == enlist.RowPage
		if more {
			after = page[len(page)-1].ID
		}
	}
	return all, nil
}

// namedValues returns the name of the Contact's List, the Contact's values by the names of their Fields, and its
// answers by the names of the preferences.
func namedValues(schema *enlist.Schema, c *enlist.ByID) []PersonValue {
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

// importsOfPerson calls each for the results of Imports that are about the person.
func importsOfPerson(tx *db.Tx, k *PersonKeys, each func([]PersonValue) error) error {
	all, err := imports.Imports(tx, k.Account)
	if err != nil {
		return err
	}
	for n := range all {
		i := &all[n]
		if header := headerOf(i); k.Mentions(header) || k.Mentions(i.Reason) || k.Mentions(i.Options.FileName) {
			err := each([]PersonValue{{"import_id", int64(i.ID)}, {"header", header}, {"reason", i.Reason},
				{"file_name", i.Options.FileName}})
			if err != nil {
				return err
			}
		}
		err := eachStep(tx, i.ID, func(step imports.StepResults) error {
			return imports.UnpackResults(step.Data, func(r *imports.RowResult) error {
				if !k.isAbout(i.ListID, r) {
					return nil
				}
				return each([]PersonValue{{"import_id", int64(i.ID)}, {"step", step.Number}, {"row", r.Row},
					{"outcome", string(r.Outcome)}, {"contact_id", int64(r.Contact)}, {"reason", r.Reason},
					{"field", r.Field}, {"value", r.Value}, {"cells", r.Cells()}})
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// headerOf returns the columns of an Import. Without a header, these are the values of the first row.
func headerOf(i *imports.Import) string {
	names := make([]string, len(i.Columns))
	for n := range i.Columns {
		names[n] = i.Columns[n].Name
	}
	if texts := i.Report.Texts(); texts != "" {
		names = append(names, texts)
	}
	return strings.Join(names, ", ")
}

// isAbout reports whether a result of an Import into a List is about the person.
func (k *PersonKeys) isAbout(list enlist.ListID, r *imports.RowResult) bool {
	return k.Has(list, r.Contact) || k.Mentions(r.Value) || k.Mentions(r.Reason) ||
		k.Mentions(r.Cells())
}

// eachStep calls each with the results of the steps of an Import.
func eachStep(tx *db.Tx, id enlist.ImportID, each func(imports.StepResults) error) error {
	for from := int64(0); ; {
		steps, err := imports.ImportResults(tx, id, from, imports.ResultSteps)
		if err != nil {
			return err
		}
		for _, step := range steps {
			if err := each(step); err != nil {
				return err
			}
			from = step.Number + 1
		}
		if len(steps) < imports.ResultSteps {
			return nil
		}
	}
}
