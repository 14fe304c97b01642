package imports_test

import (
	"fmt"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file tests imports: what becomes of each row, consent, and runs that are interrupted.

// The tests import files with all kinds of rows and options, and interrupt imports at each of their Updates.
//
// covers: spec import.options, import.columns, import.cells, import.addfields, import.keys, import.outcomes, import.consent
// covers: spec import.as, import.states, import.access, decision 69, decision 70, decision 71, decision 96, decision 140
func TestImports(t *testing.T) {
	apptest.Run(t, apptest.Own, newImportFixture, []apptest.Rule[*importFixture]{
		{Name: "a row adds a Contact unless its address exists, has unsubscribed or is not valid", Test: importOutcomes},
		{Name: "with overwrite, a row changes the Contact with its address and clears no flag", Test: importOverwrites},
		{Name: "addresses of other Lists' unsubscribers are skipped unless told otherwise", Test: importSkips},
		{Name: "a column is for the Field with its name, and --map decides otherwise", Test: importColumns},
		{Name: "cells are read as people write them", Test: importCells},
		{Name: "a missing Field is added with the type of its values", Test: importAddsFields},
		{Name: "system values of a file are kept", Test: importSystemKeys},
		{Name: "each row's consent is in the ledger with its import and row", Test: importConsent},
		{Name: "a GDPR compliant List refuses a file without consent", Test: importNeedsConsent},
		{Name: "a file of unsubscribers unsubscribes Contacts and fills the Unsubscriber List", Test: importUnsubscribers},
		{Name: "a file of unsubscribers changes all Contacts with its addresses and mobile numbers", Test: importUnsubscribesDuplicates},
		{Name: "a file of bounced addresses deactivates Contacts", Test: importBounced},
		{Name: "a dry run predicts the outcomes and stores nothing", Test: importDryRun},
		{Name: "rows over the Contact limit are refused", Test: importLimit},
		{Name: "mails and webhooks are caused only when asked for", Test: importEvents},
		{Name: "a key needs the level standard, full for new Fields, and access to the List", Test: importAccess},
		{Name: "a paused import continues after its last row, and a cancelled one ends", Test: importPauses},
		{Name: "an import stores each row once although the process crashes at any Update", Test: importCrashes},
		{Name: "only one process runs an import", Test: importLeases},
		{Name: "the file is removed at the end, and the results after seven days", Test: importRemoval},
		{Name: "a file larger than the limit is refused", Test: importTooLarge},
		{Name: "a file whose client breaks off is not imported", Test: importBrokenOff},
		{Name: "a file for which the disk has no room is refused before it is stored", Test: importRoom},
	})
}

// importFixture is an Account fixture with a List.
type importFixture struct {
	*apptest.Account
	id enlist.ListID
}

func newImportFixture(t *testing.T, store db.Engine) *importFixture {
	f := &importFixture{Account: apptest.NewAccount(t, store)}
	f.id = f.AddList()
	return f
}

func (f *importFixture) addImport(file string, change func(*imports.ImportOptions)) (*imports.Import, error) {
	return f.Account.AddImport(f.id, file, change)
}

func (f *importFixture) runs(file string, change func(*imports.ImportOptions)) *imports.Import {
	f.Helper()
	return f.ImportFile(f.id, file, change)
}

func (f *importFixture) get(id enlist.ImportID) *imports.Import {
	f.Helper()
	i, err := f.App.Imports.Import(f.Context(), f.Caller, id)
	f.Must(err)
	return i
}

// results returns the results of an import, each as a line of words.
func (f *importFixture) results(i *imports.Import) (lines []string) {
	f.Helper()
	f.Must(f.App.Imports.ImportResults(f.Context(), f.Caller, i.ID, func(r *imports.RowResult) error {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", r.Row, r.Outcome, r.Field, r.Value)))
		return nil
	}))
	return lines
}

// wantResults checks the results of an import.
func (f *importFixture) wantResults(i *imports.Import, want ...string) {
	f.Helper()
	if i.State != imports.ImportDone {
		f.Errorf("the import is %s: %s, want it done", i.State, i.Reason)
	}
	apptest.Same(f.T, "results", f.results(i), want)
}

// person returns the Contact with an address.
func (f *importFixture) person(key string) (c *enlist.Contact) {
	f.Helper()
	f.Must(f.Store.View(f.Context(), func(tx *db.Tx) (err error) {
		c, err = contacts.ByKey(tx, f.id, key)
		return err
	}))
	return c
}

// value returns a Contact's value in a Field.
func (f *importFixture) value(key string, field enlist.FieldID) string {
	f.Helper()
	return f.person(key).Values.Get(field)
}

func importOutcomes(f *importFixture) {
	f.Subscribe(f.id, "Email", "old@example.com")
	left := f.Subscribe(f.id, "Email", "left@example.com")
	_, err := f.App.Contacts.UnsubscribeByID(f.Context(), f.Caller, contacts.ContactRequest{List: f.id, Contact: left})
	f.Must(err)
	i := f.runs("Email\nnew@example.com\nOLD@example.com\nleft@example.com\nnope\nNew@example.com\n", nil)
	f.wantResults(i, "1 added", "2 unchanged", "3 skipped", "4 refused Email nope", "5 unchanged")
	if want := (imports.ImportCounts{Added: 1, Unchanged: 2, Skipped: 1, Refused: 1}); i.ImportCounts != want {
		f.Errorf("the counts are %+v, want %+v", i.ImportCounts, want)
	}
	if n := f.List(f.id).ContactCount; n != 3 {
		f.Errorf("the List has %d Contacts, want 3", n)
	}
	if c := f.person("new@example.com"); c.SubscribedVia != "bulk_upload" || f.Ledger(f.id, c.ID) != 1 {
		f.Errorf("the new Contact is %+v with %d ledger rows", c, f.Ledger(f.id, c.ID))
	}
}

func importOverwrites(f *importFixture) {
	field := f.AddField(f.id, "name", "Town", "type", "text")
	id := f.Subscribe(f.id, "Email", "ann@example.com", "Town", "Bonn")
	_, err := f.App.Contacts.Deactivate(f.Context(), f.Caller, f.id, id)
	f.Must(err)
	overwrite := func(o *imports.ImportOptions) { o.Existing = imports.ExistingOverwrite }
	i := f.runs("Email,Town,is_active\nann@example.com,Rome,1\nann@example.com,Rome,1\nbob@example.com,Oslo,1\nbob@example.com,Lima,1\n", overwrite)
	f.wantResults(i, "1 updated", "2 unchanged", "3 added", "4 updated")
	if c := f.person("ann@example.com"); c.IsActive || c.Values.Get(field) != "Rome" {
		f.Errorf("the Contact is %+v, want it still inactive, with the new town", c)
	}
	if town := f.value("bob@example.com", field); town != "Lima" {
		f.Errorf("the town is %q, want the one of the last row", town)
	}
	f.wantResults(f.runs("Email,Town\nann@example.com,\n", overwrite), "1 updated")
	if town := f.value("ann@example.com", field); town != "" {
		f.Errorf("the town is %q after a row with an empty cell, want none", town)
	}
	_, err = f.App.Contacts.UnsubscribeByID(f.Context(), f.Caller, contacts.ContactRequest{List: f.id, Contact: id})
	f.Must(err)
	f.wantResults(f.runs("Email,Town\nann@example.com,Paris\n", overwrite), "1 skipped")
	all := func(o *imports.ImportOptions) { overwrite(o); o.Skip = imports.SkipNoAddress }
	f.wantResults(f.runs("Email,Town,is_unsubscribed\nann@example.com,Paris,0\n", all), "1 updated")
	if c := f.person("ann@example.com"); !c.IsUnsubscribed || c.Values.Get(field) != "Paris" {
		f.Errorf("the Contact is %+v, want it still unsubscribed, with the new town", c)
	}
}

func importSkips(f *importFixture) {
	other := f.AddList()
	f.Subscribe(other, "Email", "ann@example.com")
	_, err := f.App.Contacts.Unsubscribe(f.Context(), f.Caller, contacts.UnsubscribeRequest{List: other, Address: "ann@example.com"})
	f.Must(err)
	const file = "Email\nann@example.com\n"
	f.wantResults(f.runs(file, nil), "1 skipped")
	f.wantResults(f.runs(file, func(o *imports.ImportOptions) { o.Skip = imports.SkipOfList }), "1 added")
	key := f.Restricted(f.id)
	_, err = f.App.Imports.AddImport(f.Context(), key, imports.NewImport{File: strings.NewReader(file),
		ImportOptions: imports.ImportOptions{List: f.id, Skip: imports.SkipOfAccount}})
	f.Refused(err, enlist.Denied, "restricted")
	i, err := f.App.Imports.AddImport(f.Context(), key, imports.NewImport{File: strings.NewReader(file),
		ImportOptions: imports.ImportOptions{List: f.id}})
	f.Must(err)
	if i.Options.Skip != imports.SkipOfList {
		f.Errorf("a restricted key skips %q by default, want the unsubscribers of the List", i.Options.Skip)
	}
}

func importColumns(f *importFixture) {
	town := f.AddField(f.id, "name", "Home Town", "type", "text")
	with := func(pairs ...string) func(*imports.ImportOptions) {
		return func(o *imports.ImportOptions) {
			for n := 0; n < len(pairs); n += 2 {
				o.Map = append(o.Map, imports.ImportMapping{Column: pairs[n], Target: pairs[n+1]})
			}
		}
	}
	i := f.runs(" E-Mail , home town,Shoe\nann@example.com,Bonn,9\n", nil)
	f.wantResults(i, "1 added")
	var targets []string
	for _, c := range i.Columns {
		targets = append(targets, c.Name+"="+c.Target)
	}
	apptest.Same(f.T, "columns", targets, []string{"E-Mail=Email", "home town=Home Town", "Shoe="})
	f.wantResults(f.runs("address,town,Home Town\nbob@example.com,Rome,Oslo\n", with("address", "Email", "TOWN", "Home Town")), "1 added")
	if got := f.value("bob@example.com", town); got != "Rome" {
		f.Errorf("the town is %q, want the one of the mapped column", got)
	}
	f.wantResults(f.runs("Email,Home Town\ncy@example.com,Rome\n", with("Home Town", "")), "1 added")
	if got := f.value("cy@example.com", town); got != "" {
		f.Errorf("the town is %q, but its column is left out", got)
	}
	for _, c := range []struct {
		file, about string
		change      func(*imports.ImportOptions)
	}{
		{"Town\nBonn\n", "no column is for the Field", nil},
		{"Email\na@example.com\n", "the file has no column", with("Mail", "Email")},
		{"Email,x\na@example.com,1\n", "the List has no Field", with("x", "Shoe")},
		{"Email,email\na@example.com,b@example.com\n", "are both for", nil},
		{"", "empty", nil},
	} {
		_, err := f.addImport(c.file, c.change)
		f.Refused(err, enlist.InvalidParameters, c.about)
	}
	all, err := f.App.Imports.AllImports(f.Context(), f.Caller)
	f.Must(err)
	if last := all[len(all)-1]; last.State != imports.ImportFailed || !strings.Contains(last.Reason, "empty") {
		f.Errorf("the import of an empty file is %s: %q, want it failed with the reason", last.State, last.Reason)
	}
}

func importCells(f *importFixture) {
	day := f.AddField(f.id, "name", "Day", "type", "date")
	sum := f.AddField(f.id, "name", "Sum", "type", "decimal")
	box := f.AddField(f.id, "name", "Box", "type", "checkbox", "values_array", "agreed")
	i := f.runs("Email;Day;Sum;Box\nAnn Lee <Ann@example.com> ;31.1.2026;1.234,50;TRUE\nbob@example.com;01.02.2026;-3,5;x\n"+
		"cy@example.com;46053;7;No\ndo@example.com;31.02.2026;1;1\ned@example.com;;1;perhaps\n",
		func(o *imports.ImportOptions) {
			o.Dates = []imports.ImportMapping{{Column: "Day", Target: "DD.MM.YYYY"}}
			o.DecimalComma = true
		})
	f.wantResults(i, "1 added", "2 added", "3 refused Day 46053", "4 refused Day 31.02.2026", "5 refused Box perhaps")
	ann, bob := f.person("ann@example.com"), f.person("bob@example.com")
	apptest.Same(f.T, "values", []string{ann.Values.Get(day), ann.Values.Get(sum), ann.Values.Get(box), bob.Values.Get(day),
		bob.Values.Get(sum), bob.Values.Get(box)}, []string{"2026-01-31", "1234.50", "agreed", "2026-02-01", "-3.5", "agreed"})
	f.wantResults(f.runs("Email,Day,Box\nfi@example.com,46053,No\ngo@example.com,2026-01-31,\n", nil), "1 added", "2 added")
	fi := f.person("fi@example.com")
	apptest.Same(f.T, "values", []string{fi.Values.Get(day), fi.Values.Get(box)}, []string{"2026-01-31", ""})
	ndjson := `{"Email":"hu@example.com","Day":"2026-01-31","Sum":12.50,"Box":true}` + "\n" + `{"Email":"io@example.com","Box":false}` + "\n"
	f.wantResults(f.runs(ndjson, func(o *imports.ImportOptions) { o.FileName = "people.ndjson" }), "1 added", "2 added")
	hu := f.person("hu@example.com")
	apptest.Same(f.T, "values", []string{hu.Values.Get(sum), hu.Values.Get(box)}, []string{"12.50", "agreed"})
}

func importAddsFields(f *importFixture) {
	i := f.runs("Email,Name,Postcode,Sum,Day,When,News,Text,Empty\n"+
		"ann@example.com,Ann,01097,1.5,2026-01-31,2026-01-31 10:00:00,yes,\"a\nb\",\n"+
		"bob@example.com,Bob,20095,2,2026-02-01,2026-02-01,no,c,\n", func(o *imports.ImportOptions) { o.AddFields = true })
	f.wantResults(i, "1 added", "2 added")
	var found []string
	for _, name := range f.Fields(f.id, enlist.Query{}) {
		for _, c := range i.Columns {
			if c.Target == name && c.New != nil {
				field := f.Field(f.id, c.Field)
				if field.AllowUpdate || field.ShowInForm {
					f.Errorf("subscribers see or change the Field %s of a column: %+v", name, field)
				}
				found = append(found, strings.TrimSpace(fmt.Sprint(name, " ", field.Type, " ", field.TimeFormat, field.Values)))
			}
		}
	}
	apptest.Same(f.T, "new Fields", found, []string{"Name text", "Postcode text", "Sum decimal", "Day date off", "When date 24h",
		"News checkbox yes", "Text comment"})
}

func importSystemKeys(f *importFixture) {
	i := f.runs("Email,creation_time,confirmed_time,is_active,is_bounce_deactivated,is_unsubscribed,id\n"+
		"ann@example.com,1000000000,2001-09-10 00:00:00,1,0,0,77\nbob@example.com,,,0,1,0,\ncy@example.com,,,1,0,1,\n", nil)
	f.wantResults(i, "1 added", "2 added", "3 added")
	ann, bob, cy := f.person("ann@example.com"), f.person("bob@example.com"), f.person("cy@example.com")
	if ann.Created != 1_000_000_000 || !ann.DoubleOptIn || ann.DoubleOptInTime != 1_000_080_000 || !ann.IsActive || ann.ID == 77 {
		f.Errorf("the Contact is %+v", ann)
	}
	if bob.IsActive || !bob.IsBounceDeactivated || bob.IsUnsubscribed || bob.Created != f.Now.Unix() {
		f.Errorf("the Contact is %+v", bob)
	}
	f.wantUnsubscribers(cy.ID, "cy@example.com")
	if !cy.IsUnsubscribed || !cy.IsActive {
		f.Errorf("the Contact is %+v", cy)
	}
}

// wantUnsubscribers checks that the Unsubscriber List has one entry for an address.
func (f *importFixture) wantUnsubscribers(contact enlist.ContactID, address string) {
	f.Helper()
	var w apptest.Rows[contacts.Unsubscriber]
	f.Must(f.App.Contacts.SearchUnsubscribers(f.Context(), f.Caller, f.id, enlist.Query{Criteria: apptest.Criterion("address", "exactly", address)}, &w))
	if len(w.All) != 1 || w.All[0].ContactID != contact || w.All[0].ListID != f.id {
		f.Errorf("the Unsubscriber List has %+v for %s, want one entry with the Contact %d", w.All, address, contact)
	}
}
