package contacts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tests what people decide about the recording of their opens and clicks.

// covers: decision 155
func TestDecisionsAboutBeingRecorded(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a decision holds for all Contacts of the List with the address, and each is in the ledger", Test: decisionsOfAnAddress},
		{Name: "an Account can have one decision for all its Lists, also for decisions before", Test: sharedDecisions},
		{Name: "what cannot be stored is refused", Test: refusedDecisions},
	})
}

// decide stores a decision about a Contact.
func decide(o *apptest.Account, list enlist.ListID, id enlist.ContactID, consent enlist.TrackingConsent) {
	o.Helper()
	_, err := o.App.Contacts.DecideTracking(o.Context(), o.Caller, contacts.TrackingRequest{List: list, Contact: id,
		Decision: contacts.TrackingDecision{Consent: consent, Version: "7", By: contacts.Origin{Method: contacts.MethodUser, Text: "by telephone", IP: "192.0.2.1"}}})
	o.Must(err)
}

// decisions returns what Contacts of a List have decided, and when.
func decisions(o *apptest.Account, list enlist.ListID, ids ...enlist.ContactID) string {
	o.Helper()
	var all []string
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		for _, id := range ids {
			c, err := contacts.ByID(tx, list, id)
			if err != nil {
				return err
			}
			all = append(all, fmt.Sprintf("%s %d", c.TrackingConsent, c.TrackingTime))
		}
		return nil
	}))
	return strings.Join(all, ", ")
}

// decided returns the decisions in a Contact's ledger, newest first.
func decided(o *apptest.Account, list enlist.ListID, id enlist.ContactID) string {
	o.Helper()
	var all []string
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		rows, err := contacts.LedgerRows(tx, list, id, 0, 0)
		for _, r := range rows {
			if r.Tracking != enlist.TrackingUnknown {
				all = append(all, fmt.Sprintf("%s %d %s %s %s %s %s", r.Tracking, r.Time, r.Method, r.Text, r.TextVersion, r.IP, r.Type))
			}
		}
		return err
	}))
	return strings.Join(all, ", ")
}

func decisionsOfAnAddress(o *apptest.Account) {
	list, other := o.AddList("disallow_duplicate_contacts", false), o.AddList()
	ann, same, bob := o.Subscribe(list, "Email", "ann@x.io"), o.Subscribe(list, "Email", "Ann@x.io"), o.Subscribe(list, "Email", "bob@x.io")
	elsewhere := o.Subscribe(other, "Email", "ann@x.io")
	start := o.Now.Unix()
	decide(o, list, ann, enlist.TrackingGranted)
	o.Now = o.Now.Add(time.Minute)
	decide(o, list, same, enlist.TrackingDenied)
	o.Now = o.Now.Add(time.Minute)
	decide(o, list, ann, enlist.TrackingDenied) // once more: a row of the ledger, and no other time
	want := fmt.Sprintf("denied %d, denied %[1]d, unknown 0", start+60)
	apptest.Same(o.T, "the decisions", decisions(o, list, ann, same, bob), want)
	apptest.Same(o.T, "the decision in another List", decisions(o, other, elsewhere), "unknown 0")
	row := func(consent string, at int64) string {
		return fmt.Sprintf("%s %d user by telephone 7 192.0.2.1 ", consent, at)
	}
	ledger := strings.Join([]string{row("denied", start+120), row("denied", start+60), row("granted", start)}, ", ")
	apptest.Same(o.T, "the ledger", decided(o, list, ann), ledger)
	apptest.Same(o.T, "the ledger of the other Contact", decided(o, list, same), decided(o, list, ann))
	apptest.Same(o.T, "the ledger of another address", decided(o, list, bob), "")
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		rows, err := contacts.Consents(tx, list, ann, 0, 0)
		if len(rows) != 1 || rows[0].Method != "subscribeContact" {
			o.Errorf("the consents are %+v, want the subscription alone", rows)
		}
		return err
	}))
}

func sharedDecisions(o *apptest.Account) {
	first, second := o.AddList(), o.AddList("disallow_duplicate_contacts", false)
	ann, bob := o.Subscribe(first, "Email", "ann@x.io"), o.Subscribe(first, "Email", "bob@x.io")
	ann2, bob2, again := o.Subscribe(second, "Email", "ann@x.io"), o.Subscribe(second, "Email", "bob@x.io"), o.Subscribe(second, "Email", "bob@x.io")
	at := o.Now.Unix()
	decide(o, first, ann, enlist.TrackingDenied)
	decide(o, second, bob2, enlist.TrackingDenied)
	o.Now = o.Now.Add(time.Minute)
	decide(o, first, bob, enlist.TrackingGranted) // later than the refusal in the other List, which wins
	o.Must(o.App.Contacts.SetTracking(o.Context(), o.Caller, contacts.TrackingSettings{Policy: enlist.TrackWhoAgreed, Shares: true}))
	for e, done := (contacts.ShareTracking{Account: o.Caller.Account.ID}), false; !done; {
		var err error
		e, done, err = o.App.Contacts.ShareTracking(o.Context(), e)
		o.Must(err)
	}
	want := fmt.Sprintf("denied %d, denied %[1]d", at)
	apptest.Same(o.T, "the decisions in the first List", decisions(o, first, ann, bob), want)
	apptest.Same(o.T, "the decisions in the second List", decisions(o, second, ann2, bob2), want)
	apptest.Same(o.T, "the decision of the duplicate", decisions(o, second, again), fmt.Sprintf("denied %d", at))
	if ledger := decided(o, second, ann2); !strings.Contains(ledger, "sameAddress") || !strings.Contains(ledger, "by telephone") {
		o.Errorf("the ledger has %q, want the words of the other List", ledger)
	}
	o.Now = o.Now.Add(time.Minute)
	decide(o, second, ann2, enlist.TrackingGranted)
	apptest.Same(o.T, "a new decision in the other List", decisions(o, first, ann), fmt.Sprintf("granted %d", at+120))
	o.Must(o.App.Contacts.SetTracking(o.Context(), o.Caller, contacts.TrackingSettings{Policy: enlist.TrackWhoAgreed}))
	decide(o, second, ann2, enlist.TrackingDenied)
	apptest.Same(o.T, "a decision that is not shared", decisions(o, first, ann), fmt.Sprintf("granted %d", at+120))
	if n := o.Jobs(contacts.ShareTracking{}.Kind()); n != 1 {
		o.Errorf("%d jobs wait, want the one of the first change", n)
	}
}

func refusedDecisions(o *apptest.Account) {
	list := o.AddList()
	ann := o.Subscribe(list, "Email", "ann@x.io")
	for _, c := range []struct {
		caller *enlist.Caller
		d      contacts.TrackingDecision
		want   enlist.Kind
	}{
		{o.Caller, contacts.TrackingDecision{}, enlist.InvalidParameters},
		{o.Caller, contacts.TrackingDecision{Consent: enlist.TrackingGranted, Version: strings.Repeat("7", 51)}, enlist.InvalidParameters},
		{o.Caller, contacts.TrackingDecision{Consent: enlist.TrackingGranted, By: contacts.Origin{Text: strings.Repeat("é", 256)}}, enlist.InvalidParameters},
		{o.Caller, contacts.TrackingDecision{Consent: enlist.TrackingGranted, By: contacts.Origin{IP: "here"}}, enlist.InvalidParameters},
		{o.NewCaller(), contacts.TrackingDecision{Consent: enlist.TrackingGranted}, enlist.NoList},
		{o.Restricted(o.AddList()), contacts.TrackingDecision{Consent: enlist.TrackingGranted}, enlist.Denied},
	} {
		_, err := o.App.Contacts.DecideTracking(o.Context(), c.caller, contacts.TrackingRequest{List: list, Contact: ann, Decision: c.d})
		if enlist.KindOf(err) != c.want {
			o.Errorf("%+v is answered with %v, want %v", c.d, err, c.want)
		}
	}
	apptest.Same(o.T, "the decision", decisions(o, list, ann), "unknown 0")
	for caller, want := range map[*enlist.Caller]enlist.Kind{o.Caller: enlist.InvalidParameters, o.Restricted(list): enlist.Denied} {
		err := o.App.Contacts.SetTracking(o.Context(), caller, contacts.TrackingSettings{Policy: "sometimes"})
		if enlist.KindOf(err) != want {
			o.Errorf("an unknown policy is answered with %v, want %v", err, want)
		}
	}
}
