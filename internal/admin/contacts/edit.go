package contacts

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the page that changes the values of a Contact.

func edit(r *ui.Request) (*ui.View, error) {
	list, id := enlist.ListID(ui.Int(r.FormValue("list"))), enlist.ContactID(ui.Int(r.FormValue("contact")))
	c, fields, err := contactOf(r, list, id)
	if err != nil {
		return nil, err
	}
	l, err := r.App.Lists.List(r.Context(), r.Caller, list)
	if err != nil {
		return nil, err
	}
	var f ui.Form
	for i := range fields {
		in := inputOf(r, &fields[i], c.Values.Get(fields[i].ID))
		f = append(f, in)
		if in.Kind == ui.InputBoxes { // without a tick, the browser would not send it
			f = append(f, ui.Input{Name: in.Name, Kind: ui.InputHidden})
		}
	}
	f = append(f, languageInput(r, c.Language))
	page := func(problem string) (*ui.View, error) {
		v := ui.FormPage(r.Text("contacts.change_values"), "/admin/contacts", problem, ui.FormCard{Form: f,
			Button: r.Text("contacts.save"), Back: ui.Action{Text: r.Text("contacts.cancel"), Path: personPath(list, id)}})
		v.Sub = r.Text("contacts.of_contact_of_list", "list", l.Name)
		return v, nil
	}
	return r.Submit(f, page, func() (*ui.View, error) {
		wrong, err := store(r, list, c, fields, f)
		switch {
		case err != nil:
			return nil, err
		case wrong == nil:
			return ui.GoTo(personPath(list, id), r.Text("contacts.values_were_changed")), nil
		}
		problem := r.Text("contacts.values_were_not_changed")
		if markWrong(r, fields, c, f, wrong); !f.IsWrong() {
			problem = r.Language.Sentences(problem, r.Said(wrong.Error()))
		}
		return page(problem)
	})
}

// keyOfInput is the name of the input of a Field.
func keyOfInput(f *enlist.Field) string { return "field_" + ui.Plain(int64(f.ID)) }

// inputOf returns the input of a Field.
func inputOf(r *ui.Request, f *enlist.Field, value string) ui.Input {
	in := ui.Input{Name: keyOfInput(f), Label: f.Name, Value: value}
	if f.Mandatory {
		in.Label += " " + r.Text("contacts.needs_value")
	}
	_, notDay := time.Parse(time.DateOnly, value)
	switch {
	case f.Type == enlist.Comment:
		in.Kind = ui.InputArea
	case f.Type == enlist.Date && (value == "" || notDay == nil) && f.TimeFormat != enlist.Time12 &&
		f.TimeFormat != enlist.Time24:
		in.Kind = ui.InputDate
	case f.Type == enlist.Dropdown || f.Type == enlist.Radio:
		in.Kind, in.Options = ui.InputChoice, append([]ui.Option{{}}, withValues(optionsOf(f.Values), value)...)
	case f.Type == enlist.Checkbox:
		in.Kind, in.Chosen = ui.InputBoxes, strings.Split(value, ",")
		in.Options = withValues(optionsOf(f.Values), in.Chosen...)
	}
	return in
}

// languageInput returns the input of the language in which a Contact gets mails.
func languageInput(r *ui.Request, code string) ui.Input {
	return ui.Input{Name: enlist.KeyLanguage, Label: r.Text("contacts.language"), Kind: ui.InputChoice, Value: code,
		Options: append(ui.Choices("", r.Text("contacts.language_of_list")), r.LanguageOptions()...)}
}

// sent returns the value that a form has for a Field.
func sent(f ui.Form, field *enlist.Field) string {
	in := f.In(keyOfInput(field))
	if in.Kind == ui.InputBoxes {
		return strings.Trim(strings.Join(in.Chosen, ","), ",")
	}
	return in.Value
}

// store changes the values that differ. It returns why they were refused.
func store(r *ui.Request, list enlist.ListID, c *enlist.Contact, fields []enlist.Field, f ui.Form) (*enlist.Error, error) {
	var details []enlist.Detail
	for i := range fields {
		key, text := keyOfInput(&fields[i]), sent(f, &fields[i])
		if r.PostForm.Has(key) && text != c.Values.Get(fields[i].ID) {
			details = append(details, ui.Text(key, text))
		}
	}
	if code := f.Value(enlist.KeyLanguage); r.PostForm.Has(enlist.KeyLanguage) && code != c.Language {
		details = append(details, ui.Text(enlist.KeyLanguage, cmp.Or(code, enlist.UnknownLanguage)))
	}
	if details == nil {
		return nil, nil
	}
	_, err := r.App.Contacts.EditContacts(r.Context(), r.Caller, contacts.EditRequest{List: list, Trigger: true,
		Contacts: []contacts.EditRow{{ID: c.ID, Details: details}}})
	if wrong, ok := errors.AsType[*enlist.Error](err); ok && wrong.Kind == enlist.NothingUpdated {
		return wrong, nil
	}
	return nil, err
}

// markWrong says beside the inputs what is wrong. The service says it only of the first Field.
func markWrong(r *ui.Request, fields []enlist.Field, c *enlist.Contact, f ui.Form, wrong *enlist.Error) {
	today := enlist.Today(r.Now, r.Caller.Account.TimeZone)
	for i := range fields {
		in, value := f.In(keyOfInput(&fields[i])), sent(f, &fields[i])
		_, err := fields[i].Read(enlist.TextInput(value), today)
		switch known, ok := errors.AsType[*enlist.Error](err); {
		case wrong.Field == fields[i].Name:
			in.Wrong = strings.TrimPrefix(strings.TrimPrefix(wrong.Detail, contacts.FirstRefused), wrong.Field+": ")
		case value == c.Values.Get(fields[i].ID):
		case ok:
			in.Wrong = known.Detail
		case err != nil:
			in.Wrong = err.Error()
		}
	}
}
