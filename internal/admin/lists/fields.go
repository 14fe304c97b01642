package lists

import (
	"fmt"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has the pages of Fields.

// types are the types of Fields in words.
var types = ui.Choices(string(enlist.Text), "text: one line",
	string(enlist.Comment), "comment: several lines",
	string(enlist.Decimal), "decimal: a number",
	string(enlist.Currency), "currency: an amount of money",
	string(enlist.Date), "date",
	string(enlist.Dropdown), "dropdown: one of several choices",
	string(enlist.Radio), "radio: one of several choices, all visible",
	string(enlist.Checkbox), "checkbox: any of several choices",
	string(enlist.File), "file")

var timeFormats = ui.Choices(enlist.TimeOff, "no time",
	enlist.Time12, "3:00 pm",
	enlist.Time24, "15:00")

// fieldForm returns the form of a Field. What the type does not use is folded.
func fieldForm(f *enlist.Field) ui.Form {
	form := fieldInputs(f)
	for i := range form {
		form[i].IsFolded = len(lists.Applicable(f, []enlist.Detail{{Key: form[i].Name}})) == 0
	}
	return form
}

func fieldInputs(f *enlist.Field) ui.Form {
	kind := ui.Input{Name: "type", Label: "Type", Kind: ui.InputChoice, Value: string(f.Type), Options: types}
	if f.AddressType != enlist.AddressNone {
		kind.Options = ui.Choices(string(f.Type), "the "+string(f.AddressType)+" address of the Contact")
	}
	number := func(name, label, help string, n int64) ui.Input {
		i := ui.Input{Name: name, Label: label, Help: help, Kind: ui.InputNumber}
		if n != 0 {
			i.Value = ui.Plain(n)
		}
		return i
	}
	check := func(name, label, help string, is bool) ui.Input {
		return ui.Input{Name: name, Label: label, Help: help, Kind: ui.InputCheck, Value: either(is, "1", "")}
	}
	format := f.TimeFormat
	if format == "" {
		format = enlist.TimeOff
	}
	return ui.Form{{Name: "name", Label: "Name", Value: f.Name, Required: true}, kind,
		number("length", "Most letters", "for text; if empty, there is no limit", f.Length),
		{Name: "values_array", Label: "Choices", Help: "for dropdown, radio and checkbox; commas between them",
			Value: f.Values},
		{Name: "defaults_array", Label: "Choices of a new Contact", Help: "for these", Value: f.Defaults},
		{Name: "default_value", Label: "Value of a new Contact",
			Help:  "for the other types; of a date such as 2026-01-31, or current",
			Value: f.DefaultValue},
		{Name: "time_format", Label: "Time", Help: "for date", Kind: ui.InputChoice, Value: format,
			Options: timeFormats},
		{Name: "date_validation", Label: "Which dates",
			Help:  "for date: past, future, or two dates with a comma between them; empty: any",
			Value: f.DateValidation},
		{Name: "allowed_file_types", Label: "Kinds of files",
			Help:  "for file: images, documents, spreadsheets, movies, other",
			Value: f.AllowedFileTypes},
		{Name: "row_size", Label: "Rows of a comment, or most megabytes of a file", Value: f.RowSize},
		check("is_mandatory", "Each Contact must have a value", "", f.Mandatory),
		check("show_in_form", "Forms for new subscribers ask for it", "", f.ShowInForm),
		check("allow_update", "Subscribers may change it", "", f.AllowUpdate),
		number("display_order", "Place on forms", "the lowest number is first, and -1 hides the Field", f.DisplayOrder),
	}
}

// fieldDetails returns the values of the form. Empty numbers of rows are left out: they have no default.
func fieldDetails(f ui.Form) (all []enlist.Detail) {
	for _, d := range f.Details() {
		if d.Key == "row_size" && d.Value.Text == "" {
			continue
		}
		all = append(all, d)
	}
	return all
}

// loadField returns the List and the Field in the path.
func loadField(r *ui.Request) (*enlist.List, *enlist.Field, error) {
	list, err := load(r)
	if err != nil {
		return nil, nil, err
	}
	f, err := r.App.Lists.Field(r.Context(), r.Caller, list.ID, enlist.FieldID(r.ID("field")))
	return list, f, err
}

func (p *pages) newField(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	f := fieldForm(&enlist.Field{Type: enlist.Text})         // not public. decisions.md: 140
	return p.showField(list, nil, f[:len(f)-1], "", ""), nil // a new Field is the last one
}

// showField shows the form of a Field, or of a new one if it is nil.
func (p *pages) showField(l *enlist.List, f *enlist.Field, form ui.Form, ask, problem string) *ui.View {
	d := formData{Form: form, Button: "Add the Field", Action: path(l.ID) + "/fields", Back: path(l.ID), Ask: ask,
		Says: "Rules that the type does not use have no effect."}
	v := &ui.View{Title: "New Field of " + l.Name, Place: "/admin/lists", Content: p.form_, Problem: problem}
	if f != nil {
		d.Button, d.Action, v.Title = "Save", fieldPath(l, f), f.Name+" of "+l.Name
		d.Seen = fieldInputs(f).Seen()
		if f.AddressType != enlist.AddressEmail {
			d.Delete = fieldPath(l, f) + "/delete"
		}
	}
	v.Data = d
	return v
}

func (p *pages) addField(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	f := fieldForm(&enlist.Field{Type: enlist.Text})
	f = f[:len(f)-1]
	f.Read(r)
	if _, err := r.App.Lists.AddField(r.Context(), r.Caller, list.ID, fieldDetails(f)); err != nil {
		problem, err := f.Refuse(err)
		return p.showField(list, nil, f, "", problem), err
	}
	return ui.GoTo(path(list.ID), "The Field was added."), nil
}

func (p *pages) field(r *ui.Request) (*ui.View, error) {
	list, f, err := loadField(r)
	if err != nil {
		return nil, err
	}
	return p.showField(list, f, fieldForm(f), "", ""), nil
}

// saveField changes a Field. If values of Contacts would not fit, it says first how many there are.
func (p *pages) saveField(r *ui.Request) (*ui.View, error) {
	list, f, err := loadField(r)
	if err != nil {
		return nil, err
	}
	form := fieldForm(f)
	form.Read(r)
	if fieldInputs(f).Conflicts(r, form) {
		return p.showField(list, f, form, "", ui.Changed), nil
	}
	refuse := func(err error) (*ui.View, error) {
		problem, err := form.Refuse(err)
		return p.showField(list, f, form, "", problem), err
	}
	misfits, err := r.App.Lists.FieldMisfits(r.Context(), r.Caller, list.ID, f.ID, fieldDetails(form))
	if err != nil {
		return refuse(err)
	}
	hold := ui.Count(misfits.Count, "Contact") + " hold a value that would not fit"
	if misfits.Count == 1 {
		hold = "1 Contact holds a value that would not fit"
	}
	switch {
	case misfits.Count > 0 && misfits.Refused:
		return refuse(enlist.Invalid("type", hold+": change these values first, or choose another type"))
	case misfits.Count > 0 && !agreed(r, misfits.Count):
		v := p.showField(list, f, form, hold+". They keep it until it is changed. Change the Field all the same.", hold+".")
		d := v.Data.(formData)
		d.Count = misfits.Count
		v.Data = d
		return v, nil
	}
	if _, err := r.App.Lists.EditField(r.Context(), r.Caller, list.ID, f.ID, fieldDetails(form)); err != nil {
		return refuse(err)
	}
	return ui.GoTo(path(list.ID), "The Field was changed."), nil
}

// moveUp moves a Field before the one above it. It numbers the Fields of the forms anew, so that no two are equal.
func moveUp(r *ui.Request) (*ui.View, error) {
	list, f, err := loadField(r)
	if err != nil {
		return nil, err
	}
	all, err := r.App.Lists.SearchFields(r.Context(), r.Caller, list.ID, enlist.Query{})
	if err != nil {
		return nil, err
	}
	enlist.SortFields(all)
	if f.DisplayOrder < 0 {
		return ui.GoTo(path(list.ID), ""), nil // a hidden Field has no place
	}
	for i := 1; i < len(all); i++ {
		if all[i].ID == f.ID {
			all[i-1], all[i] = all[i], all[i-1]
			break
		}
	}
	for i := range all {
		place := int64(i + 1)
		if all[i].DisplayOrder == place || all[i].DisplayOrder < 0 {
			continue
		}
		_, err := r.App.Lists.EditField(r.Context(), r.Caller, list.ID, all[i].ID,
			[]enlist.Detail{ui.Text("display_order", ui.Plain(place))})
		if err != nil {
			return nil, err
		}
	}
	return ui.GoTo(path(list.ID), ""), nil
}

func (p *pages) askDeleteField(r *ui.Request) (*ui.View, error) {
	list, f, err := loadField(r)
	if err != nil {
		return nil, err
	}
	return p.showDeleteField(r, list, f, "", "")
}

func (p *pages) showDeleteField(r *ui.Request, l *enlist.List, f *enlist.Field, wrong, problem string) (
	*ui.View, error) {
	n, err := holders(r, l, f)
	if err != nil {
		return nil, err
	}
	return &ui.View{Title: "Delete the Field " + f.Name + "?", Place: "/admin/lists", Content: p.ask_, Problem: problem,
		Data: askData{Texts: []string{fmt.Sprintf("The Field and the values of %s are deleted, for ever.",
			ui.Count(n, "Contact")), "Segments, Messages and Imports that use the Field no longer work."}, Name: f.Name,
			Count: n, Typed: r.PostForm.Get("typed"), Wrong: wrong, Button: "Delete the Field", Danger: true,
			Back: path(l.ID)}}, nil
}

// holders counts the Contacts with a value in a Field.
func holders(r *ui.Request, l *enlist.List, f *enlist.Field) (int64, error) {
	return r.App.Contacts.CountContacts(r.Context(), r.Caller, l.ID, &enlist.Criteria{Key: f.Name, Operator: "not",
		Value: enlist.TextInput("")})
}

func (p *pages) deleteField(r *ui.Request) (*ui.View, error) {
	list, f, err := loadField(r)
	if err != nil {
		return nil, err
	}
	if r.PostForm.Get("typed") != f.Name {
		return p.showDeleteField(r, list, f, notTyped, "Nothing was deleted.")
	}
	n, err := holders(r, list, f)
	if err != nil {
		return nil, err
	}
	if n != ui.Int(r.PostForm.Get("count")) {
		return p.showDeleteField(r, list, f, "the values are of "+ui.Count(n, "Contact")+" now: look again",
			"Nothing was deleted.")
	}
	name := f.Name
	if err := r.App.Lists.DeleteField(r.Context(), r.Caller, list.ID, f.ID); err != nil {
		problem, err := ui.Form(nil).Refuse(err)
		if err != nil {
			return nil, err
		}
		return p.showDeleteField(r, list, f, "", problem)
	}
	return ui.GoTo(path(list.ID), "The Field "+name+" was deleted."), nil
}

// notTyped is what is wrong with a typed name.
const notTyped = "this is not the name"

func fieldPath(l *enlist.List, f *enlist.Field) string {
	return path(l.ID) + "/fields/" + ui.Plain(int64(f.ID))
}
