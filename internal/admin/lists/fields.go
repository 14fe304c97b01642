package lists

import (
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has the pages of Fields.

// types returns the types of Fields in words.
func types(r *ui.Request) []ui.Option {
	return ui.Choices(string(enlist.Text), r.Text("lists.type_text"),
		string(enlist.Comment), r.Text("lists.type_comment"),
		string(enlist.Decimal), r.Text("lists.type_decimal"),
		string(enlist.Currency), r.Text("lists.type_currency"),
		string(enlist.Date), r.Text("lists.type_date"),
		string(enlist.Dropdown), r.Text("lists.type_dropdown"),
		string(enlist.Radio), r.Text("lists.type_radio"),
		string(enlist.Checkbox), r.Text("lists.type_checkbox"),
		string(enlist.File), r.Text("lists.type_file"))
}

func timeFormats(r *ui.Request) []ui.Option {
	return ui.Choices(enlist.TimeOff, r.Text("lists.no_time"),
		enlist.Time12, "3:00 pm",
		enlist.Time24, "15:00")
}

// fieldForm returns the form of a Field. What the type does not use is folded.
func fieldForm(r *ui.Request, f *enlist.Field) ui.Form {
	form := fieldInputs(r, f)
	for i := range form {
		form[i].IsFolded = len(lists.Applicable(f, []enlist.Detail{{Key: form[i].Name}})) == 0
	}
	return form
}

func fieldInputs(r *ui.Request, f *enlist.Field) ui.Form {
	kind := ui.Input{Name: "type", Label: r.Text("lists.field_type"), Kind: ui.InputChoice, Value: string(f.Type),
		Options: types(r)}
	if f.AddressType != enlist.AddressNone {
		kind.Options = ui.Choices(string(f.Type), addressText(r, f))
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
	return ui.Form{{Name: "name", Label: r.Text("lists.name_search"), Value: f.Name, Required: true}, kind,
		number("length", r.Text("lists.length"), r.Text("lists.length_help"), f.Length),
		{Name: "values_array", Label: r.Text("lists.choices"), Help: r.Text("lists.choices_help"),
			Value: f.Values},
		{Name: "defaults_array", Label: r.Text("lists.defaults"), Help: r.Text("lists.defaults_help"),
			Value: f.Defaults},
		{Name: "default_value", Label: r.Text("lists.default"),
			Help:  r.Text("lists.default_help"),
			Value: f.DefaultValue},
		{Name: "time_format", Label: r.Text("lists.time"), Help: r.Text("lists.time_help"), Kind: ui.InputChoice,
			Value:   format,
			Options: timeFormats(r)},
		{Name: "date_validation", Label: r.Text("lists.dates"),
			Help:  r.Text("lists.dates_help"),
			Value: f.DateValidation},
		{Name: "allowed_file_types", Label: r.Text("lists.files"),
			Help:  r.Text("lists.files_help"),
			Value: f.AllowedFileTypes},
		{Name: "row_size", Label: r.Text("lists.row_size"), Value: f.RowSize},
		check("is_mandatory", r.Text("lists.mandatory"), "", f.Mandatory),
		check("show_in_form", r.Text("lists.in_form"), "", f.ShowInForm),
		check("allow_update", r.Text("lists.may_update"), "", f.AllowUpdate),
		number("display_order", r.Text("lists.place"), r.Text("lists.place_help"), f.DisplayOrder),
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
	f := fieldForm(r, &enlist.Field{Type: enlist.Text})         // not public. decisions.md: 140
	return p.showField(r, list, nil, f[:len(f)-1], "", ""), nil // a new Field is the last one
}

// showField shows the form of a Field, or of a new one if it is nil.
func (p *pages) showField(r *ui.Request, l *enlist.List, f *enlist.Field, form ui.Form, ask, problem string) *ui.View {
	d := formData{Form: form, Button: r.Text("lists.add_field_button"), Action: path(l.ID) + "/fields",
		Back: path(l.ID), Ask: ask,
		Says: r.Text("lists.unused_rules")}
	v := &ui.View{Title: r.Text("lists.new_field", "list", l.Name), Place: "/admin/lists", Content: p.form,
		Problem: problem}
	if f != nil {
		d.Button, d.Action, v.Title = r.Text("lists.save"), fieldPath(l, f), r.Text("lists.of_list", "name", f.Name,
			"list", l.Name)
		d.Seen = fieldInputs(r, f).Seen()
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
	f := fieldForm(r, &enlist.Field{Type: enlist.Text})
	f = f[:len(f)-1]
	f.Read(r)
	if _, err := r.App.Lists.AddField(r.Context(), r.Caller, list.ID, fieldDetails(f)); err != nil {
		problem, err := f.Refuse(err)
		return p.showField(r, list, nil, f, "", problem), err
	}
	return ui.GoTo(path(list.ID), r.Text("lists.field_added")), nil
}

func (p *pages) field(r *ui.Request) (*ui.View, error) {
	list, f, err := loadField(r)
	if err != nil {
		return nil, err
	}
	return p.showField(r, list, f, fieldForm(r, f), "", ""), nil
}

// saveField changes a Field. If values of Contacts would not fit, it says first how many there are.
func (p *pages) saveField(r *ui.Request) (*ui.View, error) {
	list, f, err := loadField(r)
	if err != nil {
		return nil, err
	}
	form := fieldForm(r, f)
	form.Read(r)
	if fieldInputs(r, f).Conflicts(r, form) {
		return p.showField(r, list, f, form, "", ui.Changed), nil
	}
	refuse := func(err error) (*ui.View, error) {
		problem, err := form.Refuse(err)
		return p.showField(r, list, f, form, "", problem), err
	}
	misfits, err := r.App.Lists.FieldMisfits(r.Context(), r.Caller, list.ID, f.ID, fieldDetails(form))
	if err != nil {
		return refuse(err)
	}
	switch {
	case misfits.Count > 0 && misfits.Refused:
		return refuse(enlist.Invalid("type", r.Text("lists.misfits_refused", "n", misfits.Count)))
	case misfits.Count > 0 && !agreed(r, misfits.Count):
		v := p.showField(r, list, f, form, r.Text("lists.misfits_ask", "n", misfits.Count),
			r.Text("lists.misfits", "n", misfits.Count))
		d := v.Data.(formData)
		d.Count = misfits.Count
		v.Data = d
		return v, nil
	}
	if _, err := r.App.Lists.EditField(r.Context(), r.Caller, list.ID, f.ID, fieldDetails(form)); err != nil {
		return refuse(err)
	}
	return ui.GoTo(path(list.ID), r.Text("lists.field_changed_done")), nil
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
	return &ui.View{Title: r.Text("lists.delete_field_title", "field", f.Name), Place: "/admin/lists",
		Content: p.confirm, Problem: problem,
		Data: askData{Texts: []string{r.Text("lists.delete_field_loses", "n", n),
			r.Text("lists.delete_field_uses")}, Name: f.Name,
			Count: n, Typed: r.PostForm.Get("typed"), Wrong: wrong, Button: r.Text("lists.delete_field_button"),
			Danger: true,
			Back:   path(l.ID)}}, nil
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
		return p.showDeleteField(r, list, f, r.Text("lists.not_typed"), r.Text("lists.nothing_deleted"))
	}
	n, err := holders(r, list, f)
	if err != nil {
		return nil, err
	}
	if n != ui.Int(r.PostForm.Get("count")) {
		return p.showDeleteField(r, list, f, r.Text("lists.field_changed", "n", n),
			r.Text("lists.nothing_deleted"))
	}
	if err := r.App.Lists.DeleteField(r.Context(), r.Caller, list.ID, f.ID); err != nil {
		problem, err := ui.Form(nil).Refuse(err)
		if err != nil {
			return nil, err
		}
		return p.showDeleteField(r, list, f, "", problem)
	}
	return ui.GoTo(path(list.ID), r.Text("lists.field_deleted", "field", f.Name)), nil
}

func fieldPath(l *enlist.List, f *enlist.Field) string {
	return path(l.ID) + "/fields/" + ui.Plain(int64(f.ID))
}

// addressText says which address of a Contact a Field has.
func addressText(r *ui.Request, f *enlist.Field) string {
	if f.AddressType == enlist.AddressEmail {
		return r.Text("lists.field_email")
	}
	return r.Text("lists.field_mobile")
}
