package contacts_test

import (
	"fmt"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file tests copies of Contacts to another List.

// covers: spec copy.rules
func TestContactsAreCopiedToAnotherList(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "a copy has the values, the answers and the consents, and a row that says where they come from", Test: copiedContact},
		{Name: "people who get no mail, or have left the other List, are not copied", Test: notCopied},
		{Name: "a Contact that the other List has wins, and gets what it lacks", Test: copiedToExisting},
		{Name: "a move loses no value, and moves nobody to a Contact that gets no mail", Test: notMoved},
		{Name: "a mobile number stays the same in a List of another country", Test: copiedNumber},
		{Name: "a move goes on after a crash, and each Contact is in one List", Test: movedInSteps},
		{Name: "the limit of Contacts ends a copy, and no move", Test: copyAtTheLimit},
		{Name: "a List is needed that the user may change", Test: refusedCopies},
		{Name: "a program copies by IDs, also if the List has none of them", Test: copiedByID},
	})
}

// copyLists returns two Lists that share some Fields and preferences.
func copyLists(o *apptest.Batches) (from, to enlist.ListID) {
	from, to = o.AddList("name", "From"), o.AddList("name", "To")
	o.AddField(from, "name", "Town", "type", "text")
	o.AddField(from, "name", "Only here", "type", "text")
	o.AddField(from, "name", "Age", "type", "text")
	o.AddField(to, "name", "TOWN", "type", "text")
	o.AddField(to, "name", "Age", "type", "decimal")
	for list, names := range map[enlist.ListID][]string{from: {"Recipes", "Old"}, to: {"Recipes", "New"}} {
		for _, name := range names {
			_, err := o.App.Lists.AddPreference(o.Context(), o.Caller, list, name)
			o.Must(err)
		}
	}
	return from, to
}

func startCopy(o *apptest.Batches, action contacts.ChangeAction, from, to enlist.ListID, count int64) int64 {
	o.Helper()
	return startChange(o, from, "@", count, contacts.ChangeRequest{Action: action, Target: to})
}

// wantCopied checks the counts of a change that has ended.
func wantCopied(o *apptest.Batches, id, changed, existed, refused int64, reason string) {
	o.Helper()
	c := makeChange(o, id)
	if c.Changed != changed || c.Existed != existed || c.Refused != refused || c.Reason != reason || c.EndTime == 0 {
		o.Errorf("the change is %+v, want %d changed, %d existed, %d refused, %q", c, changed, existed, refused, reason)
	}
}

// rowsOf returns the Contacts of a List by their values.
func rowsOf(o *apptest.Batches, list enlist.ListID, keys ...string) []map[string]string {
	o.Helper()
	var w apptest.ContactRows
	o.Must(o.App.Contacts.SearchContacts(o.Context(), o.Caller, list, enlist.Query{SortBy: "Email"}, keys, &w))
	return w.Rows
}

func wantRows(o *apptest.Batches, got []map[string]string, want ...string) {
	o.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		o.Errorf("got  %v\nwant %v", got, want)
	}
}

func copiedContact(o *apptest.Batches) {
	from, to := copyLists(o)
	_, err := o.App.Contacts.Subscribe(o.Context(), o.Caller, contacts.SubscribeRequest{List: from, Language: "de",
		Details: apptest.Details("Email", "ann@a.example", "Town", "Rome", "Only here", "x", "Age", "old"),
		Consent: contacts.Consent{Type: enlist.ConsentGDPR, Text: "I agree", IP: "192.0.2.1",
			Preferences: []enlist.PreferenceChoice{{Name: "Recipes", Agree: true}, {Name: "Old", Agree: true}}}})
	o.Must(err)
	_, err = o.App.Lists.EditList(o.Context(), o.Caller, to, apptest.Details("is_gdpr_compliant", true))
	o.Must(err)
	o.Subscribe(from, "Email", "no-consent@a.example")
	id := startCopy(o, contacts.ChangeCopy, from, to, 2)
	wantCopied(o, id, 1, 0, 1, "")
	wantUnfit(o, id, 1)
	wantRows(o, rowsOf(o, to, "Email", "TOWN", "Age", "preference:Recipes", "is_active"), "map[Age: Email:ann@a.example TOWN:Rome is_active:1]")
	copied := o.All(to)[0]
	preferences, err := o.App.Contacts.ContactPreferences(o.Context(), o.Caller, to, copied)
	o.Must(err)
	if len(preferences) != 1 || preferences[0] != (enlist.PreferenceChoice{Name: "Recipes", Agree: true}) {
		o.Errorf("the copy has the answers %v", preferences)
	}
	var ledger rowsOfLedger
	o.Must(o.App.Contacts.ContactConsents(o.Context(), o.Caller, contacts.LedgerQuery{List: to, Contact: copied, Changes: true}, &ledger))
	if len(ledger) != 2 || ledger[0].Method != contacts.MethodCopy || ledger[0].Text != fmt.Sprintf("From (List %d)", from) ||
		ledger[1].Method != "subscribeContact" || ledger[1].Type != enlist.ConsentGDPR || ledger[1].Text != "I agree" || ledger[1].IP != "192.0.2.1" {
		o.Errorf("the ledger of the copy is %+v", ledger)
	}
}

// rowsOfLedger keeps rows of the ledger.
type rowsOfLedger []enlist.LedgerRow

func (w *rowsOfLedger) Begin(bool) error { *w = nil; return nil }

func (w *rowsOfLedger) Row(r *enlist.LedgerRow) error { *w = append(*w, *r); return nil }

func notCopied(o *apptest.Batches) {
	from, to := copyLists(o)
	for _, name := range []string{"fine", "left", "bounced", "left-there", "left-all", "removed-there"} {
		o.Subscribe(from, "Email", name+"@a.example")
	}
	ids := o.All(from)
	_, err := o.App.Contacts.UnsubscribeByID(o.Context(), o.Caller, contacts.ContactRequest{List: from, Contact: ids[1]})
	o.Must(err)
	_, err = o.App.Contacts.Deactivate(o.Context(), o.Caller, from, ids[2])
	o.Must(err)
	for list, address := range map[enlist.ListID]string{to: "left-there@a.example", 0: "left-all@a.example"} {
		if list != 0 {
			o.Subscribe(to, "Email", address)
			o.Subscribe(to, "Email", "removed-there@a.example")
			_, err = o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{List: to, Address: "removed-there@a.example"})
			o.Must(err)
		}
		_, err = o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{List: list, Address: address})
		o.Must(err)
	}
	_, err = o.App.Contacts.DeleteContacts(o.Context(), o.Caller, contacts.DeleteRequest{List: to, Contacts: o.All(to)[1:]})
	o.Must(err)
	wantCopied(o, startCopy(o, contacts.ChangeMove, from, to, 6), 1, 0, 5, "")
	wantRows(o, rowsOf(o, to, "Email", "is_unsubscribed"), "map[Email:fine@a.example is_unsubscribed:0]", "map[Email:left-there@a.example is_unsubscribed:1]")
	if n := len(o.All(from)); n != 5 {
		o.Errorf("%d Contacts stay in the List, want 5", n)
	}
}

// wantUnfit checks how many Contacts had a value that the target does not accept.
func wantUnfit(o *apptest.Batches, id, want int64) {
	o.Helper()
	c, err := o.App.Contacts.Change(o.Context(), o.Caller, id)
	if o.Must(err); c.Unfit != want {
		o.Errorf("%d Contacts of the change are unfit, want %d", c.Unfit, want)
	}
}

func notMoved(o *apptest.Batches) {
	from, to := copyLists(o)
	o.Subscribe(from, "Email", "age@a.example", "Town", "Rome", "Age", "old")
	o.Subscribe(from, "Email", "fine@a.example", "Age", "7")
	o.Subscribe(from, "Email", "quiet@a.example")
	_, err := o.App.Contacts.Deactivate(o.Context(), o.Caller, to, o.Subscribe(to, "Email", "quiet@a.example"))
	o.Must(err)
	id := startCopy(o, contacts.ChangeMove, from, to, 3)
	wantCopied(o, id, 1, 0, 1, "")
	wantUnfit(o, id, 1)
	wantRows(o, rowsOf(o, from, "Email", "Age"), "map[Age:old Email:age@a.example]", "map[Age: Email:quiet@a.example]")
	wantCopied(o, startCopy(o, contacts.ChangeCopy, from, to, 2), 2, 1, 0, "")
	wantRows(o, rowsOf(o, to, "Email", "is_active"), "map[Email:age@a.example is_active:1]", "map[Email:fine@a.example is_active:1]",
		"map[Email:quiet@a.example is_active:0]")
}

func copiedNumber(o *apptest.Batches) {
	from, to := copyLists(o)
	for list, code := range map[enlist.ListID]int{from: 49, to: 61} {
		_, err := o.App.Lists.EditList(o.Context(), o.Caller, list, apptest.Details("country_code", code))
		o.Must(err)
	}
	o.Subscribe(from, "Mobile Phone", "0151 23456789")
	o.Subscribe(from, "Mobile Phone", "0151 23456780")
	o.Subscribe(to, "Mobile Phone", "+49 151 23456780")
	_, err := o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{List: to, Address: "+4915123456780"})
	o.Must(err)
	_, err = o.App.Contacts.DeleteContacts(o.Context(), o.Caller, contacts.DeleteRequest{List: to, Contacts: o.All(to)})
	o.Must(err)
	id, err := o.App.Contacts.StartChange(o.Context(), o.Caller, contacts.ChangeRequest{List: from, Count: 2, Target: to,
		Criteria: apptest.Criterion("Mobile Phone", "contains", "151"), Action: contacts.ChangeCopy})
	o.Must(err)
	wantCopied(o, id, 1, 0, 1, "")
	wantRows(o, rowsOf(o, to, "Mobile Phone"), "map[Mobile Phone:+4915123456789]")
}

func copiedToExisting(o *apptest.Batches) {
	from, to := copyLists(o)
	o.Subscribe(from, "Email", "Ann@a.example", "Town", "Rome", "Age", "7")
	o.Subscribe(to, "Email", "ann@A.example", "TOWN", "Oslo")
	wantCopied(o, startCopy(o, contacts.ChangeMove, from, to, 1), 1, 1, 0, "")
	wantRows(o, rowsOf(o, to, "Email", "TOWN", "Age"), "map[Age:7 Email:ann@A.example TOWN:Oslo]")
	if n := len(o.All(from)); n != 0 {
		o.Errorf("%d Contacts stay in the List, want none", n)
	}
}

func movedInSteps(o *apptest.Batches) {
	from, to := copyLists(o)
	var rows [][]enlist.Detail
	for n := range 130 {
		rows = append(rows, apptest.Details("Email", fmt.Sprintf("p%d@a.example", n)))
	}
	_, err := o.App.Contacts.AddContacts(o.Context(), o.Caller, contacts.AddRequest{List: from, Contacts: rows})
	o.Must(err)
	id := startCopy(o, contacts.ChangeMove, from, to, 130)
	done, err := o.App.Contacts.CopyContacts(o.Context(), contacts.CopyContacts{ID: id})
	o.Must(err)
	if a, b := len(o.All(from)), len(o.All(to)); done || a+b != 130 || b == 0 || a == 0 {
		o.Errorf("after the first step, done is %v, and the Lists have %d and %d Contacts", done, a, b)
	}
	wantCopied(o, id, 130, 0, 0, "")
	if a, b := len(o.All(from)), len(o.All(to)); a != 0 || b != 130 {
		o.Errorf("in the end, the Lists have %d and %d Contacts", a, b)
	}
}

func copyAtTheLimit(o *apptest.Batches) {
	from, to := copyLists(o)
	o.Subscribe(from, "Email", "ann@a.example")
	o.Must(o.App.Accounts.EditAccount(o.Context(), o.Caller.Account.ID, func(a *enlist.Account) { a.ContactLimit = 1 }))
	wantCopied(o, startCopy(o, contacts.ChangeCopy, from, to, 1), 0, 0, 0, "the Account has reached its limit of Contacts")
	wantCopied(o, startCopy(o, contacts.ChangeMove, from, to, 1), 1, 0, 0, "")
	if a, b := len(o.All(from)), len(o.All(to)); a != 0 || b != 1 {
		o.Errorf("the Lists have %d and %d Contacts", a, b)
	}
}

func refusedCopies(o *apptest.Batches) {
	from, to := copyLists(o)
	o.Subscribe(from, "Email", "ann@a.example")
	start := func(c *enlist.Caller, target enlist.ListID) error {
		_, err := o.App.Contacts.StartChange(o.Context(), c, contacts.ChangeRequest{List: from, Count: 1, Target: target,
			Criteria: apptest.Criterion("Email", "contains", "@"), Action: contacts.ChangeCopy})
		return err
	}
	o.Refused(start(o.Caller, from), enlist.InvalidParameters, "choose another List")
	o.Refused(start(o.Caller, 0), enlist.InvalidParameters, "choose another List")
	o.Refused(start(o.Caller, to+1000), enlist.NoList, "")
	o.Refused(start(o.Restricted(from), to), enlist.Denied, "")
	pairs, err := o.App.Contacts.FieldPairs(o.Context(), o.Caller, from, to)
	o.Must(err)
	got := ""
	for _, p := range pairs {
		got += p.From.Name + ">"
		if p.To != nil {
			got += p.To.Name
		}
		got += " "
	}
	if got != "Email>Email Mobile Phone>Mobile Phone Town>TOWN Only here> Age>Age " {
		o.Errorf("the pairs are %s", got)
	}
}

func copiedByID(o *apptest.Batches) {
	from, to := copyLists(o)
	ann := o.Subscribe(from, "Email", "ann@a.example")
	o.Subscribe(from, "Email", "bob@a.example")
	for _, c := range []struct {
		ids     []enlist.ContactID
		total   int64
		changed int64
	}{{[]enlist.ContactID{ann, ann + 1000, ann}, 1, 1}, {[]enlist.ContactID{ann + 1000}, 0, 0}, {nil, 0, 0}} {
		id, err := o.App.Contacts.StartChange(o.Context(), o.Caller, contacts.ChangeRequest{List: from, Target: to, Contacts: c.ids,
			Action: contacts.ChangeMove, Count: contacts.AnyCount})
		o.Must(err)
		wantCopied(o, id, c.changed, 0, 0, "")
		if got, err := o.App.Contacts.Change(o.Context(), o.Caller, id); err != nil || got.Total != c.total || got.State() != "done" {
			o.Errorf("the change of %v is %+v, %v", c.ids, got, err)
		}
	}
	wantRows(o, rowsOf(o, from, "Email"), "map[Email:bob@a.example]")
	_, err := o.App.Contacts.StartChange(o.Context(), o.Caller, contacts.ChangeRequest{List: from, Target: to, Contacts: []enlist.ContactID{ann},
		Action: contacts.ChangeMove, Count: 1})
	o.Refused(err, enlist.InvalidSearch, "at least one condition")
}
