package contacts

import (
	"cmp"
	"errors"
	"net/url"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the page that adds one person to a List.

func newContact(r *ui.Request) (*ui.View, error) {
	list := enlist.ListID(ui.Int(r.FormValue("list")))
	l, err := r.App.Lists.List(r.Context(), r.Caller, list)
	if err != nil {
		return nil, err
	}
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, list, enlist.Query{})
	if err != nil {
		return nil, err
	}
	card := ui.FormCard{Form: newForm(r, l, fields), Button: r.Text("contacts.add_contact"),
		Back: ui.Action{Text: r.Text("contacts.cancel"), Path: view{list: list}.url()}}
	if l.DoubleOptIn {
		noMail, err := r.NoMail()
		if err != nil {
			return nil, err
		}
		card.After = r.Language.Sentences(r.Text("contacts.add_confirms"), noMail)
	}
	page := func(problem string) (*ui.View, error) {
		v := ui.FormPage(r.Text("contacts.add_title"), "/admin/contacts", problem, card)
		v.Sub = r.Text("contacts.of_list", "list", l.Name)
		return v, nil
	}
	return r.Submit(card.Form, page, func() (*ui.View, error) {
		id, err := addOne(r, l, fields, card.Form)
		known, refused := errors.AsType[*enlist.Error](err)
		if !refused || known.Kind != enlist.InvalidParameters && known.Kind != enlist.InvalidEmail &&
			known.Kind != enlist.ContactLimit {
			return ui.GoTo(personPath(list, id), r.Text("contacts.was_added")), err
		}
		problem := r.Text("contacts.was_not_added")
		if known.Kind == enlist.ContactLimit {
			return page(r.Language.Sentences(problem, r.Said(known.Error())))
		}
		markWrong(r, fields, new(enlist.Contact), card.Form, known)
		if errors.Is(err, contacts.ErrHasLeft) {
			card.Form = append(card.Form, ui.Check("again", r.Text("contacts.has_asked_again"), false))
			card.Links = []ui.Action{{Text: r.Text("contacts.show_unsubscriber"), Path: "/admin/unsubscribers?" +
				url.Values{"q": {addressIn(fields, card.Form)}}.Encode()}}
		}
		existing, err := existingOf(r, list, fields, card.Form)
		if existing != 0 {
			card.Links = []ui.Action{{Text: r.Text("contacts.show_existing"), Path: personPath(list, existing)}}
		}
		if !card.Form.IsWrong() {
			problem = r.Language.Sentences(problem, r.Said(known.Error()))
		}
		if err != nil {
			return nil, err
		}
		return page(problem)
	})
}

// newForm returns the inputs of a new Contact: its values, and why the person may be added.
func newForm(r *ui.Request, l *enlist.List, fields []enlist.Field) (f ui.Form) {
	today := enlist.Today(r.Now, r.Caller.Account.TimeZone)
	for i := range fields {
		f = append(f, inputOf(r, &fields[i], fields[i].Default(today)))
	}
	agreed := againForm(r, l)
	if !l.GDPR {
		agreed[0].Label = r.Text("contacts.how_person_has_asked_first")
	}
	f = append(append(f, languageInput(r, "")), agreed...)
	if r.PostForm.Get("again") != "" { // only a refusal shows it
		f = append(f, ui.Check("again", r.Text("contacts.has_asked_again"), false))
	}
	return f
}

// addOne adds the Contact. Errors: those of Subscribe, and InvalidParameters if the List has the address, or if the
// person has left and the form does not say that the person asked again.
func addOne(r *ui.Request, l *enlist.List, fields []enlist.Field, f ui.Form) (enlist.ContactID, error) {
	request := contacts.SubscribeRequest{List: l.ID, ByUser: true, Again: f.Value("again") != "",
		Language: f.Value(enlist.KeyLanguage),
		Consent:  contacts.Consent{Type: contacts.ConsentDirect, Text: f.Value("text")}}
	if l.GDPR {
		request.Consent.Type = enlist.ConsentGDPR
	}
	for i := range fields {
		if value := sent(f, &fields[i]); value != "" || r.PostForm.Has(keyOfInput(&fields[i])) {
			request.Details = append(request.Details, ui.Text(keyOfInput(&fields[i]), value))
		}
	}
	switch {
	case f.Value("text") == "":
		f.Refused("text", r.Text("contacts.write_how_asked_first"))
	case len([]rune(f.Value("text"))) > contacts.MaxConsentText:
		f.Refused("text", r.Text("contacts.too_long", "n", contacts.MaxConsentText))
	}
	if f.IsWrong() {
		return 0, enlist.Invalid("text", f.In("text").Wrong)
	}
	return r.App.Contacts.Subscribe(r.Context(), r.Caller, request)
}

// existingOf returns the Contact of the List with the address of a form, or 0.
func existingOf(r *ui.Request, list enlist.ListID, fields []enlist.Field, f ui.Form) (enlist.ContactID, error) {
	q := contacts.PersonQuery{Address: addressIn(fields, f), First: list, Limit: 1}
	person, err := r.App.Contacts.Person(r.Context(), r.Caller, &q)
	if enlist.KindOf(err) == enlist.InvalidParameters { // the text is no address
		return 0, nil
	}
	if err != nil || len(person.Contacts) == 0 || person.Contacts[0].Schema.List.ID != list {
		return 0, err
	}
	return person.Contacts[0].Contact.ID, nil
}

// addressIn returns the address in a form.
func addressIn(fields []enlist.Field, f ui.Form) (address string) {
	for i := range fields {
		if fields[i].AddressType != enlist.AddressNone {
			address = cmp.Or(address, sent(f, &fields[i]))
		}
	}
	return address
}
