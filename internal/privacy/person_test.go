package privacy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/privacy"
)

// This file tests the export of everything that is stored about a person.

// covers: decision 90
func TestExportOfAPerson(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "an export has every row about the person, and no row about another one", Test: exportHasEveryRow},
		{Name: "a mobile number finds the Contacts of Lists in several countries", Test: exportByMobile},
		{Name: "a longer address that contains the address is another person", Test: longerAddressIsAnother},
		{Name: "a person is found by each spelling of the address", Test: spellingsAreOnePerson},
		{Name: "an export needs an address, and a key of the whole Account", Test: exportIsRefused},
	})
}

// personRows collects an export: the rows of each section, each value as name=value.
type personRows struct {
	sections map[privacy.PersonSection][]string
	current  privacy.PersonSection
}

func (p *personRows) Begin() error {
	p.sections = make(map[privacy.PersonSection][]string)
	return nil
}

func (p *personRows) Section(s privacy.PersonSection) error {
	p.current = s
	p.sections[s] = nil
	return nil
}

func (p *personRows) Row(values []privacy.PersonValue) error {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, "%s=%v ", v.Name, v.Value)
	}
	p.sections[p.current] = append(p.sections[p.current], b.String())
	return nil
}

func export(o *apptest.Account, c *enlist.Caller, address string) map[privacy.PersonSection][]string {
	o.Helper()
	var p personRows
	o.Must(o.App.Privacy.ExportPerson(o.Context(), c, address, &p))
	return p.sections
}

// wantRows checks that a section has one row for each of the texts, in their order, and that the row contains the text.
func wantRows(o *apptest.Account, rows map[privacy.PersonSection][]string, s privacy.PersonSection, want ...string) {
	o.Helper()
	got := rows[s]
	if len(got) != len(want) {
		o.Errorf("%s has %d rows, want %d: %q", s, len(got), len(want), got)
		return
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			o.Errorf("row %d of %s is %q, want %q in it", i, s, got[i], want[i])
		}
	}
}

func exportHasEveryRow(o *apptest.Account) {
	list, other := o.AddList("on_register_address", "owner@example.com"), o.AddList()
	_, err := o.App.Lists.AddPreference(o.Context(), o.Caller, list, "Weekly")
	o.Must(err)
	_, err = o.App.Webhooks.AddWebhook(o.Context(), o.Caller, apptest.Details("object", "contact", "event", "subscribed", "url", "https://hooks.example.com/"))
	o.Must(err)
	ann := o.Subscribe(list, "Email", "Ann@example.com")
	bob := o.Subscribe(other, "Email", "bob@example.com")
	o.Subscribe(other, "Email", "eve@example.com")
	o.Update(func(tx *db.Tx) error {
		for i, id := range []enlist.ContactID{ann, bob} {
			d := messages.Delivery{DeliveryKey: enlist.DeliveryKey{List: []enlist.ListID{list, other}[i], Contact: id, Time: 5, Cause: "c"},
				Address: "ann@EXAMPLE.com", Subject: "Please confirm", SentTime: 6, Status: messages.DeliverySent}
			if err := d.Put(tx); err != nil {
				return err
			}
		}
		return nil
	})
	_, err = o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{List: list, Address: "ann@example.com"})
	o.Must(err)
	rows := export(o, o.Caller, "ANN@example.com")
	wantRows(o, rows, privacy.PersonContacts, "list_name=News values=[{Email Ann@example.com}")
	wantRows(o, rows, privacy.PersonConsents, "method=subscribeContact", "method=unsubscribeContact")
	wantRows(o, rows, privacy.PersonUnsubscribed, "address=Ann@example.com")
	wantRows(o, rows, privacy.PersonMails, fmt.Sprintf("contact_id=%d ", ann), fmt.Sprintf("contact_id=%d ", bob)) // the second is to a former address of bob
	wantRows(o, rows, privacy.PersonWebhookEvents, "event=subscribed")
	wantRows(o, rows, privacy.PersonJobs, "kind=notify")
	wantRows(o, rows, privacy.PersonBatchMails)
	wantRows(o, rows, privacy.PersonBatchEvents)
	for s, all := range export(o, o.NewCaller(), "ann@example.com") {
		if len(all) > 0 && s != privacy.PersonAudit { // the export has a row of its own
			o.Errorf("another Account finds %s: %q", s, all)
		}
	}
}

func exportByMobile(o *apptest.Account) {
	list, german := o.AddList(), o.AddList("country_code", 49)
	o.Subscribe(list, "Mobile Phone", "+49 151 23456789")
	o.Subscribe(german, "Mobile Phone", "0151 23456789")
	o.Subscribe(list, "Email", "bob@example.com")
	_, err := o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{List: german, Address: "0151 23456789"})
	o.Must(err)
	bea := o.Subscribe(german, "Email", "bea@example.com", "Mobile Phone", "0160 1234567")
	_, err = o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{List: german, Address: "0160 1234567"})
	o.Must(err)
	wantRows(o, export(o, o.Caller, "bea@example.com"), privacy.PersonUnsubscribed, fmt.Sprintf("contact_id=%d ", bea)) // by the mobile number
	rows := export(o, o.Caller, "+4915123456789")
	wantRows(o, rows, privacy.PersonContacts, "+49 151 23456789", "0151 23456789")
	wantRows(o, rows, privacy.PersonUnsubscribed, "address_type=mobile")
}

func longerAddressIsAnother(o *apptest.Account) {
	list := o.AddList("on_register_address", "owner@example.com")
	for _, email := range []string{"joann@example.com", "jo.ann@example.com", "ann@example.com.au", "ann@example.community"} {
		o.Subscribe(list, "Email", email)
		deleteByEmail(o, list, email)
	}
	o.Subscribe(list, "Email", "ann@example.com")
	before := o.AuditLog(0)
	rows := export(o, o.Caller, "ann@example.com")
	wantRows(o, rows, privacy.PersonJobs, "kind=notify")
	wantRows(o, rows, privacy.PersonAudit, "object=Person")
	erase(o, "ann@example.com")
	for i, r := range o.AuditLog(0)[2:] {
		if r != before[i] {
			o.Errorf("the erasure changed the row %+v of another person, want %+v", r, before[i])
		}
	}
}

func spellingsAreOnePerson(o *apptest.Account) {
	list := o.AddList()
	deleteByEmail(o, list, "ann@münchen.example")
	o.Subscribe(list, "Email", "Ann@MÜNCHEN.example")
	bob := o.Subscribe(list, "Email", "bob@example.com")
	o.Update(func(tx *db.Tx) error {
		for i, former := range []string{"Ann@MÜNCHEN.example", "ANN@münchen.example", "ann@xn--mnchen-3ya.example"} {
			err := (&messages.Delivery{DeliveryKey: enlist.DeliveryKey{List: list, Contact: bob, Time: int64(i), Cause: "c"},
				Address: former, Status: messages.DeliverySent}).Put(tx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, text := range []string{"ann@xn--mnchen-3ya.example", " ann@münchen.example"} {
		rows := export(o, o.Caller, text)
		wantRows(o, rows, privacy.PersonContacts, "Ann@MÜNCHEN.example")
		wantRows(o, rows, privacy.PersonMails, "MÜNCHEN", "münchen", "xn--")
		if !strings.Contains(strings.Join(rows[privacy.PersonAudit], ""), "münchen") {
			o.Errorf("the export of %q has no row of the deletion by criteria", text)
		}
	}
}

// deleteByEmail deletes the Contacts with exactly this spelling of an address. The audit log then has the address.
func deleteByEmail(o *apptest.Account, list enlist.ListID, email string) {
	o.Helper()
	_, err := o.App.Contacts.DeleteContacts(o.Context(), o.Caller, contacts.DeleteRequest{List: list, Query: enlist.Query{
		Criteria: &enlist.Criteria{Key: "Email", Operator: "exactly", Value: enlist.Input{Kind: enlist.InputText, Text: email}}}})
	o.Must(err)
}

func eraseNamesOtherContacts(o *apptest.Account) {
	list := o.AddList()
	o.AddField(list, "name", "Partner", "type", "text")
	bob := o.Subscribe(list, "Email", "bob@example.com", "Partner", "Ann@example.com")
	o.Subscribe(list, "Email", "eve@example.com", "Partner", "joann@example.com")
	o.Subscribe(list, "Email", "ann@example.com", "Partner", "ann@example.com")
	segment := o.SetSegment(list, "Ann", apptest.Criterion("Email", "not", "Ann@example.com"))
	o.SetSegment(list, "Joann", apptest.Criterion("Email", "not", "joann@example.com"))
	block := apptest.Details("name", "Blocks", "subject", "News", "email_type", "blocks", "blocks", `[{"type":"columns","left":[{"type":"text","text":"Ask ann@example.com"}]}]`)
	message, err := o.App.Messages.AddMessage(o.Context(), o.Caller, block)
	o.Must(err)
	o.Must(editList(o, list, "imprint", "Ann, ann@example.com"))
	farewell := o.AddList()
	o.Must(editList(o, farewell, "farewell_text", "Write to ann@example.com"))
	form, err := o.App.Forms.SetForm(o.Context(), o.Caller, list, 0, apptest.Details("name", "Sign-up", "consent_text", "Until I tell ann@example.com"))
	o.Must(err)
	thanks := apptest.Details("name", "German", "language", "en", "translations", `{"de":{"thanks":"Fragen? ann@example.com"}}`)
	german, err := o.App.Forms.SetForm(o.Context(), o.Caller, list, 0, thanks)
	o.Must(err)
	o.Must(o.App.Messages.SetTheme(o.Context(), o.Caller, apptest.Details("imprint", "Ann <ann@example.com>")))
	result := erase(o, "ann@example.com")
	want := []string{fmt.Sprintf("list %d", list), fmt.Sprintf("list %d", farewell), fmt.Sprintf("message %d", message), fmt.Sprintf("form %d", form), fmt.Sprintf("form %d", german),
		fmt.Sprintf("theme %d", o.Caller.Account.ID), fmt.Sprintf("segment %d", segment), fmt.Sprintf("contact %d of list %d", bob, list)}
	if !slices.Equal(result.Left, want) {
		o.Errorf("left %q, want %q", result.Left, want)
	}
}

func exportIsRefused(o *apptest.Account) {
	list := o.AddList()
	o.Refused(o.App.Privacy.ExportPerson(o.Context(), o.Caller, "not-an-address", new(personRows)), enlist.InvalidParameters, "address")
	o.Refused(o.App.Privacy.ExportPerson(o.Context(), o.Restricted(list), "ann@example.com", new(personRows)), enlist.Denied, "")
}

// notAboutPersons has the tables without data of persons, or from which an export leaves it out, and why.
var notAboutPersons = map[string]string{
	"account": "settings", "api_key": "settings", "folder": "settings", "list": "settings, and addresses of its owners",
	"field": "settings", "preference": "settings", "message": "content of all mails", "message_version": "content of all mails", "saved_block": "content of all mails", "autoresponder": "settings",
	"webhook": "settings", "webhook_target": "settings", "link": "URLs of Messages", "secret": "keys of the installation",
	"catalogue": "a version", "search_index": "settings", "retry": "results of calls, for a day: the section saved_results has those with the address",
	"batch": "sums", "batch_population": "IDs and criteria of a caller", "segment": "criteria of a caller", "form": "settings", "form_day": "sums", "batch_slice": "ranges of IDs", "batch_sum": "sums",
	"batch_link": "sums", "batch_agent": "sums", "batch_departure": "sums", "batch_domain": "sums", "batch_exclusion": "criteria of a caller", "batch_approval": "who uses the pages", "batch_edition": "sums",
	"autoresponder_batch": "IDs", "asked_mailbox": "hashes, for an hour", "mail_rate": "domains", "mail_pace": "domains", "mail_hold": "settings", "mail_day": "numbers", "queue_age": "numbers",
	"file": "files of the Account", "file_content": "files of the Account", "file_piece": "files of the Account", "image_copy": "files of the Account",
	"import": "a consent has the import and the row that it comes from; the section imports has headers and names of files with the address", "import_result": "compressed: the section imports has the rows with the address",
	"person": "who uses the pages, and not who is on a List", "membership": "of a person who uses the pages",
	"passkey": "of a person who uses the pages", "passkey_challenge": "random texts", "session": "of a person who uses the pages", "sign_in_link": "of a person who uses the pages", "person_link": "of a person who uses the pages",
	"two_phase": "no rows, and only on Citus", "backup": "settings", "sending_domain": "settings", "setting": "settings", "account_move": "IDs", "contact_delta": "numbers", "contact_change": "numbers, and a value for many Contacts", "contact_change_part": "IDs, until the change has ended", "list_day": "numbers", "list_day_part": "numbers", "untrusted_proxy": "addresses of proxies",
	"audit": "the section audit_log has the rows with the address or its hash, without who acted",
}

// leftOutOfContact has the columns of the table contact that an export has in another form: the values by the names of
// their Fields, and the addresses, which are values.
var leftOutOfContact = []string{"dedupe_key", "duplicate_key", "mobile_key", "field_values", "preference_values"}

// notOfContacts has the tables with a column of columnsOfPersons that is not about a person with data, and why.
var notOfContacts = map[string]string{"person": "who uses the pages", "person_link": "who uses the pages", "untrusted_proxy": "addresses of proxies"}

// columnsOfPersons are the names of columns with which a table needs an answer of its subject, and not only a reason.
var columnsOfPersons = []string{"contact_id", "address", "address_key", "email"}

// The export of a person knows each table and column of the schema. A new table needs a db.PersonTable of
// its subject and a section in privacy/person.go, or a reason in notAboutPersons.
//
// covers: decision 90
func TestExportOfAPersonKnowsEveryTable(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		knowsEveryTable(t, e.Own(t).Columns(t))
	})
}

// knowsEveryTable checks the columns of the tables of a schema.
func knowsEveryTable(t *testing.T, schema map[string][]string) {
	covered := privacy.PersonColumns()
	for table, columns := range schema {
		if strings.HasPrefix(table, "river_") || strings.HasPrefix(table, "goose_") || strings.HasPrefix(table, "sqlite_") {
			continue // the arguments of jobs are in the section jobs; the others belong to libraries
		}
		known, exported := covered[table]
		if _, reason := notAboutPersons[table]; exported == reason {
			t.Errorf("the table %s must be in privacy.PersonColumns, or have a reason in notAboutPersons", table)
		}
		for _, column := range columns {
			if !exported && notOfContacts[table] == "" && slices.Contains(columnsOfPersons, column) {
				t.Errorf("the table %s has the column %s: its subject must answer for it with a db.PersonTable", table, column)
			}
			if exported && !slices.Contains(known, column) && !(table == "contact" && slices.Contains(leftOutOfContact, column)) {
				t.Errorf("the export of a person leaves out %s of %s", column, table)
			}
		}
	}
	for table := range covered {
		if schema[table] == nil {
			t.Errorf("the schema has no table %s", table)
		}
	}
}
