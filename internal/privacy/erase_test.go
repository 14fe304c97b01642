package privacy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/imports"
	"enlist/internal/messages"
	"enlist/internal/privacy"
	"enlist/internal/recipients"
)

// This file tests the erasure of everything that is stored about a person.

// covers: decision 99, decision 123
func TestErasureOfAPerson(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "an erasure leaves nothing that an export finds, and keeps counts and other persons", Test: eraseLeavesNothing},
		{Name: "an erasure names other Contacts with the address in a value", Test: eraseNamesOtherContacts},
		{Name: "an erased address stays unsubscribed until the person subscribes", Test: erasedStaysUnsubscribed},
		{Name: "an erasure finds the ledger of Contacts that were deleted before", Test: eraseFormerContacts},
		{Name: "an erasure that was interrupted at any step continues when it is repeated", Test: eraseContinues},
		{Name: "an erasure erases the values that changes of many Contacts have set", Test: eraseChangedValues},
		{Name: "an erasure empties the values that contain the address", Test: auditErasure},
		{Name: "an erasure erases the header of a file that begins with the person, and a file name", Test: eraseHeader},
		{Name: "an erasure needs an address, a key of the whole Account, and no open Import", Test: eraseIsRefused},
	})
}

// auditErasure checks that an erasure empties the values with the address, in each spelling, and keeps the rows.
func auditErasure(o *apptest.Account) {
	list := o.AddList()
	o.Must(editList(o, list, "on_register_address", "Ann@Example.com"))
	o.Must(editList(o, list, "on_update_address", `"a&b\"c"@example.com`))
	o.Must(editList(o, list, "name", "Second"))
	deleteByEmail(o, list, "ann@example.com")
	before := o.AuditLog(0)
	erase(o, "ann@example.com")
	erase(o, `"a&b\"c"@example.com`)
	rows := o.AuditLog(0)
	if len(rows) != len(before)+2 {
		o.Fatalf("%d rows after two erasures, want 2 more than %d", len(rows), len(before))
	}
	emptied := 0
	for i, r := range rows {
		if strings.Contains(strings.ToLower(r.Before+r.After), "ann@example.com") || strings.Contains(r.After, "a&b") {
			o.Errorf("row %+v has an address", r)
		}
		if r.Before == "" && r.After == "" {
			emptied++
		} else if i >= 2 && r != before[i-2] {
			o.Errorf("row %+v changed, want %+v", r, before[i-2])
		}
	}
	if emptied != 3 {
		o.Errorf("%d rows are empty, want 3: the edits of the addresses and the deletion", emptied)
	}
	found := export(o, o.Caller, "ann@example.com")[privacy.PersonAudit]
	if len(found) != 2 || strings.Contains(strings.Join(found, ""), "key_name") {
		o.Errorf("the export has the rows %q, want that of the erasure and its own, without the key", found)
	}
}

func editList(o *apptest.Account, id enlist.ListID, values ...any) error {
	_, err := o.App.Lists.EditList(context.WithoutCancel(o.Context()), o.Caller, id, apptest.Details(values...))
	return err
}

// personSections has the sections of an export in which every row is about the person.
var personSections = []privacy.PersonSection{privacy.PersonContacts, privacy.PersonConsents, privacy.PersonDepartures, privacy.PersonUnsubscribed,
	privacy.PersonMails, privacy.PersonBatchMails, privacy.PersonBatchEvents, privacy.PersonWebhookEvents,
	privacy.PersonJobs, privacy.PersonImports, privacy.PersonSavedResults}

func erase(o *apptest.Account, address string) *privacy.Erasure {
	o.Helper()
	erased, err := o.App.Privacy.ErasePerson(o.Context(), o.Caller, address)
	o.Must(err)
	return erased
}

// wantErased checks that an export finds nothing in the sections.
func wantErased(o *apptest.Account, address string) {
	o.Helper()
	rows := export(o, o.Caller, address)
	for _, s := range personSections {
		wantRows(o, rows, s)
	}
}

// personWithEverything stores rows of all sections about ann@example.com, and returns the IDs of Ann in the List, and of
// a Contact that had her address before.
func personWithEverything(f *apptest.Batches) (ann, bob enlist.ContactID) {
	f.Helper()
	_, err := f.App.Webhooks.AddWebhook(f.Context(), f.Caller, apptest.Details("object", "contact", "event", "subscribed", "url", "https://hooks.example.com/"))
	f.Must(err)
	_, err = f.App.Contacts.Subscribe(f.Context(), f.Caller, contacts.SubscribeRequest{List: f.News, Details: apptest.Details("Email", "Ann@example.com", "Mobile Phone", "0412 345 678"),
		Consent: contacts.Consent{Type: enlist.ConsentGDPR, Text: "I, Ann, agree.", IP: "192.0.2.1"}})
	f.Must(err)
	ann = f.All(f.News)[0]
	bob = f.Subscribe(f.News, "Email", "bob@example.com")
	f.Add(apptest.Whole(f.News))
	f.SendAll(nil)
	f.Add(batches.PopulationRequest{List: f.News, Type: "contacts", Contacts: []enlist.ContactID{ann}}) // waits
	f.Update(func(tx *db.Tx) error {
		for i, contact := range []enlist.ContactID{ann, bob} {
			d := messages.Delivery{DeliveryKey: enlist.DeliveryKey{List: f.News, Contact: contact, Time: int64(i), Cause: "c"},
				Address: "ann@example.com", Subject: "Ann, please confirm", Status: messages.DeliverySent, SentTime: 6}
			if err := d.Put(tx); err != nil {
				return err
			}
		}
		r, err := recipients.Load(tx, f.News, 1, bob)
		if err != nil {
			return err
		}
		r.Address, r.Detail = "ANN@example.com", "550 no mailbox for ann@example.com"
		return r.Save(tx)
	})
	i, err := f.App.Imports.AddImport(f.Context(), f.Caller, imports.NewImport{ImportOptions: imports.ImportOptions{List: f.News, FileName: "p.csv"},
		File: strings.NewReader("Email\nann@example.com\nann@example.com@example.com\ncarl@example.com\n")})
	f.Must(err)
	f.Must(f.App.Imports.RunImport(f.Context(), i.ID))
	f.Update(func(tx *db.Tx) error {
		return tx.SaveRetry(f.Caller.Account.ID, f.Caller.Key.ID, &enlist.Retry{Header: "h"}, []byte(`{"to":"ann@example.com"}`), f.Now.Unix())
	})
	_, err = f.App.Contacts.Unsubscribe(f.Context(), f.Caller, contacts.UnsubscribeRequest{List: f.News, Address: "ann@example.com"})
	f.Must(err)
	f.Update(func(tx *db.Tx) error {
		return contacts.SetDeparture(tx, &enlist.Contact{ListID: f.News, ID: ann, IsUnsubscribed: true}, "other", "I am Ann", 7)
	})
	return ann, bob
}

func eraseLeavesNothing(o *apptest.Account) {
	f := &apptest.Batches{Account: o}
	o.App.Messages.SetComposer(&f.Composer)
	f.Message, f.News = f.AddMessage("May"), f.AddList("on_register_address", "owner@example.com", "track_opens", true)
	ann, bob := personWithEverything(f)
	o.Must(o.App.Sending.Opened(o.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: enlist.DeliveryKey{List: f.News, Contact: ann,
		Time: o.Now.Unix(), Cause: batches.CauseBatch(1)}}, apptest.PersonAgent))
	before, counts := export(o, o.Caller, "ann@example.com"), f.Batch(1).Counts
	plan, err := o.App.Privacy.PlanErasure(o.Context(), o.Caller, "ann@example.com")
	o.Must(err)
	for i, s := range personSections {
		if len(before[s]) == 0 {
			o.Errorf("the test stores nothing in the section %s", s)
		}
		if plan.Rows[i] != (privacy.ErasedRows{Section: s, Rows: int64(len(before[s]))}) {
			o.Errorf("the plan has %+v, want %d rows of %s", plan.Rows[i], len(before[s]), s)
		}
	}
	others := export(o, o.Caller, "bob@example.com")
	ledger := o.LedgerOf(f.News, ann)
	if erased := erase(o, "ANN@example.com"); fmt.Sprint(erased) != fmt.Sprint(plan) {
		o.Errorf("erased %v, want what was planned: %v", erased, plan)
	}
	wantErased(o, "ann@example.com")
	if b := f.Batch(1).Counts; b != counts || b.Sent != 2 {
		o.Errorf("the Batch has the counts %+v, want as before: %+v", b, counts)
	}
	after := export(o, o.Caller, "bob@example.com")
	for _, s := range []privacy.PersonSection{privacy.PersonContacts, privacy.PersonConsents, privacy.PersonJobs} {
		wantRows(o, after, s, others[s]...)
	}
	wantRows(o, after, privacy.PersonMails, "address=erased subject= ")
	kept := o.LedgerOf(f.News, ann)
	if len(kept) != len(ledger)+1 || kept[0].Method != contacts.MethodErasure {
		o.Fatalf("the ledger has %+v, want the rows as before and one of the erasure", kept)
	}
	for i, r := range kept[1:] {
		if r.Text != "" || r.IP != "" || r.Preferences != nil || r.Method != ledger[i].Method || r.Time != ledger[i].Time || r.Type != ledger[i].Type {
			o.Errorf("the ledger has %+v, want %+v without what says something about the person", r, ledger[i])
		}
	}
	o.Case("a link in a mail to the erased address shows nothing", func() {
		v, err := o.App.Sending.ViewLink(o.Context(), enlist.DeliveryKey{List: f.News, Contact: bob, Time: 1, Cause: "c"})
		if err != nil || v.Contact != nil {
			o.Errorf("the link shows %+v, error %v", v.Contact, err)
		}
	})
}

func erasedStaysUnsubscribed(o *apptest.Account) {
	list, other := o.AddList(), o.AddList()
	o.Subscribe(list, "Email", "ann@example.com", "Mobile Phone", "0412345678")
	erase(o, "ann@example.com")
	o.Subscribe(list, "Email", "bea@example.com")
	added, err := o.App.Contacts.AddContacts(o.Context(), o.Caller, contacts.AddRequest{List: other, Skip: contacts.SkipUnsubscribed, Contacts: [][]enlist.Detail{
		apptest.Details("Email", "Ann@Example.com"), apptest.Details("Mobile Phone", "0412 345 678"), apptest.Details("Email", "carl@example.com")}})
	o.Must(err)
	if added[0]+added[1] != 0 || o.List(other).ContactCount != 1 {
		o.Errorf("addContacts added %v, want only carl", added)
	}
	if i := o.ImportFile(other, "Email\nann@example.com\ndora@example.com\n", nil); i.Added != 1 || i.Skipped != 1 {
		o.Errorf("the import has %+v, want one row added and one skipped", i.ImportCounts)
	}
	if i := o.ImportFile(other, "Email\nann@example.com\n", func(o *imports.ImportOptions) { o.Skip, o.DryRun = imports.SkipNoAddress, true }); i.Added != 1 {
		o.Errorf("the import without skip has %+v, want the address added, as its caller says", i.ImportCounts)
	}
	if i := o.ImportFile(other, "Email\nann@example.com\n", func(o *imports.ImportOptions) { o.As = imports.AsUnsubscribers }); i.Skipped+i.Unchanged != 1 {
		o.Errorf("the import of unsubscribers has %+v, want the address as known", i.ImportCounts)
	}
	found, err := collectUnsubscribers(o)
	if err != nil || len(found) != 2 || strings.Contains(found[0]+found[1], "ann") || !strings.HasPrefix(found[0], "mobile 0 0 erased:") {
		o.Errorf("the Unsubscriber List has %q, error %v; want two erased addresses", found, err)
	}
	for address, want := range map[string]int64{"ANN@example.com": 1, "0412345678": 1, "+61412345678": 1, "bea@example.com": 0} {
		n, err := o.App.Contacts.CountUnsubscribers(o.Context(), o.Caller, 0, apptest.Criterion("address", "exactly", address))
		if err != nil || n != want {
			o.Errorf("a search of the Unsubscriber List for %s finds %d entries, error %v; want %d", address, n, err, want)
		}
	}
	if n, err := o.App.Contacts.CountUnsubscribers(o.Context(), o.Caller, 0, apptest.Criterion("address", "in", []any{"ann@example.com", "bea@example.com"})); err != nil || n != 1 {
		o.Errorf("a search for two addresses finds %d entries, error %v; want 1", n, err)
	}
	_, err = o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{List: 0, Address: "Ann@example.com"})
	o.Must(err)
	if again, err := collectUnsubscribers(o); err != nil || fmt.Sprint(again) != fmt.Sprint(found) {
		o.Errorf("after unsubscribeContact the Unsubscriber List has %q, error %v; want no other entry", again, err)
	}
	foreign := o.NewCaller()
	o.Update(func(tx *db.Tx) error {
		known, err := contacts.UnsubscribedAmong(tx, foreign.Account.ID, 0, []string{"ann@example.com"})
		if len(known) > 0 {
			o.Error("the address counts as erased in another Account")
		}
		return err
	})
	o.Subscribe(list, "Email", "ann@example.com") // the person's own will
	if n := o.Count(list, "Email", "exactly", "ann@example.com"); n != 1 {
		o.Errorf("after the subscription there are %d Contacts, want 1", n)
	}
}

func collectUnsubscribers(o *apptest.Account) (found []string, err error) {
	return found, o.Store.View(o.Context(), func(tx *db.Tx) error {
		return contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: o.Caller.Account.ID}, func(u *contacts.Unsubscriber) error {
			found = append(found, fmt.Sprintf("%s %d %d %s", u.AddressType, u.ListID, u.ContactID, u.Address))
			return nil
		})
	})
}

func eraseFormerContacts(o *apptest.Account) {
	list := o.AddList()
	id := o.Subscribe(list, "Email", "ann@example.com")
	_, err := o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{List: list, Address: "ann@example.com"})
	o.Must(err)
	o.Update(func(tx *db.Tx) error {
		return contacts.AddLedgerRow(tx, &enlist.LedgerRow{ListID: list, ContactID: id, Text: "I, Ann, agree.", IP: "192.0.2.1"})
	})
	_, err = o.App.Contacts.DeleteContacts(o.Context(), o.Caller, contacts.DeleteRequest{List: list, Contacts: []enlist.ContactID{id}})
	o.Must(err)
	if rows := export(o, o.Caller, "ann@example.com")[privacy.PersonConsents]; len(rows) != 3 {
		o.Errorf("the export has %d consents, want 3: %q", len(rows), rows)
	}
	erase(o, "ann@example.com")
	for _, r := range o.LedgerOf(list, id) {
		if r.Text != "" || r.IP != "" {
			o.Errorf("the ledger still has %+v", r)
		}
	}
	wantErased(o, "ann@example.com")
}

func eraseContinues(o *apptest.Account) {
	f := &apptest.Batches{Account: o}
	o.App.Messages.SetComposer(&f.Composer)
	f.Message, f.News = f.AddMessage("May"), f.AddList()
	personWithEverything(f)
	apptest.Crashes(o, func(s *app.App) (*privacy.Erasure, error) {
		return s.Privacy.ErasePerson(o.Context(), o.Caller, "ann@example.com")
	})
	wantErased(o, "ann@example.com")
	if found, err := collectUnsubscribers(o); err != nil || len(found) < 2 || strings.Contains(fmt.Sprint(found), "ann") {
		o.Errorf("the Unsubscriber List has %q, error %v", found, err)
	}
	if kept := o.LedgerOf(f.News, 1); len(kept) == 0 || kept[len(kept)-1].IP != "" {
		o.Errorf("the ledger has %+v", kept)
	}
}

func eraseChangedValues(o *apptest.Account) {
	list, other := o.AddList(), o.AddList()
	for _, l := range []enlist.ListID{list, other} {
		o.AddField(l, "name", "Nick", "type", "text")
		o.Subscribe(l, "Email", "bob@example.com")
	}
	o.Subscribe(list, "Email", "ann@example.com")
	start := func(list enlist.ListID, address, value string) int64 {
		id, err := o.App.Contacts.StartChange(o.Context(), o.Caller, contacts.ChangeRequest{List: list, Count: 1, Action: contacts.ChangeSet,
			Field: "Nick", Value: value, Criteria: apptest.Criterion("Email", "contains", address[:4])})
		o.Must(err)
		return id
	}
	run := func(id int64) {
		done, err := o.App.Contacts.MakeChange(o.Context(), contacts.MakeChange{ID: id})
		if o.Must(err); !done {
			o.Errorf("the change %d has not ended", id)
		}
	}
	ids := []int64{start(list, "ann@example.com", "Annie of Elm Street"), start(other, "bob@example.com", "friend of ANN@example.com"),
		start(other, "bob@example.com", "joann@example.com"), start(list, "ann@example.com", "")}
	for _, id := range ids[1:] {
		run(id)
	}
	_, err := o.App.Privacy.PlanErasure(o.Context(), o.Caller, "ann@example.com")
	o.Must(err)
	_, err = o.App.Privacy.ErasePerson(o.Context(), o.Caller, "ann@example.com")
	o.Refused(err, enlist.Busy, fmt.Sprintf("the change %d of many Contacts has not ended", ids[0]))
	run(ids[0])
	erase(o, "ann@example.com")
	for _, row := range o.AuditLog(o.Caller.Account.ID) {
		if strings.Contains(row.Before+row.After, "Elm Street") {
			o.Errorf("the audit log still has the value: %s", row.After)
		}
	}
	for i, want := range []string{"erased", "erased", "joann@example.com", ""} {
		c, err := o.App.Contacts.Change(o.Context(), o.Caller, ids[i])
		if o.Must(err); c.Value != want {
			o.Errorf("the change %d has the value %q, want %q", i, c.Value, want)
		}
	}
	again := start(other, "bob@example.com", "saw ann@example.com") // nothing else is about the person
	run(again)
	erase(o, "ann@example.com")
	if c, err := o.App.Contacts.Change(o.Context(), o.Caller, again); err != nil || c.Value != "erased" {
		o.Errorf("the later change is %+v, error %v", c, err)
	}
}

func eraseHeader(o *apptest.Account) {
	list := o.AddList()
	for _, keep := range []bool{true, false} { // both fail: no column has addresses
		o.App.Imports.AddImport(o.Context(), o.Caller, imports.NewImport{File: strings.NewReader("of ann@example.com,Ann\nbob,Bob\n"),
			ImportOptions: imports.ImportOptions{List: list, FileName: "ann@example.com, reply", DryRun: keep, KeepFile: keep}})
	}
	if rows := export(o, o.Caller, "ann@example.com")[privacy.PersonImports]; len(rows) != 2 {
		o.Errorf("the export has %q, want two Imports", rows)
	}
	erase(o, "ann@example.com")
	all, err := o.App.Imports.AllImports(o.Context(), o.Caller)
	o.Must(err)
	for _, i := range all {
		if text := fmt.Sprint(i.Columns, i.Reason, i.Options); len(all) != 2 || strings.Contains(strings.ToLower(text), "ann") {
			o.Errorf("%d Imports; one has %s", len(all), text)
		}
	}
}

func eraseIsRefused(o *apptest.Account) {
	list := o.AddList("on_register_address", "ann@example.com")
	o.Subscribe(list, "Email", "ann@example.com")
	_, err := o.App.Privacy.ErasePerson(o.Context(), o.Caller, "not-an-address")
	o.Refused(err, enlist.InvalidParameters, "address")
	_, err = o.App.Privacy.ErasePerson(o.Context(), o.Restricted(list), "ann@example.com")
	o.Refused(err, enlist.Denied, "")
	i, err := o.App.Imports.AddImport(o.Context(), o.Caller, imports.NewImport{ImportOptions: imports.ImportOptions{List: list, FileName: "p.csv"}, File: strings.NewReader("Email\nann@example.com\n")})
	o.Must(err)
	_, err = o.App.Privacy.ErasePerson(o.Context(), o.Caller, "ann@example.com")
	o.Refused(err, enlist.Busy, fmt.Sprintf("import %d has not ended", i.ID))
	o.Must(o.App.Imports.CancelImport(o.Context(), o.Caller, i.ID))
	dry := o.ImportFile(list, "Email\nann@example.com\n", func(o *imports.ImportOptions) { o.DryRun, o.KeepFile = true, true })
	if !dry.HasKeptFile() {
		o.Fatalf("the dry run has not kept its file")
	}
	if left := erase(o, "ann@example.com").Left; fmt.Sprint(left) != fmt.Sprintf("[list %d]", list) {
		o.Errorf("left is %q, want the List that has the address as its own", left)
	}
	o.Update(func(tx *db.Tx) error {
		if released, err := files.ReleasedContents(tx, o.Caller.Account.ID); err != nil || len(released) > 0 {
			o.Errorf("the contents %v of files are still there, error %v", released, err)
		}
		return nil
	})
}
