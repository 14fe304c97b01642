package imports_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/imports"
)

// This file tests the consent of imported Contacts, the other kinds of files, and who may import.

func importConsent(f *importFixture) {
	for _, name := range []string{"Weekly", "Offers"} {
		_, err := f.App.Lists.AddPreference(f.Context(), f.Caller, f.id, name)
		f.Must(err)
	}
	i := f.runs("Email,consent_type,consent_text,consent_time,ip_address,consent_preferences\n"+
		"ann@example.com,gdpr,I agree,2020-01-31 10:00:00,192.0.2.7,Weekly; Offers=no\nbob@example.com,,,,,\n"+
		"cy@example.com,maybe,,,,\ndo@example.com,direct,x,,,Daily\ned@example.com,gdpr,,,,\n", nil)
	f.wantResults(i, "1 added", "2 added", "3 refused consent_type maybe", "4 refused consent_preferences Daily",
		"5 refused consent_text")
	ann, bob := f.person("ann@example.com").ID, f.person("bob@example.com").ID
	f.wantLedger(ann, enlist.LedgerRow{Type: enlist.ConsentGDPR, Text: "I agree", Time: 1580464800, IP: "192.0.2.7",
		Preferences: []enlist.PreferenceChoice{{Name: "Weekly", Agree: true}, {Name: "Offers"}}, ImportID: i.ID, ImportRow: 1})
	f.wantLedger(bob, enlist.LedgerRow{Type: contacts.ConsentNotRecorded, Time: f.Now.Unix(), ImportID: i.ID, ImportRow: 2})
	if prefs := f.person("ann@example.com").Prefs; len(prefs) != 2 {
		f.Errorf("the Contact has the preferences %v, want two answers", prefs)
	}
	if i.SHA256 == "" {
		f.Error("the import has no SHA-256 of its file")
	}
}

// wantLedger checks the only ledger row of a Contact.
func (f *importFixture) wantLedger(id enlist.ContactID, want enlist.LedgerRow) {
	f.Helper()
	var w apptest.Rows[enlist.LedgerRow]
	f.Must(f.App.Contacts.ContactConsents(f.Context(), f.Caller, contacts.LedgerQuery{List: f.id, Contact: id}, &w))
	want.ListID, want.ContactID, want.Method, want.KeyID, want.KeyName = f.id, id, "import", f.Caller.Key.ID, f.Caller.Key.Name
	apptest.Same(f.T, "ledger", w.All, []enlist.LedgerRow{want})
}

func importNeedsConsent(f *importFixture) {
	f.id = f.AddList("is_gdpr_compliant", true)
	_, err := f.addImport("Email\nann@example.com\n", nil)
	f.Refused(err, enlist.ConsentRequired, "consent_type")
	_, err = f.addImport("Email\nann@example.com\n", func(o *imports.ImportOptions) { o.ConsentType = "direct" })
	f.Refused(err, enlist.ConsentRequired, "GDPR")
	i := f.runs("Email\nann@example.com\n", func(o *imports.ImportOptions) { o.ConsentType, o.ConsentText = "gdpr", "Form 7" })
	f.wantResults(i, "1 added")
	f.wantLedger(f.person("ann@example.com").ID, enlist.LedgerRow{Type: enlist.ConsentGDPR, Text: "Form 7",
		Time: f.Now.Unix(), ImportID: i.ID, ImportRow: 1})
	i = f.runs("Email,consent_type,consent_text\nbob@example.com,gdpr,I agree\ncy@example.com,,\n", nil)
	f.wantResults(i, "1 added", "2 refused consent_type")
}

func as(kind string) func(*imports.ImportOptions) {
	return func(o *imports.ImportOptions) { o.As = kind }
}

func importUnsubscribers(f *importFixture) {
	for _, kind := range []string{imports.AsUnsubscribers, imports.AsComplained} {
		f.id = f.AddList("is_gdpr_compliant", true)
		consent := func(o *imports.ImportOptions) {
			o.ConsentType, o.ConsentText, o.Skip = "gdpr", "Form 7", imports.SkipOfList
		}
		f.wantResults(f.runs("Email,Mobile Phone\nann@example.com,0401111111\n,0402222222\n", consent), "1 added", "2 added")
		const file = "Email,Name,unsubscribed_time\nann@example.com,Ann,1000000000\nnew-x@example.com,,\nann@example.com,,\nnope,,\n"
		predicted := f.runs(file, func(o *imports.ImportOptions) { o.As, o.DryRun = kind, true })
		want := []string{"1 updated", "2 added", "3 unchanged", "4 refused Email nope"}
		f.wantResults(predicted, want...)
		f.wantResults(f.runs(file, as(kind)), want...)
		ann := f.person("ann@example.com")
		if !ann.IsUnsubscribed || f.Ledger(f.id, ann.ID) != 1 {
			f.Errorf("the Contact is %+v with %d ledger rows", ann, f.Ledger(f.id, ann.ID))
		}
		if l := f.LedgerOf(f.id, ann.ID); len(l) != 2 || l[0].Method != "import" || l[0].Type != "" {
			f.Errorf("the ledger is %+v, want a row for the end of the subscription", l)
		}
		f.wantUnsubscribers(ann.ID, "ann@example.com")
		f.wantUnsubscribers(0, "new-x@example.com")
		f.wantResults(f.runs("Mobile Phone\n0402222222\n0402222222\n0409999999\n", as(kind)), "1 updated", "2 unchanged",
			"3 added")
		f.wantResults(f.runs("Email\nnew-x@example.com\n", consent), "1 skipped")
	}
}

// A file of unsubscribers changes all Contacts of a List with duplicates that have one of its addresses, and no other.
func importUnsubscribesDuplicates(f *importFixture) {
	f.id = f.AddList("disallow_duplicate_contacts", false)
	f.Subscribe(f.id, "Email", "ann@example.com", "Mobile Phone", "0401111111")
	f.Subscribe(f.id, "Email", "ann@example.com")
	f.Subscribe(f.id, "Email", "bob@example.com", "Mobile Phone", "0402222222")
	f.Subscribe(f.id, "Mobile Phone", "0402222222")
	f.Subscribe(f.id, "Email", "cy@example.com", "Mobile Phone", "0403333333")
	f.wantResults(f.runs("Email,Mobile Phone\nann@example.com,\n,0402222222\n,0401111111\n", as(imports.AsUnsubscribers)),
		"1 updated", "2 updated", "3 unchanged")
	var left []string
	f.Update(func(tx *db.Tx) error {
		return contacts.ContactsWithAddresses(tx, f.id, []string{"ann@example.com", "bob@example.com", "0402222222", "cy@example.com"},
			func(c *enlist.Contact) {
				if !c.IsUnsubscribed {
					left = append(left, c.Key)
				}
			})
	})
	if !slices.Equal(left, []string{"cy@example.com"}) {
		f.Errorf("%v have not unsubscribed, want only cy@example.com", left)
	}
}

func importBounced(f *importFixture) {
	f.wantResults(f.runs("Email\nann@example.com\nbob@example.com\n", nil), "1 added", "2 added")
	f.wantResults(f.runs("Email\nANN@example.com\nann@example.com\nnew@example.com\n", as(imports.AsBounced)),
		"1 updated", "2 unchanged", "3 skipped")
	if ann, bob := f.person("ann@example.com"), f.person("bob@example.com"); ann.IsActive || !ann.IsBounceDeactivated || !bob.IsActive {
		f.Errorf("the Contacts are %+v and %+v", ann, bob)
	}
}

func importDryRun(f *importFixture) {
	f.Limit(5)
	f.Subscribe(f.id, "Email", "old@example.com")
	const file = "Email,Town\nnew@example.com,Bonn\nold@example.com,Rome\nnope,\nnew@example.com,Oslo\n"
	var before int64
	for _, dry := range []bool{true, false} {
		i := f.runs(file, func(o *imports.ImportOptions) {
			o.DryRun, o.AddFields, o.Existing = dry, true, imports.ExistingOverwrite
		})
		f.wantResults(i, "1 added", "2 updated", "3 refused Email nope", "4 updated")
		fields, contacts := len(f.Fields(f.id, enlist.Query{})), f.List(f.id).ContactCount
		if dry && (fields != 2 || contacts != 1) {
			f.Errorf("after a dry run the List has %d Fields and %d Contacts, want 2 and 1", fields, contacts)
		}
		before = contacts
	}
	if before != 2 {
		f.Errorf("the List has %d Contacts, want 2", before)
	}
	// An address that an earlier step of the file adds is known to the later steps.
	f.Limit(enlist.NoContactLimit)
	long := manyRows(1500) + "p3@example.com\np1499@example.com\n"
	for _, dry := range []bool{true, false} {
		i := f.runs(long, func(o *imports.ImportOptions) { o.DryRun = dry })
		if i.Added != 1500 || i.Unchanged != 2 {
			f.Errorf("dry run %t: %+v, want 1500 added and 2 unchanged", dry, i.ImportCounts)
		}
	}
}

func importLimit(f *importFixture) {
	f.Limit(2)
	i := f.runs(manyRows(3), nil)
	f.wantResults(i, "1 added", "2 added", "3 refused")
	f.Limit(enlist.NoContactLimit)
}

func importEvents(f *importFixture) {
	target := f.Webhook(f.AddWebhook("contact", "created")).Target
	f.id = f.AddList("on_register_address", "owner@example.com,desk@example.com")
	message, err := f.App.Messages.AddMessage(f.Context(), f.Caller, apptest.Details("name", "May", "subject", "Hello", "text_content", "Hi"))
	f.Must(err)
	_, err = f.App.Batches.AddAutoresponder(f.Context(), f.Caller,
		apptest.Details("list_id", int(f.id), "message_id", int(message), "event_type", "api_upload"))
	f.Must(err)
	store := &effectStore{Engine: f.Store}
	f.App = app.New(store, f.Clock)
	for n, test := range []struct {
		autoresponders, notifications, webhooks bool
	}{{}, {autoresponders: true}, {notifications: true}, {webhooks: true}, {true, true, true}} {
		store.mails, store.notifications = 0, 0
		before := f.waitingEvents(target)
		f.runs(fmt.Sprintf("Email\nann%d@example.com\nnope\nann%[1]d@example.com\n", n), func(o *imports.ImportOptions) {
			o.Autoresponders, o.Notifications, o.Webhooks = test.autoresponders, test.notifications, test.webhooks
		})
		want := map[bool]int{true: 1}
		events := f.waitingEvents(target) - before
		if store.mails != want[test.autoresponders] || store.notifications != 2*want[test.notifications] || events != want[test.webhooks] {
			f.Errorf("with %+v, one new Contact causes %d autoresponder mails, %d notifications and %d events",
				test, store.mails, store.notifications, events)
		}
	}
}

// waitingEvents returns the number of events that wait for a webhook.
func (f *importFixture) waitingEvents(target enlist.WebhookTargetID) (n int) {
	f.Update(func(tx *db.Tx) error {
		events, err := events.WebhookEvents(tx, target, 0, 100)
		n = len(events)
		return err
	})
	return n
}

// effectStore is a Store that counts the mails that its Updates enqueue.
type effectStore struct {
	db.Engine
	mails, notifications int
}

func (s *effectStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	mails, notifications := 0, 0
	err := s.Engine.Update(ctx, func(tx *db.Tx) error {
		mails, notifications = 0, 0
		return apptest.Watch{Effect: func(e db.Effect) {
			switch e.(type) {
			case events.Autorespond:
				mails++
			case events.Notify:
				notifications++
			}
		}}.Run(fn)(tx)
	})
	s.mails, s.notifications = s.mails+mails, s.notifications+notifications
	return err
}

func importAccess(f *importFixture) {
	add := func(level enlist.Level, change func(*imports.ImportOptions)) error {
		key := *f.Caller.Key
		key.Level = level
		o := imports.ImportOptions{List: f.id}
		if change != nil {
			change(&o)
		}
		_, err := f.App.Imports.AddImport(f.Context(), &enlist.Caller{Account: f.Caller.Account, Key: &key},
			imports.NewImport{ImportOptions: o, File: strings.NewReader("Email,Town\nann@example.com,Bonn\n")})
		return err
	}
	fields := func(o *imports.ImportOptions) { o.AddFields = true }
	f.Refused(add(enlist.Read, nil), enlist.Denied, "level standard")
	f.Must(add(enlist.Standard, nil))
	f.Refused(add(enlist.Standard, fields), enlist.Denied, "level full")
	f.Must(add(enlist.Standard, func(o *imports.ImportOptions) { o.AddFields, o.DryRun = true, true }))
	f.Must(add(enlist.Full, fields))
	i := f.runs("Email\nbob@example.com\n", nil)
	other := f.AddList()
	for _, c := range []struct {
		caller *enlist.Caller
		kind   enlist.Kind
	}{{f.NewCaller(), enlist.InvalidParameters}, {f.Restricted(other), enlist.Denied}} {
		_, err := f.App.Imports.Import(f.Context(), c.caller, i.ID)
		apptest.WantKind(f.T, "Import", err, c.kind)
		apptest.WantKind(f.T, "CancelImport", f.App.Imports.CancelImport(f.Context(), c.caller, i.ID), c.kind)
		err = f.App.Imports.ImportResults(f.Context(), c.caller, i.ID, func(*imports.RowResult) error { return nil })
		apptest.WantKind(f.T, "ImportResults", err, c.kind)
		if all, err := f.App.Imports.AllImports(f.Context(), c.caller); err != nil || len(all) != 0 {
			f.Errorf("the caller sees %d imports, error %v; want none", len(all), err)
		}
	}
	_, err := f.App.Imports.AddImport(f.Context(), f.NewCaller(), imports.NewImport{ImportOptions: imports.ImportOptions{List: f.id},
		File: strings.NewReader("Email\n")})
	f.Refused(err, enlist.NoList, "no List")
}
