package contacts

import (
	"errors"
	"slices"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the page that changes the values of a Contact.

// editData is the data of the page.
type editData struct {
	List   enlist.ListID
	ID     enlist.ContactID
	Back   string
	Inputs []editInput
}

// editInput is the input of a Field.
type editInput struct {
	Key, Name string // of the input, and of the Field
	Kind      string // text, comment, date, one or many
	Value     string
	Options   []option
	Must      bool
	Wrong     string
}

func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	return p.showEdit(r, nil)
}

// showEdit shows the inputs. wrong is why the values of the form were refused.
func (p *pages) showEdit(r *ui.Request, wrong *enlist.Error) (*ui.View, error) {
	list, id := enlist.ListID(ui.Int(r.FormValue("list"))), enlist.ContactID(ui.Int(r.FormValue("contact")))
	c, fields, err := contactOf(r, list, id)
	if err != nil {
		return nil, err
	}
	d := editData{List: list, ID: id, Back: personPath(list, id)}
	today := enlist.Today(r.Now, r.Caller.Account.TimeZone)
	view := &ui.View{Title: r.Text("contacts.change_values"), Place: "/admin/contacts", Content: p.editPage, Data: &d}
	if name, err := r.App.Lists.List(r.Context(), r.Caller, list); err == nil {
		view.Sub = r.Text("contacts.of_contact_of_list", "list", name.Name)
	}
	for i := range fields {
		in := inputOf(&fields[i], c.Values.Get(fields[i].ID))
		if wrong != nil {
			stored := in.Value
			in = inputOf(&fields[i], sentValue(r, in.Key))
			if _, err := fields[i].Read(enlist.TextInput(in.Value), today); in.Value != stored && err != nil {
				in.Wrong = detailOf(err)
			}
			if wrong.Field == in.Name {
				detail := strings.TrimPrefix(wrong.Detail, contacts.FirstRefused)
				in.Wrong = strings.TrimPrefix(detail, in.Name+": ")
			}
		}
		d.Inputs = append(d.Inputs, in)
	}
	if wrong != nil {
		view.Problem = r.Text("contacts.values_were_not_changed")
		if !slices.ContainsFunc(d.Inputs, func(in editInput) bool { return in.Wrong != "" }) {
			view.Problem += " " + wrong.Error()
		}
	}
	return view, nil
}

// detailOf returns what an error says about a value.
func detailOf(err error) string {
	if known, ok := errors.AsType[*enlist.Error](err); ok {
		return known.Detail
	}
	return err.Error()
}

func inputOf(f *enlist.Field, value string) editInput {
	in := editInput{Key: "field_" + ui.Plain(int64(f.ID)), Name: f.Name, Kind: "text", Value: value, Must: f.Mandatory}
	_, notDay := time.Parse(time.DateOnly, value)
	switch {
	case f.Type == enlist.Comment:
		in.Kind = "comment"
	case f.Type == enlist.Date && (value == "" || notDay == nil) && f.TimeFormat != enlist.Time12 &&
		f.TimeFormat != enlist.Time24:
		in.Kind = "date"
	case f.Type == enlist.Dropdown || f.Type == enlist.Radio:
		in.Kind, in.Options = "one", chosen(optionsOf(f.Values), ui.Texts(value))
	case f.Type == enlist.Checkbox:
		in.Kind, in.Options = "many", chosen(optionsOf(f.Values), ui.Texts(value))
	}
	return in
}

// sentValue returns the value of an input of the form.
func sentValue(r *ui.Request, key string) string {
	return strings.ReplaceAll(strings.Trim(strings.Join(r.PostForm[key], ","), ","), "\r\n", "\n")
}

// saveEdit changes the values that differ.
func (p *pages) saveEdit(r *ui.Request) (*ui.View, error) {
	list, id := enlist.ListID(ui.Int(r.FormValue("list"))), enlist.ContactID(ui.Int(r.FormValue("contact")))
	c, fields, err := contactOf(r, list, id)
	if err != nil {
		return nil, err
	}
	var details []enlist.Detail
	for i := range fields {
		key := "field_" + ui.Plain(int64(fields[i].ID))
		if text := sentValue(r, key); r.PostForm.Has(key) && text != c.Values.Get(fields[i].ID) {
			details = append(details, ui.Text(key, text))
		}
	}
	if details == nil {
		return ui.GoTo(personPath(list, id), r.Text("contacts.nothing_was_changed")), nil
	}
	_, err = r.App.Contacts.EditContacts(r.Context(), r.Caller, contacts.EditRequest{List: list, Trigger: true,
		Contacts: []contacts.EditRow{{ID: id, Details: details}}})
	var wrong *enlist.Error
	if errors.As(err, &wrong) && wrong.Kind == enlist.NothingUpdated {
		return p.showEdit(r, wrong)
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo(personPath(list, id), r.Text("contacts.values_were_changed")), nil
}
