package contacts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// This file tests changes of many Contacts by a job.

// covers: decision 141
func TestChangesOfManyContacts(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "a statement confirms the Contacts that get mail, and is in their ledger", Test: confirmedByStatement},
		{Name: "Contacts that have not confirmed are asked by a mail each, in steps", Test: askedByMail},
		{Name: "each action changes the Contacts that matched, and counts those that changed", Test: changeActions},
		{Name: "a change is refused that a person has not seen, or that cannot be made", Test: refusedChanges},
		{Name: "a change runs in steps, and ends when it is cancelled", Test: changeInSteps},
		{Name: "a change goes on only while the person who started it may make it", Test: changeOfPerson},
		{Name: "a change goes on only while the key that started it may make it", Test: changeOfKey},
		{Name: "a change ends if its Field or its List is deleted meanwhile", Test: changeWithoutItsList},
	})
}

// startChange starts a change of the Contacts whose address contains a text.
func startChange(o *apptest.Batches, list enlist.ListID, text string, count int64, r contacts.ChangeRequest) int64 {
	o.Helper()
	r.List, r.Criteria, r.Count = list, apptest.Criterion("Email", "contains", text), count
	id, err := o.App.Contacts.StartChange(o.Context(), o.Caller, r)
	o.Must(err)
	return id
}

// makeChange runs the job of a change to its end.
func makeChange(o *apptest.Batches, id int64) *contacts.Change {
	o.Helper()
	for done := false; !done; {
		var err error
		done, err = o.App.Contacts.MakeChange(o.Context(), contacts.MakeChange{ID: id})
		o.Must(err)
	}
	c, err := o.App.Contacts.Change(o.Context(), o.Caller, id)
	o.Must(err)
	return c
}

func changeActions(o *apptest.Batches) {
	list := o.AddList()
	o.AddField(list, "name", "Town", "type", "text")
	ann := o.Subscribe(list, "Email", "ann@a.example", "Town", "Rome")
	bob := o.Subscribe(list, "Email", "bob@a.example")
	cleo := o.Subscribe(list, "Email", "cleo@b.example")
	_, err := o.App.Contacts.Deactivate(o.Context(), o.Caller, list, bob)
	o.Must(err)
	for _, step := range []struct {
		request contacts.ChangeRequest
		changed int64
		key     string
		value   string
		want    int64 // Contacts with the value
	}{
		{contacts.ChangeRequest{Action: contacts.ChangeDeactivate}, 1, "is_active", "0", 2},
		{contacts.ChangeRequest{Action: contacts.ChangeReactivate}, 2, "is_active", "1", 3},
		{contacts.ChangeRequest{Action: contacts.ChangeSet, Field: "Town", Value: "Rome"}, 1, "Town", "Rome", 2},
		{contacts.ChangeRequest{Action: contacts.ChangeSet, Field: "Town", Value: ""}, 2, "Town", "Rome", 0},
		{contacts.ChangeRequest{Action: contacts.ChangeUnsubscribe}, 2, "is_unsubscribed", "1", 2},
		{contacts.ChangeRequest{Action: contacts.ChangeUnsubscribe}, 0, "is_unsubscribed", "1", 2},
		{contacts.ChangeRequest{Action: contacts.ChangeDelete}, 2, "is_active", "1", 1},
	} {
		o.Case(string(step.request.Action), func() {
			c := makeChange(o, startChange(o, list, "@a.example", 2, step.request))
			if c.EndTime == 0 || c.Done != 2 || c.Changed != step.changed || c.Reason != "" {
				o.Errorf("the change is %+v, want %d changed Contacts", c, step.changed)
			}
			if n := o.Count(list, step.key, "exactly", step.value); n != step.want {
				o.Errorf("%d Contacts have %s %s, want %d", n, step.key, step.value, step.want)
			}
		})
	}
	apptest.Same(o.T, "the Contacts that are left", o.All(list), []enlist.ContactID{cleo})
	if ledger := o.LedgerOf(list, ann); len(ledger) != 2 || ledger[0].Method != "unsubscribeContactById" {
		o.Errorf("the ledger is %+v", ledger)
	}
	all, err := o.App.Contacts.Changes(o.Context(), o.Caller, list)
	o.Must(err)
	if len(all) != 7 || all[0].Action != contacts.ChangeDelete {
		o.Errorf("the changes are %+v", all)
	}
}

func refusedChanges(o *apptest.Batches) {
	list := o.AddList()
	o.AddField(list, "name", "Born", "type", "date")
	o.Subscribe(list, "Email", "ann@a.example")
	some := apptest.Criterion("Email", "contains", "@a.example")
	ok := contacts.ChangeRequest{List: list, Criteria: some, Action: contacts.ChangeDeactivate, Count: 1}
	for _, c := range []struct {
		rule   string
		caller *enlist.Caller
		change func(*contacts.ChangeRequest)
		want   enlist.Kind
	}{
		{"another number", o.Caller, func(r *contacts.ChangeRequest) { r.Count = 2 }, enlist.InvalidParameters},
		{"no Contact matches", o.Caller, func(r *contacts.ChangeRequest) {
			r.Criteria, r.Count = apptest.Criterion("Email", "exactly", "x@a.example"), 0
		}, enlist.InvalidParameters},
		{"no criteria", o.Caller, func(r *contacts.ChangeRequest) { r.Criteria = nil }, enlist.InvalidSearch},
		{"criteria that match everything", o.Caller, func(r *contacts.ChangeRequest) {
			r.Criteria = apptest.Criterion("Email", "contains", "")
		}, enlist.InvalidSearch},
		{"an unknown action", o.Caller, func(r *contacts.ChangeRequest) { r.Action = "other" }, enlist.InvalidParameters},
		{"an unknown Field", o.Caller, func(r *contacts.ChangeRequest) { r.Action, r.Field = contacts.ChangeSet, "x" }, enlist.NoField},
		{"an address for all", o.Caller, func(r *contacts.ChangeRequest) {
			r.Action, r.Field, r.Value = contacts.ChangeSet, "Email", "x@a.example"
		}, enlist.InvalidParameters},
		{"a value that the Field does not accept", o.Caller, func(r *contacts.ChangeRequest) {
			r.Action, r.Field, r.Value = contacts.ChangeSet, "Born", "soon"
		}, enlist.InvalidParameters},
		{"another List", o.Restricted(o.AddList()), func(*contacts.ChangeRequest) {}, enlist.Denied},
		{"another Account", o.NewCaller(), func(*contacts.ChangeRequest) {}, enlist.NoList},
	} {
		o.Case(c.rule, func() {
			r := ok
			c.change(&r)
			_, err := o.App.Contacts.StartChange(o.Context(), c.caller, r)
			o.Refused(err, c.want, "")
		})
	}
	id, err := o.App.Contacts.StartChange(o.Context(), o.Caller, ok)
	o.Must(err)
	for caller, want := range map[*enlist.Caller]enlist.Kind{o.NewCaller(): enlist.NoList, o.Restricted(o.AddList()): enlist.Denied} {
		_, err := o.App.Contacts.Changes(o.Context(), caller, list)
		o.Refused(err, want, "")
		if want == enlist.NoList { // as for a change that does not exist
			want = enlist.InvalidParameters
		}
		_, err = o.App.Contacts.Change(o.Context(), caller, id)
		o.Refused(err, want, "")
		o.Refused(o.App.Contacts.CancelChange(o.Context(), caller, id), want, "")
	}
	o.Refused(o.App.Contacts.CancelChange(o.Context(), o.Caller, 1<<40), enlist.InvalidParameters, "no such change")
}

func changeInSteps(o *apptest.Batches) {
	list := o.AddList()
	const all = contacts.RemoveStep + 100
	o.AddMany(list, all)
	id := startChange(o, list, "@", all, contacts.ChangeRequest{Action: contacts.ChangeDeactivate})
	step := contacts.MakeChange{ID: id}
	if done, err := o.App.Contacts.MakeChange(o.Context(), step); err != nil || done {
		o.Fatalf("the first step returns %v, %v", done, err)
	}
	o.Must(o.App.Contacts.CancelChange(o.Context(), o.Caller, id))
	c := makeChange(o, id)
	if c.Done != contacts.RemoveStep || c.Changed != contacts.RemoveStep || c.Reason != "cancelled" {
		o.Errorf("the cancelled change is %+v", c)
	}
	if c = makeChange(o, startChange(o, list, "@", all, contacts.ChangeRequest{Action: contacts.ChangeDeactivate})); c.Done != all || c.Changed != 100 {
		o.Errorf("the second change is %+v", c)
	}
}

func changeOfPerson(o *apptest.Batches) {
	list, other, account := o.AddList(), o.AddList(), o.Caller.Account.ID
	o.Subscribe(list, "Email", "ann@a.example")
	member := func(level enlist.Level, only ...enlist.ListID) int64 {
		m, err := o.App.Users.Invite(o.Context(), users.Invitation{Email: "li@example.com", Name: "Li",
			Membership: users.Membership{Account: account, Level: level, Lists: only}})
		o.Must(err)
		return int64(m.User.ID)
	}
	for _, c := range []struct {
		rule string
		then func()
		goes bool
	}{
		{"the person keeps the List", func() { member(enlist.Standard, other, list) }, true},
		{"the person may only read", func() { member(enlist.Read) }, false},
		{"the person loses the List", func() { member(enlist.Full, other) }, false},
		{"the person is removed", func() { o.Must(o.App.Users.Remove(o.Context(), "li@example.com", account)) }, false},
	} {
		o.Case(c.rule, func() {
			caller := *o.Caller
			caller.User = member(enlist.Standard)
			action := contacts.ChangeReactivate
			if o.Count(list, "is_active", "exactly", "1") == 1 {
				action = contacts.ChangeDeactivate
			}
			id, err := o.App.Contacts.StartChange(o.Context(), &caller, contacts.ChangeRequest{List: list, Count: 1,
				Criteria: apptest.Criterion("Email", "contains", "@a.example"), Action: action})
			o.Must(err)
			var jobs int64
			o.Update(func(tx *db.Tx) (err error) {
				jobs, err = tx.Number("SELECT count(*) FROM river_job WHERE kind = 'make_change' AND "+tx.SQL.JobNumber("id")+" = ? AND "+
					tx.SQL.JobNumber("person_id")+" = ?", id, caller.User)
				return err
			})
			if jobs != 1 {
				o.Errorf("%d jobs have the change and its person, want 1", jobs)
			}
			c.then()
			done, err := o.App.Contacts.MakeChange(o.Context(), contacts.MakeChange{ID: id, User: caller.User})
			o.Must(err)
			got, err := o.App.Contacts.Change(o.Context(), o.Caller, id)
			o.Must(err)
			if stopped := got.Reason == "the person who started it may no longer change the Contacts of this List"; !done || stopped == c.goes ||
				(got.Changed == 1) != c.goes || got.EndTime == 0 {
				o.Errorf("the change is %+v, want that it goes on: %v", got, c.goes)
			}
		})
	}
}

func changeOfKey(o *apptest.Batches) {
	list, target, account := o.AddList(), o.AddList(), o.Caller.Account.ID
	o.Subscribe(list, "Email", "ann@a.example")
	add := func(d accounts.KeyDetails) *enlist.Caller {
		d.Account, d.Name = account, "shop"
		key, text, err := o.App.Accounts.AddKey(o.Context(), d)
		o.Must(err)
		hash := enlist.HashKey(text)
		return &enlist.Caller{Account: o.Caller.Account, Key: key, Hash: &hash}
	}
	for _, c := range []struct {
		rule   string
		caller *enlist.Caller
		then   func(enlist.KeyID)
		goes   bool
	}{
		{"the key has both Lists", add(accounts.KeyDetails{Level: enlist.Standard, Lists: []enlist.ListID{list, target}}), func(enlist.KeyID) {}, true},
		{"the key is revoked", add(accounts.KeyDetails{Level: enlist.Full}), func(id enlist.KeyID) { o.Must(o.App.Accounts.RevokeKey(o.Context(), id)) }, false},
		{"the key expires", add(accounts.KeyDetails{Level: enlist.Full, Expiry: o.Now.Unix() + 60}), func(enlist.KeyID) { o.Now = o.Now.Add(time.Minute) }, false},
	} {
		o.Case(c.rule, func() {
			id, err := o.App.Contacts.StartChange(o.Context(), c.caller,
				contacts.ChangeRequest{List: list, Count: contacts.AnyCount, Action: contacts.ChangeCopy, Target: target,
					Criteria: apptest.Criterion("Email", "contains", "@a.example")})
			o.Must(err)
			c.then(c.caller.Key.ID)
			job := contacts.CopyContacts{ID: id, Key: c.caller.Key.ID}
			jobs, want := o.Store.(*dbtest.Store).WaitingArgs(o.T, job.Kind()), fmt.Sprintf(`{"id":%d,"key_id":%d}`, id, job.Key)
			if !slices.ContainsFunc(jobs, func(args string) bool { return strings.ReplaceAll(args, " ", "") == want }) {
				o.Errorf("the jobs are %q, want one with the change and its key", jobs)
			}
			_, err = o.App.Contacts.CopyContacts(o.Context(), job)
			o.Must(err)
			got, err := o.App.Contacts.Change(o.Context(), o.Caller, id)
			o.Must(err)
			if (got.Changed == 1) != c.goes || (got.Reason == "the API key that started it is no longer valid") == c.goes {
				o.Errorf("the change is %+v, want that it goes on: %v", got, c.goes)
			}
		})
	}
}

func changeWithoutItsList(o *apptest.Batches) {
	list := o.AddList()
	field := o.AddField(list, "name", "Town", "type", "text")
	o.Subscribe(list, "Email", "ann@a.example")
	id := startChange(o, list, "@a.example", 1, contacts.ChangeRequest{Action: contacts.ChangeSet, Field: "Town", Value: "Rome"})
	o.Must(o.App.Lists.DeleteField(o.Context(), o.Caller, list, field))
	if c := makeChange(o, id); c.Changed != 0 || c.Reason != "the Field was deleted" || c.EndTime == 0 {
		o.Errorf("the change is %+v", c)
	}
	id = startChange(o, list, "@a.example", 1, contacts.ChangeRequest{Action: contacts.ChangeDelete})
	o.Must(o.App.Contacts.DeleteList(o.Context(), o.Caller, list))
	if done, err := o.App.Contacts.MakeChange(o.Context(), contacts.MakeChange{ID: id}); err != nil || !done {
		o.Errorf("the change of a deleted List returns %v, %v", done, err)
	}
	done, err := o.App.Contacts.RemoveContacts(o.Context(), contacts.RemoveContacts{List: list, Upto: 1 << 40, Delete: true})
	if o.Must(err); !done {
		o.Error("the List is not removed in one step")
	}
	if done, err := o.App.Contacts.MakeChange(o.Context(), contacts.MakeChange{ID: id}); err != nil || !done {
		o.Errorf("the change of a removed List returns %v, %v", done, err)
	}
}

func confirmedByStatement(o *apptest.Batches) {
	list := o.AddList()
	ann, bob := o.Subscribe(list, "Email", "ann@a.example"), o.Subscribe(list, "Email", "bob@a.example")
	cleo := o.Subscribe(list, "Email", "cleo@a.example")
	_, err := o.App.Contacts.Confirm(o.Context(), o.Caller, contacts.ContactRequest{List: list, Contact: cleo})
	o.Must(err)
	_, err = o.App.Contacts.Deactivate(o.Context(), o.Caller, list, bob)
	o.Must(err)
	request := contacts.ChangeRequest{List: list, Criteria: contacts.Unconfirmed(), Action: contacts.ChangeConfirm, Count: 1,
		RequireConfirmation: true}
	for _, text := range []string{"", "  ", strings.Repeat("x", contacts.MaxConsentText+1)} {
		request.Value = text
		_, err := o.App.Contacts.StartChange(o.Context(), o.Caller, request)
		o.Refused(err, enlist.InvalidParameters, "")
	}
	if o.List(list).DoubleOptIn {
		o.Error("a refused statement has changed the List")
	}
	request.Value = " form on example.com, 2021 "
	id, err := o.App.Contacts.StartChange(o.Context(), o.Caller, request)
	o.Must(err)
	if !o.List(list).DoubleOptIn {
		o.Error("the List does not ask people to confirm")
	}
	if c := makeChange(o, id); c.Changed != 1 || c.Reason != "" {
		o.Errorf("the change is %+v", c)
	}
	if c := makeChange(o, id); c.Changed != 1 {
		o.Errorf("a repeated step has changed a Contact: %+v", c)
	}
	var rows apptest.Rows[enlist.LedgerRow]
	o.Must(o.App.Contacts.ContactConsents(o.Context(), o.Caller, contacts.LedgerQuery{List: list, Contact: ann, Changes: true}, &rows))
	ledger := rows.All
	if len(ledger) != 2 || ledger[0].Method != contacts.MethodStatement || ledger[0].Text != "form on example.com, 2021" ||
		ledger[0].Time != o.Now.Unix() || !o.Contact(list, ann).DoubleOptIn {
		o.Errorf("the ledger of a confirmed Contact is %+v", ledger)
	}
	if o.Contact(list, bob).DoubleOptIn {
		o.Error("a Contact is confirmed that got no mail")
	}
	figures, err := o.App.Contacts.ConsentFigures(o.Context(), o.Caller, list)
	o.Must(err)
	apptest.Same(o.T, "the figures", figures, contacts.ConsentFigures{Receiving: 2, Confirmed: 2, Provable: 1})
}

func askedByMail(o *apptest.Batches) {
	list := o.AddList()
	o.AddMany(list, contacts.MaxUnsubscribe)
	request := contacts.ChangeRequest{List: list, Criteria: contacts.Unconfirmed(), Action: contacts.ChangeAsk,
		Count: contacts.MaxUnsubscribe}
	_, err := o.App.Contacts.StartChange(o.Context(), o.Caller, request)
	o.Refused(err, enlist.InvalidParameters, "") // the List does not ask
	request.RequireConfirmation = true
	id, err := o.App.Contacts.StartChange(o.Context(), o.Caller, request)
	o.Must(err)
	if done, err := o.App.Contacts.MakeChange(o.Context(), contacts.MakeChange{ID: id}); err != nil || done {
		o.Fatalf("the first step returns %v, %v", done, err)
	}
	if c := makeChange(o, id); c.Changed != contacts.MaxUnsubscribe || c.Reason != "" {
		o.Errorf("the change is %+v", c)
	}
	var jobs int64
	o.Update(func(tx *db.Tx) (err error) {
		jobs, err = tx.Number("SELECT count(*) FROM river_job WHERE kind = 'ask_to_confirm' AND "+
			tx.SQL.JobNumber("list_id")+" = ?", int64(list))
		return err
	})
	if jobs != contacts.MaxUnsubscribe {
		o.Errorf("%d requests to confirm, want one for each Contact", jobs)
	}
}
