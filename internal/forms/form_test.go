package forms_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/forms"

	"github.com/google/go-cmp/cmp"
)

// This file tests Forms: the calls, and what happens when a visitor sends one.

// covers: spec form.record, form.translations, form.subscribe, form.counts, contact.webform_id, form.tracking, decision 132, 136, 160
func TestForms(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a subscriber keeps the language of the first Form, until the subscription ends", Test: keepsLanguage},
		{Name: "setForm asks for the Fields with show_in_form by default, and keeps what is not sent, as the audit log says", Test: setForm},
		{Name: "a visitor is subscribed with the Form, its consent and address", Test: subscribes},
		{Name: "faults are named by their inputs, and nothing is stored", Test: faults},
		{Name: "a Form fills only empty values of an existing Contact", Test: keepsValues},
		{Name: "a Contact that has left confirms again on a List with double opt-in", Test: confirmsAgain},
		{Name: "a Form adds no duplicate, also to a List that allows them", Test: noDuplicates},
		{Name: "at the limit of an Account the answer does not show whether a Contact has the address", Test: fullAccount},
		{Name: "a tick is an answer about a preference, and the answers of a Contact stay", Test: answers},
		{Name: "a tick for recording holds once the person confirms, and changes no decision of the address", Test: ticks},
		{Name: "days count what was shown, sent and confirmed", Test: counts},
		{Name: "a Form in several languages has its own texts for those that a translation leaves out", Test: translations},
		{Name: "wrong translations are named by their language and text", Test: wrongTranslations},
		{Name: "the ledger has the consent in the language that the visitor has read", Test: consentInLanguage},
		{Name: "a closed Form, a Form of a deleted List and an unknown one subscribe no one", Test: closed},
		{Name: "a List is deleted with its Forms", Test: deletedList},
		{Name: "what pages read of all Lists is what a caller reads of one after the other", Test: ofAllLists},
	})
}

// newForm adds a Form that asks for a name.
func newForm(o *apptest.Account, list enlist.ListID, pairs ...any) enlist.FormID {
	o.Helper()
	id, err := o.App.Forms.SetForm(o.Context(), o.Caller, list, 0, apptest.Details(append([]any{"name", "Sign-up"}, pairs...)...))
	o.Must(err)
	return id
}

// text writes IDs with commas.
func text[ID ~int64](ids ...ID) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(ids)), ","), "[]")
}

// send sends a Form with an address, and further Fields with values.
func send(o *apptest.Account, id enlist.FormID, email string, more map[enlist.FieldID][]string) map[enlist.FieldID]forms.Fault {
	o.Helper()
	p, err := o.App.Forms.Show(o.Context(), id)
	o.Must(err)
	e := &forms.Entry{Values: map[enlist.FieldID][]string{p.Schema.Email().ID: {email}}, Agreed: true, Title: "Our news", IP: "192.0.2.7"}
	for field, values := range more {
		e.Values[field] = values
	}
	found, err := o.App.Forms.Send(o.Context(), id, e)
	o.Must(err)
	return found
}

// find returns the Contact with an address, which a List has once.
func find(o *apptest.Account, list enlist.ListID) *enlist.Contact {
	o.Helper()
	all := o.All(list)
	if len(all) != 1 {
		o.Fatalf("the List has the Contacts %v, want one", all)
	}
	return o.Contact(list, all[0])
}

func setForm(o *apptest.Account) {
	list := o.AddList()
	standard, err := o.App.Lists.SearchFields(o.Context(), o.Caller, list, enlist.Query{})
	o.Must(err)
	city := o.AddField(list, "name", "City", "type", "text", "is_mandatory", "1", "display_order", "3")
	o.AddField(list, "name", "Number", "type", "text", "show_in_form", "0")
	o.AddField(list, "name", "Hidden", "type", "text", "display_order", "-1")
	o.AddField(list, "name", "Photo", "type", "file")
	id := newForm(o, list, "title", "News", "sites", "https://a.example")
	o.Now = o.Now.Add(time.Minute)
	if again := newForm(o, list, "button", "Go", "is_open", "0"); again != id {
		o.Errorf("the same name is the Form %d, want %d", again, id)
	}
	all, err := o.App.Forms.SearchForms(o.Context(), o.Caller, list, enlist.Query{})
	o.Must(err)
	now := o.Now.Unix()
	want := []forms.Form{{ID: id, AccountID: o.Caller.Account.ID, ListID: list, Name: "Sign-up", Title: "News", Button: "Go",
		FieldIDs: text(standard[0].ID, standard[1].ID, city), RequiredIDs: text(standard[0].ID, city), Sites: "https://a.example", CreationTime: now - 60, LastModifiedTime: now}}
	if diff := cmp.Diff(want, all); diff != "" {
		o.Errorf("(-want +got):\n%s", diff)
	}
	other := o.AddList()
	o.Refused(o.App.Forms.DeleteForm(o.Context(), o.Caller, other, id), enlist.InvalidParameters, "form_id")
	o.Must(o.App.Forms.DeleteForm(o.Context(), o.Caller, list, id))
	rows := o.AuditLog(o.Caller.Account.ID)
	if rows[0].Object != "Form" || rows[0].After != "{}" || rows[1].Object != "List" || rows[2].After != `{"button":"Go","is_open":false}` {
		o.Errorf("the audit log ends with %+v", rows[:3])
	}
}

func subscribes(o *apptest.Account) {
	list := o.AddList()
	city := o.AddField(list, "name", "Likes", "type", "checkbox", "values_array", "Roses,Ferns,Moss")
	id := newForm(o, list, "field_ids", text(city), "consent_text", "Send me news.")
	if f := send(o, id, "Ann@Example.com", map[enlist.FieldID][]string{city: {"Moss", "Roses"}, 1 << 40: {"x"}}); len(f) > 0 {
		o.Fatalf("faults %v", f)
	}
	c := find(o, list)
	if c.SubscribedVia != "web_form" || c.WebformID != int64(id) || c.Values.Get(city) != "Roses,Moss" {
		o.Errorf("the Contact is %+v", c)
	}
	var ledger []enlist.LedgerRow
	o.Update(func(tx *db.Tx) (err error) {
		ledger, err = contacts.LedgerRows(tx, list, c.ID, 0, 0)
		return err
	})
	if len(ledger) != 1 || ledger[0].Method != contacts.MethodForm || ledger[0].Type != enlist.ConsentGDPR ||
		ledger[0].Text != "Send me news." || ledger[0].IP != "192.0.2.7" {
		o.Errorf("the ledger has %+v", ledger)
	}
}

func faults(o *apptest.Account) {
	list := o.AddList()
	born := o.AddField(list, "name", "Born", "type", "date")
	name := o.AddField(list, "name", "Name", "type", "text")
	note := o.AddField(list, "name", "Note", "type", "comment")
	id := newForm(o, list, "field_ids", text(born, name, note), "required_field_ids", text(name), "consent_text", "Yes")
	p, err := o.App.Forms.Show(o.Context(), id)
	o.Must(err)
	found, err := o.App.Forms.Send(o.Context(), id, &forms.Entry{Values: map[enlist.FieldID][]string{born: {"soon"}, name: {" "}, note: {"\xff"},
		p.Schema.Email().ID: {"ann@"}}})
	o.Must(err)
	want := map[enlist.FieldID]forms.Fault{born: forms.Wrong, name: forms.Missing, note: forms.Wrong, p.Schema.Email().ID: forms.Wrong,
		forms.ConsentInput: forms.Missing}
	if diff := cmp.Diff(want, found); diff != "" || len(o.All(list)) > 0 {
		o.Errorf("the List has %d Contacts, faults (-want +got):\n%s", len(o.All(list)), diff)
	}
}

func keepsValues(o *apptest.Account) {
	list := o.AddList()
	name, city := o.AddField(list, "name", "Name", "type", "text"), o.AddField(list, "name", "City", "type", "text")
	c := o.Subscribe(list, "Email", "ann@example.com", "Name", "Ann")
	id := newForm(o, list, "field_ids", text(name, city))
	send(o, id, "ANN@example.com", map[enlist.FieldID][]string{name: {"Eve"}, city: {"Rome"}})
	got := find(o, list)
	if got.ID != c || got.Values.Get(name) != "Ann" || got.Values.Get(city) != "Rome" || got.WebformID != 0 ||
		got.Values.Get(o.EmailField(list)) != "ann@example.com" {
		o.Errorf("the Contact is %+v", got)
	}
}

func answers(o *apptest.Account) {
	list, other := o.AddList(), o.AddList()
	var prefs []enlist.PreferenceID
	for _, name := range []string{"Events", "Offers", "Gone"} {
		id, err := o.App.Lists.AddPreference(o.Context(), o.Caller, list, name)
		o.Must(err)
		prefs = append(prefs, id)
	}
	foreign, err := o.App.Lists.AddPreference(o.Context(), o.Caller, other, "Events")
	o.Must(err)
	for _, ids := range []string{text(foreign), "7000000", "x", text(prefs[0], prefs[0])} {
		_, err := o.App.Forms.SetForm(o.Context(), o.Caller, list, 0, apptest.Details("name", "Sign-up", "preference_ids", ids))
		o.Refused(err, enlist.InvalidParameters, "preference_ids")
	}
	id := newForm(o, list, "preference_ids", text(prefs[1], prefs[0], prefs[2]))
	o.Must(o.App.Lists.DeletePreference(o.Context(), o.Caller, list, prefs[2]))
	_, err = o.App.Forms.SetForm(o.Context(), o.Caller, list, id, apptest.Details("thanks", "Thank you"))
	o.Must(err) // a program that knows nothing of the deleted preference
	tick := func(address string, ids ...enlist.PreferenceID) {
		p, err := o.App.Forms.Show(o.Context(), id)
		o.Must(err)
		if len(p.Preferences) != 2 || p.Preferences[0].Name != "Offers" {
			o.Errorf("the Form has the preferences %+v", p.Preferences)
		}
		e := &forms.Entry{Values: map[enlist.FieldID][]string{p.Schema.Email().ID: {address}}, Ticked: make(map[enlist.PreferenceID]bool), Title: "Our news"}
		for _, one := range ids {
			e.Ticked[one] = true
		}
		_, err = o.App.Forms.Send(o.Context(), id, e)
		o.Must(err)
	}
	tick("ann@example.com", prefs[0], prefs[2], foreign)
	c := find(o, list)
	apptest.Same(o.T, "answers of a new Contact", c.Prefs, map[enlist.PreferenceID]bool{prefs[0]: true})
	o.Update(func(tx *db.Tx) error {
		c.Prefs = map[enlist.PreferenceID]bool{prefs[0]: false}
		return contacts.Update(tx, c)
	})
	tick("ANN@example.com", prefs[0], prefs[1])
	apptest.Same(o.T, "answers of a Contact", find(o, list).Prefs, map[enlist.PreferenceID]bool{prefs[0]: false, prefs[1]: true})
	var ledger []enlist.LedgerRow
	o.Update(func(tx *db.Tx) (err error) {
		ledger, err = contacts.LedgerRows(tx, list, c.ID, 0, 0)
		return err
	})
	apptest.Same(o.T, "preferences in the newest row of the ledger", ledger[0].Preferences, []enlist.PreferenceChoice{{Name: "Offers", Agree: true}})
	apptest.Same(o.T, "preferences in the first row of the ledger", ledger[1].Preferences, []enlist.PreferenceChoice{{Name: "Events", Agree: true}})
	tick("ann@example.com")
	apptest.Same(o.T, "answers after no tick", find(o, list).Prefs, map[enlist.PreferenceID]bool{prefs[0]: false, prefs[1]: true})
}

func confirmsAgain(o *apptest.Account) {
	list := o.AddList("double_opt_in_required", true)
	c := o.Subscribe(list, "Email", "ann@example.com")
	_, err := o.App.Contacts.Confirm(o.Context(), o.Caller, contacts.ContactRequest{List: list, Contact: c})
	o.Must(err)
	id := newForm(o, list)
	send(o, id, "ann@example.com", nil)
	if !find(o, list).DoubleOptIn {
		o.Error("a subscribed Contact has lost its confirmation")
	}
	_, err = o.App.Contacts.UnsubscribeByID(o.Context(), o.Caller, contacts.ContactRequest{List: list, Contact: c})
	o.Must(err)
	o.Now = o.Now.Add(time.Hour)
	asked := requests(o, list)
	send(o, id, "ann@example.com", nil)
	if got := find(o, list); got.DoubleOptIn || got.IsUnsubscribed || requests(o, list) != asked+1 {
		o.Errorf("the Contact is %+v, and %d mails ask it", got, requests(o, list)-asked)
	}
}

// requests returns the number of requests to confirm that wait for a List.
func requests(o *apptest.Account, list enlist.ListID) (n int64) {
	o.Helper()
	o.Update(func(tx *db.Tx) (err error) {
		n, err = tx.Number("SELECT count(*) FROM river_job WHERE kind = 'ask_to_confirm' AND "+tx.SQL.JobNumber("list_id")+" = ?", int64(list))
		return err
	})
	return n
}

func noDuplicates(o *apptest.Account) {
	list := o.AddList("disallow_duplicate_contacts", false)
	id := newForm(o, list)
	send(o, id, "ann@example.com", nil)
	send(o, id, "Ann@example.com", nil)
	if find(o, list).WebformID != int64(id) {
		o.Error("the Contact is not of the Form")
	}
}

func fullAccount(o *apptest.Account) {
	list := o.AddList()
	id := newForm(o, list)
	o.Subscribe(list, "Email", "ann@example.com")
	o.Limit(1)
	for _, address := range []string{"ann@example.com", "new@example.com"} {
		e := &forms.Entry{Values: map[enlist.FieldID][]string{o.EmailField(list): {address}}, Title: "Our news"}
		_, err := o.App.Forms.Send(o.Context(), id, e)
		o.Refused(err, enlist.ContactLimit, "")
	}
}

func counts(o *apptest.Account) {
	list := o.AddList("double_opt_in_required", true)
	id := newForm(o, list)
	today := enlist.Today(o.Now, o.Caller.Account.TimeZone)
	for range 3 {
		p, err := o.App.Forms.Show(o.Context(), id)
		o.Must(err)
		o.Must(o.App.Forms.CountView(o.Context(), p))
	}
	send(o, id, "ann@example.com", nil)
	send(o, id, "ann@example.com", nil)
	o.Now = o.Now.Add(24 * time.Hour)
	for range 2 { // the second one changes nothing
		_, err := o.App.Contacts.Confirm(o.Context(), o.Caller, contacts.ContactRequest{List: list, Contact: find(o, list).ID})
		o.Must(err)
	}
	days, err := o.App.Forms.FormDays(o.Context(), o.Caller, list, id, today, "")
	o.Must(err)
	first, err := time.Parse(time.DateOnly, today)
	o.Must(err)
	want := []forms.Day{{first, 3, 2, 0}, {first.AddDate(0, 0, 1), 0, 0, 1}}
	if diff := cmp.Diff(want, days); diff != "" {
		o.Errorf("(-want +got):\n%s", diff)
	}
	all, err := o.App.Forms.SearchForms(o.Context(), o.Caller, list, enlist.Query{})
	o.Must(err)
	if all[0].Shown != 3 || all[0].Sent != 2 || all[0].Confirmed != 1 {
		o.Errorf("the Form has the counts %+v", all[0])
	}
}

func closed(o *apptest.Account) {
	list := o.AddList()
	id := newForm(o, list, "is_open", false)
	e := &forms.Entry{Values: map[enlist.FieldID][]string{o.EmailField(list): {"ann@example.com"}}}
	for _, form := range []enlist.FormID{id, 1 << 40} {
		if _, err := o.App.Forms.Send(o.Context(), form, e); !errors.Is(err, forms.ErrNone) {
			o.Errorf("the Form %d is answered with %v", form, err)
		}
	}
	newForm(o, list, "is_open", true)
	o.Must(o.App.Contacts.DeleteList(o.Context(), o.Caller, list))
	if _, err := o.App.Forms.Send(o.Context(), id, e); !errors.Is(err, forms.ErrNone) {
		o.Errorf("the Form of a deleted List is answered with %v", err)
	}
}

func deletedList(o *apptest.Account) {
	list := o.AddList()
	id := newForm(o, list)
	send(o, id, "ann@example.com", nil)
	o.Must(o.App.Contacts.DeleteList(o.Context(), o.Caller, list))
	for done := false; !done; {
		var err error
		done, err = o.App.Contacts.RemoveContacts(o.Context(), contacts.RemoveContacts{List: list, Upto: 1 << 62, Delete: true})
		o.Must(err)
	}
	if _, err := o.App.Forms.Show(o.Context(), id); !errors.Is(err, forms.ErrNone) {
		o.Errorf("the Form is answered with %v", err)
	}
}

func TestOriginIsWrittenAsBrowsersWriteIt(t *testing.T) {
	for text, want := range map[string]string{"https://Example.com:443/x?y": "https://example.com",
		"http://example.com:8080": "http://example.com:8080", "https://me@example.com": "", "ftp://example.com": "",
		"https://exa;mple.com": "", "https://": "", "javascript:alert(1)": "", "//example.com": "", "https://[::1]:444": "https://[::1]:444"} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := forms.Origin(u); got != want {
			t.Errorf("the origin of %s is %q, want %q", text, got, want)
		}
	}
}

func keepsLanguage(o *apptest.Account) {
	list := o.AddList()
	form := newForm(o, list)
	sends := func(page, want string) {
		o.Helper()
		_, err := o.App.Forms.Send(o.Context(), form, &forms.Entry{Page: page, Title: "News",
			Values: map[enlist.FieldID][]string{o.EmailField(list): {"ann@example.com"}}})
		o.Must(err)
		if c := find(o, list); c.Language != want {
			o.Errorf("after a Form in %s the language is %q, want %s", page, c.Language, want)
		}
	}
	sends("de", "de")
	sends("fr", "de")
	_, err := o.App.Contacts.UnsubscribeByID(o.Context(), o.Caller, contacts.ContactRequest{List: list, Contact: find(o, list).ID})
	o.Must(err)
	sends("fr", "fr")
}
