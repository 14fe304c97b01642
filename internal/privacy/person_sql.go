package privacy

import (
	"slices"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"

	"github.com/go-json-experiment/json/jsontext"
)

// This file finds the rows of all tables that are about one person.

// personTable is a table with data about persons. A row is found by its Contact, by its address, or by both.
type personTable struct {
	name    string
	columns string // that an export contains; ":json" follows the name of a column with JSON
	contact string // WHERE clause for a Contact; its arguments are the List and the Contact
	batches string // ORDER BY clause of a table whose key begins with List and Batch, so that the Batches are tested too
	address string // column with an address; "": none
	key     string // primary key of a table with such a column
}

// personTables has the table of each section. A test keeps it complete.
var personTables = map[PersonSection]personTable{
	PersonContacts: {name: "contact", contact: "list_id = ? AND id = ?",
		columns: `list_id id creation_time last_modified_time double_opt_in double_opt_in_time is_active
			is_bounce_deactivated is_unsubscribed last_click_time last_message_time last_open_time subscribed_via
			webform_id language confirmation_time subscription_waits bounce_time`},
	PersonConsents: {name: "consent", contact: "list_id = ? AND contact_id = ? ORDER BY number",
		columns: "list_id contact_id number time method type text ip preferences:json key_id import_id import_row"},
	PersonDepartures: {name: "departure", contact: "list_id = ? AND contact_id = ?",
		columns: "list_id contact_id time reason words"},
	PersonUnsubscribed: {name: "unsubscriber",
		columns: "list_id contact_id address_key id account_id address_type address time"},
	PersonMails: {name: "delivery", address: "address", key: "list_id, contact_id, event_time, cause",
		contact: "list_id = ? AND contact_id = ? ORDER BY event_time, cause",
		columns: "list_id contact_id event_time cause message_id address subject time status detail"},
	PersonBatchMails: {name: "recipient", address: "address", key: "list_id, batch_id, contact_id",
		contact: "list_id = ? AND contact_id = ?", batches: " ORDER BY batch_id",
		columns: `list_id contact_id batch_id slice status time attempts address detail sent_time unsubscribed_time
			deactivated_time`},
	PersonBatchEvents: {name: "recipient_event",
		contact: "list_id = ? AND contact_id = ?", batches: " ORDER BY batch_id, kind, link_id",
		columns: "list_id contact_id batch_id kind link_id time last_time count human_time device mail_client"},
	PersonWebhookEvents: {name: "webhook_event", contact: "list_id = ? AND contact_id = ? ORDER BY id",
		columns: "list_id contact_id id target_id webhook_id object event time batch_id"},
}

// PersonRows calls each for the rows of a section.
func PersonRows(tx *db.Tx, section PersonSection, k *PersonKeys,
	each func([]PersonValue) error) error {
	switch section {
	case PersonJobs:
		return jobsOfPerson(tx, k, each)
	case PersonUnsubscribed:
		return entriesOfPerson(tx, k, each)
	case PersonSavedResults:
		return savedResultsOfPerson(tx, k, each)
	case PersonAudit:
		return auditOfPerson(tx, k, each)
	}
	table := personTables[section]
	contacts := k.Contacts
	if section == PersonConsents {
		contacts = slices.Concat(contacts, k.Former)
	}
	for _, c := range contacts {
		if err := rowsOfContact(tx, &table, c, each); err != nil {
			return err
		}
	}
	if table.address == "" {
		return nil
	}
	return mailsToPerson(tx, &table, k, each)
}

// mailsToPerson calls each for the rows of other Contacts' mails that have one of the addresses. No index has the
// address, so all mails of the Account are read.
func mailsToPerson(tx *db.Tx, table *personTable, k *PersonKeys, each func([]PersonValue) error) error {
	inLists, lists, err := db.OneOfIDs(tx, k.Lists)
	if err != nil {
		return err
	}
	test, addresses, err := tx.OneOfTexts(k.Addresses)
	if err != nil {
		return err
	}
	return personRows(tx, table, func(row []PersonValue) error { // it begins with the List and the Contact
		if k.Has(enlist.ListID(row[0].Value.(int64)), enlist.ContactID(row[1].Value.(int64))) {
			return nil
		}
		return each(row)
	}, "list_id"+inLists+" AND lower("+table.address+")"+test+" ORDER BY "+table.key, lists, addresses)
}

// entriesOfPerson calls each for the entries of the Unsubscriber List with the address, and for those with another
// address of one of the Contacts that are about this Contact.
func entriesOfPerson(tx *db.Tx, k *PersonKeys, each func([]PersonValue) error) error {
	test, keys, err := tx.OneOfTexts(slices.Concat(k.Keys, k.Others))
	if err != nil {
		return err
	}
	table := personTables[PersonUnsubscribed]
	return personRows(tx, &table, func(row []PersonValue) error { // it begins with List, Contact and address_key
		list, contact := enlist.ListID(row[0].Value.(int64)), enlist.ContactID(row[1].Value.(int64))
		if !k.Has(list, contact) && !slices.Contains(k.Keys, row[2].Value.(string)) {
			return nil
		}
		return each(row)
	}, "account_id = ? AND address_key"+test+" ORDER BY id", int64(k.Account), keys)
}

// rowsOfContact calls each for the rows of one Contact.
func rowsOfContact(tx *db.Tx, table *personTable, c enlist.PersonKey, each func([]PersonValue) error) error {
	if table.batches == "" {
		return personRows(tx, table, each, table.contact, int64(c.List), int64(c.Contact))
	}
	query, batches, err := batches.LookUpInBatches(tx, c.List, table.selected(), table.name, table.contact)
	if err != nil {
		return err
	}
	return queryPerson(tx, table, each, query+table.batches, batches, int64(c.List), int64(c.Contact))
}

// personRows calls each for the rows of a table that a WHERE clause finds.
func personRows(tx *db.Tx, table *personTable, each func([]PersonValue) error, where string, args ...any) error {
	return queryPerson(tx, table, each, "SELECT "+table.selected()+" FROM "+table.name+" WHERE "+where, args...)
}

// selected returns the columns after SELECT.
func (t *personTable) selected() string {
	return strings.Join(strings.Fields(strings.ReplaceAll(t.columns, ":json", "")), ", ")
}

// queryPerson calls each for the rows of a query, which selects the columns of a table.
func queryPerson(tx *db.Tx, table *personTable, each func([]PersonValue) error, query string, args ...any) error {
	columns := strings.Fields(table.columns)
	isJSON := make([]bool, len(columns))
	for i := range columns {
		columns[i], isJSON[i] = strings.CutSuffix(columns[i], ":json")
	}
	row := make([]PersonValue, len(columns), len(columns)+3)
	return tx.Each(func(c *db.Cursor) error {
		for i, name := range columns {
			row[i] = PersonValue{Name: name, Value: plainValue(c, isJSON[i])}
		}
		return each(row)
	}, query, args...)
}

// plainValue returns the next column as a number, a text, JSON or nil.
func plainValue(c *db.Cursor, isJSON bool) any {
	v := c.Value()
	switch _, isNumber := v.(int64); {
	case v == nil, isNumber:
		return v
	case isJSON && db.TextOf(v) == "":
		return jsontext.Value("[]")
	case isJSON:
		return jsontext.Value(db.TextOf(v))
	}
	return db.TextOf(v)
}

// jobsOfPerson calls each for the jobs about one of the Contacts, and for those whose arguments contain an address.
// The queue has no index for them, so it is read completely.
func jobsOfPerson(tx *db.Tx, k *PersonKeys, each func([]PersonValue) error) error {
	return tx.Each(func(c *db.Cursor) error {
		account, list, contact := enlist.AccountID(c.Int()), c.Int(), c.Int()
		id, kind, state, args := c.Int(), c.Text(), c.Text(), c.Text()
		named := account == k.Account && k.Mentions(args)
		if !named && !k.Has(enlist.ListID(list), enlist.ContactID(contact)) {
			return nil
		}
		return each([]PersonValue{{Name: "id", Value: id}, {Name: "kind", Value: kind},
			{Name: "state", Value: state}, {Name: "arguments", Value: jsontext.Value(args)}})
	}, "SELECT "+tx.SQL.JobNumber("account_id")+", "+tx.SQL.JobNumber("list_id")+", "+tx.SQL.JobNumber("contact_id")+
		", id, kind, CAST(state AS TEXT), "+
		tx.SQL.JobText+" FROM river_job WHERE CAST(state AS TEXT) <> 'completed' ORDER BY id")
}

// savedResultsOfPerson calls each for the results of calls with an Idempotency-Key that contain an address.
func savedResultsOfPerson(tx *db.Tx, k *PersonKeys, each func([]PersonValue) error) error {
	texts, err := inJSON(k.Addresses)
	if err != nil {
		return err
	}
	test, args := containsOneOf(tx, "result", texts)
	return tx.Each(func(c *db.Cursor) error {
		key, header, time, result := c.Int(), c.Text(), c.Int(), c.Text()
		if !k.Mentions(result) {
			return nil
		}
		return each([]PersonValue{{Name: "key_id", Value: key}, {Name: "idempotency_key", Value: header},
			{Name: "time", Value: time}, {Name: "result", Value: jsontext.Value(result)}})
	}, "SELECT key_id, header, time, result FROM retry WHERE account_id = ? AND ("+test+
		") ORDER BY key_id, header", append([]any{int64(k.Account)}, args...)...)
}

// containsOneOf returns a test whether a column of text contains one of several texts in lower case, and its arguments.
func containsOneOf(tx *db.Tx, column string, texts []string) (test string, args []any) {
	tests := make([]string, len(texts))
	for i, text := range texts {
		tests[i] = tx.SQL.Position + "(lower(" + column + "), CAST(? AS TEXT)) > 0"
		args = append(args, text)
	}
	return strings.Join(tests, " OR "), args
}

// inJSON returns texts as a string in JSON has them, without the quotation marks.
func inJSON(texts []string) ([]string, error) {
	all := make([]string, len(texts))
	for i, text := range texts {
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			return nil, err
		}
		all[i] = string(quoted[1 : len(quoted)-1])
	}
	return all, nil
}

// auditOfPerson calls each for the rows of the audit log that contain an address or its hash. It leaves out who acted
// and from where: this is data about other persons. There is no index for the rows, so all rows of the Account are
// read.
func auditOfPerson(tx *db.Tx, k *PersonKeys, each func([]PersonValue) error) error {
	erased, err := contacts.ReadErasedKeys(tx, k.Account)
	if err != nil {
		return err
	}
	var hashes []string
	for _, key := range k.Keys {
		hashes = append(hashes, erased.Of(key))
	}
	isTheirs := func(r *accounts.AuditRow) bool {
		return k.Mentions(r.Before) || k.Mentions(r.After) ||
			slices.ContainsFunc(hashes, func(hash string) bool { return strings.Contains(r.After, hash) })
	}
	texts, err := inJSON(k.Addresses)
	if err != nil {
		return err
	}
	for _, hash := range hashes {
		texts = append(texts, strings.ToLower(hash))
	}
	test, args := containsOneOf(tx, "before_values || after_values", texts)
	return accounts.AuditTable.Each(tx, func(r *accounts.AuditRow) error {
		if !isTheirs(r) {
			return nil
		}
		return each([]PersonValue{{Name: "id", Value: r.ID}, {Name: "time", Value: r.Time},
			{Name: "method", Value: r.Method}, {Name: "object", Value: r.Object},
			{Name: "object_id", Value: r.ObjectID},
			{Name: "list_id", Value: int64(r.ListID)},
			{Name: "before", Value: jsontext.Value(r.Before)}, {Name: "after", Value: jsontext.Value(r.After)}})
	}, "WHERE account_id = ? AND ("+test+") ORDER BY id", append([]any{int64(k.Account)}, args...)...)
}
